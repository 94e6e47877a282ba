/** The receipt of a sale that was just made here. It needs no network. The page of the server has the same lines and the same time. */
import { add, ZERO } from '../../../src/base/money.js';
import { printMilliseconds } from '../../../src/base/time.js';
import { type ReceiptLine, receiptItems, receiptPayments, receiptSums } from '../../../src/business/figures/receipt.js';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import type { Charging } from '../charge/charging.js';
import { paymentsOf } from '../charge/paid-with.js';
import { now } from '../core/clock.js';
import { device } from '../core/device.js';
import { attendant } from '../core/people.js';
import { totalsOf } from '../core/totals.js';
import { PaperHead, PaperLine, PaperRule } from '../parts/paper-lines.js';

export function SaleReceipt({ sale }: { readonly sale: Charging }) {
  const [paired, person] = [useStore(device), useStore(attendant)];
  if (!paired) return null;
  const { business, location, name } = paired;
  const { cart, receiptNumber } = sale;
  const print = (value: number) => printMoney({ amount: value, currency: business.currency });
  const { receipt } = totalsOf(cart);
  const payments = paymentsOf(sale);
  const tip = add(ZERO, ...payments.map((each) => each.tip));
  const at = sale.known?.at ?? sale.paidAt ?? printMilliseconds(now());
  return (
    <div>
      <PaperHead title={business.name}>
        <span>{location.name}</span>
        {location.phone !== undefined && <span>{location.phone}</span>}
        <span>{printTime(at, 'long', location.timezone)}</span>
      </PaperHead>
      {receipt && (
        <>
          <PaperRule />
          <Lines lines={receiptItems(receipt.items, print)} print={print} />
          <PaperRule />
          {receiptSums(receipt, tip).map(({ name: line, amount: value, isSum }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two lines can have the same name, and the order never changes
            <PaperLine key={index} label={line} value={print(value)} isStrong={isSum} />
          ))}
          <PaperRule />
          <Lines lines={receiptPayments(payments, print)} print={print} />
        </>
      )}
      {cart.returns.map(({ name: goods, amount: value, refunded, paymentId: from }) => (
        <Returned key={from} goods={goods} back={receipt ? (refunded ?? ZERO) : value} print={print} />
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

interface LinesProps {
  readonly lines: readonly ReceiptLine[];
  readonly print: (value: number) => string;
}

function Lines({ lines, print }: LinesProps) {
  return lines.map(({ name, details, amount: value }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change any more
    <div key={index}>
      <PaperLine label={name} value={print(value)} />
      {details.map((detail) => (
        <PaperLine key={detail} label={detail} isIndented />
      ))}
    </div>
  ));
}

interface ReturnedProps {
  readonly goods: string | undefined;
  /** What goes back for them, besides what they paid here. It is a refund of the earlier sale. */
  readonly back: number;
  readonly print: (value: number) => string;
}

function Returned({ goods = 'goods', back, print }: ReturnedProps) {
  return (
    <>
      <PaperLine label={`Returned: ${goods}`} />
      {back > 0 && <PaperLine label="Given back" value={print(-back)} isIndented />}
    </>
  );
}
