/** The receipt of a sale that was just made here. It needs no network; the page of the server shows the same. */

import { printMilliseconds } from '../../../src/base/time.js';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import type { Charging } from '../charge/charging.js';
import { now } from '../core/clock.js';
import { device } from '../core/device.js';
import { attendant } from '../core/people.js';
import { totalsOf } from '../core/totals.js';
import { PaperHead, PaperLine, PaperRule } from '../parts/paper-lines.js';
import { lineAmount } from '../sell/cart-line.js';

export function SaleReceipt({ sale: { cart, taken, receiptNumber } }: { readonly sale: Charging }) {
  const [paired, person] = [useStore(device), useStore(attendant)];
  if (!paired) return null;
  const { business, location, name } = paired;
  const { currency } = business;
  const totals = totalsOf(cart);
  const print = (amount: number) => printMoney({ amount, currency });
  const tips = taken.reduce((sum, { tip }) => sum + tip, 0);
  return (
    <div>
      <PaperHead title={business.name}>
        <span>{location.name}</span>
        {location.phone !== undefined && <span>{location.phone}</span>}
        <span>{printTime(printMilliseconds(now()), 'long', location.timezone)}</span>
      </PaperHead>
      <PaperRule />
      {cart.lines.map((line, index) => (
        <div key={line.key}>
          <PaperLine
            label={`${line.quantity === '1' ? '' : `${line.quantity} × `}${line.name}${line.variationName === undefined ? '' : `, ${line.variationName}`}`}
            value={totals.receipt && print(lineAmount(totals.receipt, index))}
          />
          {line.modifiers.map(({ name: modifier }) => (
            <PaperLine key={modifier} label={modifier} isIndented />
          ))}
          {line.note !== undefined && <PaperLine label={line.note} isIndented />}
        </div>
      ))}
      <PaperRule />
      {totals.receipt?.discounts.map(({ name: discount, applied }) => (
        <PaperLine key={discount} label={discount} value={print(applied)} />
      ))}
      {totals.receipt?.taxes.map(({ name: tax, applied, inclusion }) => (
        <PaperLine key={tax} label={inclusion === 'INCLUSIVE' ? `${tax}, included` : tax} value={print(applied)} />
      ))}
      {tips > 0 && <PaperLine label="Tip" value={print(tips)} />}
      <PaperLine label="Total" value={print(totals.total + tips)} isStrong />
      <PaperRule />
      {cart.returns.map(({ name: goods, amount, paymentId: from }) => (
        <PaperLine key={from} label={`Returned: ${goods ?? 'goods'}`} value={print(amount)} />
      ))}
      {taken.map(({ name: tender, amount, tip, tendered, change }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change any more
        <div key={index}>
          <PaperLine label={tender} value={print(tendered ?? amount + tip)} />
          {change !== undefined && change > 0 && <PaperLine label="Change" value={print(change)} isIndented />}
        </div>
      ))}
      <PaperRule />
      <PaperHead title="Thank you">
        {location.receipt_text !== undefined && <span>{location.receipt_text}</span>}
        <span>
          {name}
          {person && ` · ${person.firstName}`}
        </span>
        {receiptNumber !== undefined && <span>Receipt {receiptNumber}</span>}
      </PaperHead>
    </div>
  );
}
