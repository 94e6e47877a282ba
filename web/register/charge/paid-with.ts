/** What has paid for a sale, and when: as the server says it, and after that what waits in the queue of this device. Pure. */
import { type Amount, add, amount, subtract, ZERO } from '../../../src/base/money.js';
import type { PaidWith } from '../../../src/business/figures/receipt.js';
import type { Cart } from '../core/cart.js';
import type { WireSale } from '../core/wire.js';

export interface Payment extends PaidWith {
  readonly tip: Amount;
}

/** What the server has said of a sale. */
export interface KnownPayments {
  /** When the sale was completed. Absent before that. */
  readonly at?: string;
  readonly payments: readonly Payment[];
  /** How many tenders of this screen are among them: the others wait in the queue. */
  readonly taken: number;
}

/** What this screen knows of a sale that is being paid. */
interface Paying {
  readonly cart: Pick<Cart, 'returns' | 'paid'>;
  readonly known?: KnownPayments;
  readonly taken: readonly {
    readonly name: string;
    readonly amount: Amount;
    readonly tip: Amount;
    readonly tendered?: Amount;
  }[];
}

export function knownOf(
  { created_at: at, state, tenders }: WireSale,
  taken: number,
): { readonly known: KnownPayments } {
  const payments = tenders.filter(({ status }) => status === 'COMPLETED' || status === 'PENDING').map(toPayment);
  return { known: { payments, taken, ...(state === 'COMPLETED' && at !== undefined && { at }) } };
}

function toPayment({
  pan_suffix: last_4,
  total_money,
  tip_money,
  tendered_money,
  ...tender
}: WireSale['tenders'][number]): Payment {
  return {
    ...{ type: tender.type, name: tender.name, is_exchange: tender.is_exchange, card_brand: tender.card_brand, last_4 },
    ...{ total: amount(total_money.amount), tip: amount(tip_money.amount) },
    ...(tendered_money && { tendered: amount(tendered_money.amount) }),
  };
}

export function paymentsOf({ known, taken, cart }: Paying): Payment[] {
  const waiting = taken.slice(known?.taken ?? 0).map(({ name, amount: paid, tip, tendered }) => ({
    ...{ type: 'OTHER' as const, name, total: add(paid, tip), tip },
    ...(tendered !== undefined && { tendered }),
  }));
  return [...(known?.payments ?? paidBefore(cart)), ...waiting];
}

/** Without an answer of the server: the goods that came back, and what was paid of an open sale before it was taken up here. */
function paidBefore({ returns, paid = ZERO }: Paying['cart']): Payment[] {
  const exchanged = add(ZERO, ...returns.map(({ amount: value, refunded = ZERO }) => subtract(value, refunded)));
  const other = { type: 'OTHER', tip: ZERO } as const;
  return [
    ...(exchanged > ZERO ? [{ ...other, is_exchange: true, total: exchanged }] : []),
    ...(paid > ZERO ? [{ ...other, name: 'Paid before', total: paid }] : []),
  ];
}
