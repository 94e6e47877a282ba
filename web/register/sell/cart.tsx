/** The cart: lines, discounts, taxes, and the total, which is always in sight. */
import { Menu } from '@mantine/core';
import {
  IconArrowBackUp,
  IconBasket,
  IconBookmark,
  IconDiscount,
  IconDotsVertical,
  IconPencil,
  IconTrash,
  IconX,
} from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { type Cart as CartModel, isEmpty } from '../core/cart.js';
import type { Totals } from '../core/totals.js';
import { BigButton } from '../parts/big-button.js';
import { IconButton } from '../parts/icon-button.js';
import { TouchMenu } from '../parts/touch-menu.js';
import classes from './cart.module.css';
import { CartLine, lineAmount } from './cart-line.js';

interface CartProps {
  readonly cart: CartModel;
  readonly totals: Totals;
  readonly currency: string;
  readonly onLine: (key: string) => void;
  readonly onCharge: () => void;
  readonly onDiscount: () => void;
  readonly onPark: () => void;
  readonly onName: () => void;
  readonly onClear: () => void;
  /** Only for a sale that is open: leaves it as it is. */
  readonly onPutBack: () => void;
  readonly onRemoveDiscount: (index: number) => void;
  readonly onRemoveReturn: (index: number) => void;
  /** On phones the cart is a sheet with a way back. */
  readonly onClose?: (() => void) | undefined;
}

export function Cart(props: CartProps) {
  const { cart, totals, currency, onLine, onCharge, onClose } = props;
  const { receipt } = totals;
  return (
    <section className={classes['cart']} aria-label="Cart">
      <CartHead {...props} />
      {isEmpty(cart) ? (
        <div className={classes['empty']} data-state="empty">
          <IconBasket size={40} stroke={1.2} aria-hidden />
          <p>Tap an item, or scan its code.</p>
        </div>
      ) : (
        <ol className={classes['lines']} data-state="full">
          {cart.lines.map((line, index) => (
            <CartLine
              key={line.key}
              line={line}
              amount={receipt ? lineAmount(receipt, index) : 0}
              currency={currency}
              onPick={onLine}
            />
          ))}
          {cart.returns.map(({ name, amount }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: returns have no other identity
            <li key={`return ${index}`} className={classes['extra']}>
              <span className={classes['words']}>
                Returned: {name ?? 'goods'}
                <small>pays for this sale</small>
              </span>
              <span className={classes['amount']}>{printMoney({ amount: -amount, currency })}</span>
              <IconButton
                label="Remove the return"
                icon={IconX}
                iconSize={18}
                onClick={() => props.onRemoveReturn(index)}
              />
            </li>
          ))}
        </ol>
      )}
      <Sums {...props} />
      <div className={classes['total']}>
        <span>{totals.due < 0 ? 'To give back' : 'Total'}</span>
        <strong data-total>{printMoney({ amount: Math.abs(totals.due), currency })}</strong>
      </div>
      <BigButton tone="main" isTall isDisabled={isEmpty(cart)} onClick={onCharge}>
        {chargeWords(cart, totals, currency)}
      </BigButton>
      {onClose && (
        <BigButton tone="quiet" onClick={onClose}>
          Add more
        </BigButton>
      )}
    </section>
  );
}

function chargeWords(cart: CartModel, { due }: Totals, currency: string): string {
  if (isEmpty(cart)) return 'Charge';
  return due < 0 ? 'Give back' : `Charge ${printMoney({ amount: due, currency })}`;
}

function CartHead({ cart, onDiscount, onPark, onName, onClear, onPutBack }: CartProps) {
  const isOpen = cart.saleId !== undefined;
  return (
    <div className={classes['head']}>
      <h2>{cart.label ?? (isOpen ? 'Open sale' : 'New sale')}</h2>
      {!isEmpty(cart) && (
        <>
          <IconButton label="Discount" icon={IconDiscount} onClick={onDiscount} />
          <IconButton label="Park" icon={IconBookmark} onClick={onPark} />
          <TouchMenu width={220} target={<IconButton label="More for this sale" icon={IconDotsVertical} />}>
            <Menu.Item leftSection={<IconPencil size={22} />} onClick={onName}>
              Name this sale
            </Menu.Item>
            {isOpen && (
              <Menu.Item leftSection={<IconArrowBackUp size={22} />} onClick={onPutBack}>
                Put it back
              </Menu.Item>
            )}
            <Menu.Item leftSection={<IconTrash size={22} />} color="var(--danger-text)" onClick={onClear}>
              {isOpen ? 'Cancel the sale' : 'Clear the cart'}
            </Menu.Item>
          </TouchMenu>
        </>
      )}
    </div>
  );
}

/** Shows no subtotal without discounts and taxes, because it is the same as the total. */
function Sums({ cart, totals, currency, onRemoveDiscount }: CartProps) {
  const { receipt, discount, returned } = totals;
  const print = (amount: number) => printMoney({ amount, currency });
  const taxes = receipt?.taxes ?? [];
  if (!receipt) return null;
  const ofSale = cart.discounts.map(({ name }, index) => ({ name, index }));
  return (
    <div className={classes['sums']}>
      {(discount !== 0 || taxes.length > 0) && (
        <div className={classes['sum']}>
          <span>Subtotal</span>
          <span>{print(receipt.items.reduce((sum, _, index) => sum + lineAmount(receipt, index), 0))}</span>
        </div>
      )}
      {receipt.discounts.map(({ name, applied }) => {
        const own = ofSale.find((each) => each.name === name);
        return (
          <div key={name} className={classes['sum']}>
            <span>
              {name}
              {own && (
                <IconButton
                  label={`Remove ${name}`}
                  icon={IconX}
                  iconSize={18}
                  onClick={() => onRemoveDiscount(own.index)}
                />
              )}
            </span>
            <span>{print(applied)}</span>
          </div>
        );
      })}
      {taxes.map(({ name, applied, inclusion }) => (
        <div key={`${name} ${inclusion}`} className={classes['sum']}>
          <span>{inclusion === 'INCLUSIVE' ? `${name}, included` : name}</span>
          <span>{print(applied)}</span>
        </div>
      ))}
      {returned > 0 && (
        <div className={classes['sum']}>
          <span>Returned goods</span>
          <span>{print(-returned)}</span>
        </div>
      )}
      {cart.paid !== undefined && cart.paid > 0 && (
        <div className={classes['sum']}>
          <span>Paid already</span>
          <span>{print(-cart.paid)}</span>
        </div>
      )}
    </div>
  );
}
