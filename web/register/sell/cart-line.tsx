/** One line of the cart. A tap changes it. */
import { memo } from 'react';
import { priceOf, type Receipt } from '../../../src/business/receipts/model.js';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import type { CartLine as Line } from '../core/cart.js';
import { catalogue } from '../core/catalogue.js';
import { otherPriceOf } from '../core/reductions.js';
import classes from './cart.module.css';

interface CartLineProps {
  readonly line: Line;
  /** Of the whole quantity with modifiers, before discounts and taxes. */
  readonly amount: number;
  readonly currency: string;
  readonly onPick: (key: string) => void;
}

/** `oat milk, extra shot`. */
function detailsOf({ variationName, modifiers, note, discounts }: Line): readonly string[] {
  const what = [...(variationName === undefined ? [] : [variationName]), ...modifiers.map(({ name }) => name)].join(
    ', ',
  );
  return [what, ...discounts.map(({ name }) => `${name} on this item`), note ?? ''].filter((text) => text !== '');
}

/** So that nobody overlooks that a line has another price than usual. */
function useOtherPrice(line: Line, currency: string): string {
  const known = useStore(catalogue);
  const usual = known && otherPriceOf(line, known);
  return usual === undefined ? '' : `usually ${printMoney({ amount: usual, currency })}`;
}

export const CartLine = memo(function CartLine({ line, amount, currency, onPick }: CartLineProps) {
  const usual = useOtherPrice(line, currency);
  return (
    <li>
      <button type="button" className={classes['line']} onClick={() => onPick(line.key)}>
        <span className={classes['words']}>
          <span>
            {line.name}
            {line.quantity !== '1' && <span className={classes['quantity']}> × {line.quantity}</span>}
          </span>
          {detailsOf(line).map((text) => (
            <small key={text}>{text}</small>
          ))}
          {usual !== '' && <small>{usual}</small>}
        </span>
        <span className={classes['amount']}>{printMoney({ amount, currency })}</span>
      </button>
    </li>
  );
});

/** The price before discounts that a line shows, as receipts do. */
export function lineAmount({ items = [] }: Partial<Receipt>, index: number): number {
  const item = items[index];
  return item ? priceOf(item) : 0;
}
