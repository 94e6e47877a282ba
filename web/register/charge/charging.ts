/** A sale that is being paid: what is left, and what was taken so far. It survives a reload in the middle of a split. */
import { type Amount, add, amount, subtract, ZERO } from '../../../src/base/money.js';
import { createStore } from '../../client/store.js';
import type { Cart } from '../core/cart.js';
import { cart, clearCart } from '../core/current-cart.js';
import { charge, type Outcome, send, takeTender } from '../core/queue.js';
import { type TenderInput, toSaleBody } from '../core/sale-body.js';
import { createKept } from '../core/storage/kept.js';
import { totalsOf } from '../core/totals.js';
import type { WireSale } from '../core/wire.js';
import { explainDecline } from './decline-words.js';

/** One tender that was taken, for the screen and the receipt. */
export interface TakenTender {
  readonly type: TenderInput['type'];
  /** `Visa 1111`, `Cash`. */
  readonly name: string;
  /** Without the tip. */
  readonly amount: Amount;
  readonly tip: Amount;
  readonly tendered?: Amount;
  readonly change?: Amount;
  /** It waits on this device. */
  readonly isQueued: boolean;
}

export interface Charging {
  /** What is sold. */
  readonly cart: Cart;
  /** The server's id of the sale, or the register's own while it waits. Absent until the first tender was sent. */
  readonly saleId?: string;
  /** For changing the sale afterwards. */
  readonly version?: string;
  readonly paymentId?: string;
  readonly due: Amount;
  readonly taken: readonly TakenTender[];
  readonly isDone: boolean;
}

const kept = createKept<Charging | undefined>('charging', undefined);

export const charging: Pick<typeof kept, 'get' | 'subscribe'> = kept;

/** What is charged at this moment: the cart is gone already, and the sale is not there yet. */
export const inFlight = createStore<Charging | undefined>(undefined);

export class Declined extends Error {}

/** What is charged: a sale in the middle of its payment, or else the cart. */
export function startCharging(): Charging {
  const before = kept.get();
  if (before && !before.isDone) return before;
  const current = cart.get();
  const { saleId } = current;
  return {
    cart: current,
    due: totalsOf(current).due,
    taken: [],
    isDone: false,
    ...(saleId !== undefined && { saleId }),
  };
}

/**
 * Takes one tender. The first one rings the sale up, in one request. Returns what is left. Throws `Declined` if a card is declined: the
 * sale stays open.
 */
export async function take(state: Charging, tender: TenderInput, name: string): Promise<Charging> {
  inFlight.set(state);
  try {
    const outcome = await sendTender(state, tender);
    const next = after(state, tender, name, outcome);
    await kept.save(next);
    const declined = outcome.status === 'DONE' ? declineOf(outcome.response.sale) : undefined;
    if (declined !== undefined) throw new Declined(declined);
    return next;
  } finally {
    inFlight.set(undefined);
  }
}

/** The first one takes the cart. Afterwards the sale is known by its id. */
async function sendTender(state: Charging, tender: TenderInput): Promise<Outcome<{ readonly sale: WireSale }>> {
  const { saleId } = state;
  if (saleId === undefined || cart.get().id === state.cart.id) return charge([tender]);
  return takeTender(saleId, tender);
}

function declineOf({ tenders, state }: WireSale): string | undefined {
  const last = tenders.at(-1);
  if (state === 'COMPLETED' || last?.status !== 'DECLINED') return undefined;
  const [error] = last.errors ?? [];
  return explainDecline(error?.code, error?.detail);
}

/** What the server says, or what can be computed here while it is not asked. */
function after(
  state: Charging,
  tender: TenderInput,
  name: string,
  outcome: Outcome<{ readonly sale: WireSale }>,
): Charging {
  const { amount: given = state.due, tip = ZERO, tendered, type } = tender;
  if (outcome.status === 'QUEUED') {
    const due = subtract(state.due, given);
    const line = { type, name, amount: given, tip, isQueued: true, ...changeOf(given, tip, tendered) };
    return { ...state, saleId: state.saleId ?? state.cart.id, due, taken: [...state.taken, line], isDone: due <= 0 };
  }
  const { sale } = outcome.response;
  const last = sale.tenders.at(-1);
  const isTaken = last !== undefined && (last.status === 'COMPLETED' || last.status === 'PENDING');
  const taken: TakenTender | undefined = isTaken
    ? {
        type,
        name,
        amount: amount(last.amount_money.amount),
        tip: amount(last.tip_money.amount),
        isQueued: false,
        ...changeOf(amount(last.amount_money.amount), amount(last.tip_money.amount), tendered),
      }
    : undefined;
  return {
    ...state,
    saleId: sale.id,
    due: amount(sale.remaining_money.amount),
    taken: taken ? [...state.taken, taken] : state.taken,
    isDone: sale.state === 'COMPLETED',
    ...(sale.version !== undefined && { version: sale.version }),
    ...(sale.payment_id !== undefined && { paymentId: sale.payment_id }),
  };
}

function changeOf(given: Amount, tip: Amount, tendered: Amount | undefined): Pick<TakenTender, 'tendered' | 'change'> {
  return tendered === undefined ? {} : { tendered, change: subtract(tendered, add(given, tip)) };
}

/** The receipt was shown: the next sale can begin. */
export function finishCharging(): void {
  kept.set(undefined);
}

/**
 * Goods pay for goods. If what comes back is worth more, the exchange takes only what the new goods cost, and the rest is refunded to the
 * tenders of the first sale.
 */
export async function settleExchange(state: Charging): Promise<void> {
  const { cart: sold } = state;
  const rests: { readonly paymentId: string; readonly amount: Amount; readonly reason: string }[] = [];
  let over = amount(-state.due);
  const returns = sold.returns.map((each) => {
    const rest = amount(Math.min(over, each.amount));
    over = subtract(over, rest);
    if (rest > 0) rests.push({ paymentId: each.paymentId, amount: rest, reason: each.reason });
    return { ...each, amount: subtract(each.amount, rest) };
  });
  const exchanged = { ...sold, returns: returns.filter((each) => each.amount > 0) };
  if (sold.lines.length > 0) await send('ringUpSale', toSaleBody(exchanged), { cart: sold });
  else clearCart();
  for (const { paymentId, amount: rest, reason } of rests) {
    const refunded_money = { amount: rest };
    await send('issueRefund', { payment_id: paymentId, type: 'PARTIAL', reason, refunded_money });
  }
  await kept.save({ ...state, cart: sold, isDone: true });
}
