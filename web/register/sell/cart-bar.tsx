/** On phones: how many items, the total, and the way to the cart, above the thumb. */
import { VisuallyHidden } from '@mantine/core';
import { useStore } from '../../client/store.js';
import { IconChevronUp } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { isEmpty } from '../core/cart.js';
import { cart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { totalsOf } from '../core/totals.js';
import classes from './cart-bar.module.css';

export function CartBar({ onOpen }: { readonly onOpen: () => void }) {
  const [current, currency] = [useStore(cart), useStore(device)?.business.currency ?? 'USD'];
  const count = current.lines.reduce((sum, { quantity }) => sum + Math.ceil(Number(quantity)), 0);
  return (
    <button type="button" className={classes['bar']} disabled={isEmpty(current)} onClick={onOpen}>
      {isEmpty(current) ? (
        <span className={classes['words']}>The cart is empty</span>
      ) : (
        <>
          <span className={classes['count']}>{count}</span>
          {current.label !== undefined && <VisuallyHidden>Cart</VisuallyHidden>}
          <span className={classes['words']}>{current.label ?? 'Cart'}</span>
          <strong>{printMoney({ amount: totalsOf(current).due, currency })}</strong>
          <IconChevronUp size={22} aria-hidden />
        </>
      )}
    </button>
  );
}
