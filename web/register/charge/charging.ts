/** A sale that is being paid: what is left to pay, and the tenders so far. It survives a reload in the middle of a split. */
import { type Amount, add, amount, negate, subtract, ZERO } from '../../../src/base/money.js';
import { printMilliseconds } from '../../../src/base/time.js';
import { cardName, tenderName } from '../../../src/business/tenders/words.js';
import { createStore } from '../../client/store.js';
import { explainDecline } from '../../ui/decline-words.js';
import { call, register } from '../core/call.js';
import { type Cart, emptyCart, isEmpty } from '../core/cart.js';
import { now } from '../core/clock.js';
import { cart } from '../core/current-cart.js';
import { Elsewhere } from '../core/elsewhere.js';
import { cashRefunded, refundRest } from '../core/exchange.js';
import type { Alongside } from '../core/queue/stored-writes.js';
import {
  charge,
  discard,
  findWriteState,
  type Outcome,
  onAccepted,
  send,
  takeBack,
  takeTender,
  toProblem,
} from '../core/queue.js';
import { cartOfSale, type TenderInput, toSaleBody } from '../core/sale-body.js';
import { createKept } from '../core/storage/kept.js';
import { totalsOf } from '../core/totals.js';
import type { WireSale, WireTender } from '../core/wire.js';
import { announceUntilRead } from '../parts/announce.js';
import { findElsewhere, followCart, parkCart } from '../sell/elsewhere.js';
import { findDecided, isUndecided, mustKnowOutcome, withoutSource } from './card-outcome.js';
import { type KnownPayments, knownOf } from './paid-with.js';
import { partsLeft } from './split.js';
import { findSurplus } from './surplus.js';

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
  /** Whether the tender is in the queue of this device. */
  readonly isQueued: boolean;
  /** The write that contains the tender, if it was put into the queue. Absent in sales of earlier versions. */
  readonly writeId?: string;
}

/**
 * A card whose outcome is unknown: the request was sent, and has no response, so it waits in the queue under its id. Or the server has it,
 * and does not know the outcome either.
 */
interface UnknownCard {
  readonly writeId: string;
  /** Without its source. */
  readonly tender: TenderInput;
  readonly name: string;
  /** Whether it is the first tender. If that is refused, there is no sale yet, only the cart. */
  readonly isFirst: boolean;
}

export interface Charging {
  /** What is sold. */
  readonly cart: Cart;
  /** The server's id of the sale, or the register's own while it waits. Absent until the first tender was sent. */
  readonly saleId?: string;
  /** For changing the sale afterwards. */
  readonly version?: string;
  /** By which the buyer's receipt is found. */
  readonly receiptNumber?: string;
  /** Of the buyer's receipt. */
  readonly receiptUrl?: string;
  /** What the server has said of it. Absent while everything waits in the queue. */
  readonly known?: KnownPayments;
  /** When it was paid, by the clock of this register. The server's time is in `known`. */
  readonly paidAt?: string;
  readonly due: Amount;
  readonly taken: readonly TakenTender[];
  readonly isDone: boolean;
  /** The last part was paid with more cash than it needs. The next part is asked for when the cashier has given the change. */
  readonly givesChange?: true;
  /**
   * While this is set, the sale does not continue: the goods could leave although the card is never charged (decision 0191). Devices store it
   * under this name, so a new name would lose it when a register is updated.
   */
  readonly asked?: UnknownCard;
}

const kept = createKept<Charging | undefined>('charging', undefined);

/** How a sale is split, by the id of its cart. It does not change while the parts are paid. */
interface Split {
  readonly cartId: string;
  /** The total of the cart when it was split. If it changes, the plan is no longer valid. */
  readonly of: number;
  readonly parts: readonly number[];
}

const split = createKept<Split | undefined>('split', undefined);

export const splitting: Pick<typeof split, 'get' | 'subscribe'> = split;

export const charging: Pick<typeof kept, 'get' | 'subscribe'> = kept;

/** What is charged at this moment, when the cart is already gone and the sale does not exist yet. */
export const inFlight = createStore<Charging | undefined>(undefined);

export class Declined extends Error {}

/** What is charged: a sale that is paid in part, or else the cart. */
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

/** Splits what is left. The plan survives a reload. */
export function splitInto(state: Charging, parts: readonly number[]): void {
  const paid = state.taken.map(({ amount: each }) => each);
  split.set({ cartId: state.cart.id, of: totalsOf(state.cart).due, parts: [...paid, ...parts] });
}

/** The parts that are still to be paid; none if the sale is not split. */
export function partsOf({ cart: sold, due }: Charging, plan: Split | undefined): readonly number[] {
  return plan?.cartId === sold.id && plan.of === totalsOf(sold).due ? partsLeft(plan.parts, due) : [];
}

/** Takes one tender. The first one rings the sale up, in one request. Throws `Declined` if a card is declined: the sale stays open. */
export async function take(state: Charging, tender: TenderInput, name: string): Promise<void> {
  inFlight.set(state);
  const before = kept.get();
  const isFirst = before === undefined || before.isDone;
  const mustKnow = mustKnowOutcome(tender);
  const next = (outcome: Outcome<{ readonly sale: WireSale }>): Charging =>
    (outcome.status === 'QUEUED' ? mustKnow : isUndecided(outcome.response.sale))
      ? { ...state, isDone: false, asked: { writeId: outcome.id, tender: withoutSource(tender), name, isFirst } }
      : after(state, tender, name, outcome);
  try {
    // Saved as a queued tender: that is what it is after a reload in the middle of the request.
    const alongside: Alongside = (access, id) => kept.saveIn(access, next({ status: 'QUEUED', id }));
    const outcome = await sendTender(state, tender, alongside).catch(async (error) => {
      await kept.save(before);
      if (isFirst && mustKnow) await takeUpOpened(state.cart);
      return follow(error, state, isFirst);
    });
    if (outcome.status === 'DONE') {
      const surplus = findSurplus({ id: outcome.id, tender }, outcome.response.sale);
      if (surplus?.isAll) return letGo(surplus.line);
      if (surplus) announceUntilRead(surplus.line);
    }
    await kept.save(next(outcome));
    if (outcome.status === 'DONE') throwIfDeclined(outcome.response.sale);
  } finally {
    inFlight.set(undefined);
  }
}

/** After a refusal: if the sale was paid, canceled or changed elsewhere, it is let go, or shown as it is now. Throws in any case. */
async function follow(error: unknown, state: Charging, isFirst: boolean): Promise<never> {
  const { cart: sold, saleId, version } = state;
  if (isFirst) {
    const current = cart.get();
    return followCart(error, current.id === sold.id ? current : sold);
  }
  const found = findElsewhere(error, {
    ...sold,
    ...(saleId !== undefined && { saleId }),
    ...(version !== undefined && { version }),
  });
  if (!found) throw error;
  if (!found.open) return letGo(found.line);
  await kept.save(asItIsNow(found.open));
  throw new Elsewhere(`${found.line} This is how it is now.`, false);
}

function letGo(line: string): never {
  finishCharging();
  throw new Elsewhere(line, true);
}

/** A sale that is paid in part, from the server's response alone. */
function asItIsNow(sale: WireSale): Charging {
  const taken = sale.tenders.filter(isTakenTender).map((tender) => ({
    type: tender.type,
    name: tenderName({ ...tender, last_4: tender.pan_suffix }),
    amount: amount(tender.amount_money.amount),
    tip: amount(tender.tip_money.amount),
    isQueued: false,
  }));
  const due = amount(sale.remaining_money.amount);
  return { cart: { ...cartOfSale(sale), paid: ZERO }, saleId: sale.id, due, taken, isDone: false, ...idsOf(sale) };
}

/** A tender that waited in the queue, and that another register had made needless meanwhile. */
onAccepted(({ id, operation, body }, response) => {
  if (operation !== 'takeTender' || inFlight.get()) return;
  const { type, amount_money: money } = body as unknown as WireTender;
  const tender = { type, ...(money && { amount: amount(money.amount) }) };
  const surplus = findSurplus({ id, tender }, (response as { sale: WireSale }).sale);
  if (surplus) announceUntilRead(surplus.line);
});

/** Continues a sale whose card had no response, if there is one now. Throws like `take` if the card was declined or the sale refused. */
export async function settleUnknownCard(state: Charging): Promise<void> {
  const { asked, ...before } = state;
  if (!asked) return;
  const found = await findWriteState<'ringUpSale' | 'takeTender'>(asked.writeId);
  if (kept.get()?.asked?.writeId !== asked.writeId) return; // another window was faster
  switch (found.status) {
    case 'WAITING':
      return;
    case 'ACCEPTED': {
      const sale = await findDecided(found.response.sale);
      if (!sale || kept.get()?.asked?.writeId !== asked.writeId) return;
      const outcome = { status: 'DONE', id: asked.writeId, response: { sale } } as const;
      await kept.save(after(before, asked.tender, asked.name, outcome));
      await discard(asked.writeId); // a decline is shown here, and not again in the list of refused writes
      return throwIfDeclined(sale);
    }
    case 'REFUSED': {
      const { refused } = found;
      if (refused.canRetry) return; // the server failed without a decision: send it again
      // A cart that was started meanwhile stays. The sale is then in the list of refused writes.
      if (refused.write.cart === undefined || isEmpty(cart.get())) await takeBack(refused);
      await kept.save(asked.isFirst ? undefined : before);
      if (asked.isFirst) await takeUpOpened(before.cart);
      return follow(toProblem(refused.error), before, asked.isFirst);
    }
    case 'GONE':
      return kept.save(asked.isFirst ? undefined : before);
  }
}

/**
 * A remote processor may refuse a token after the server has opened the sale. From then on the cart edits that sale: ringing it up again would
 * be refused, because the id was used.
 */
async function takeUpOpened({ id }: Cart): Promise<void> {
  const current = cart.get();
  if (current.id !== id || current.saleId !== undefined) return;
  const { sales } = await call(register.listOpenSales).catch(() => ({ sales: [] })); // without a network the list of open sales has it later
  const opened = sales.find(({ register_id }) => register_id === id);
  if (opened) await cart.save(cartOfSale(opened));
}

/** The first tender sends the cart. Later ones name the sale by its id. */
async function sendTender(
  state: Charging,
  tender: TenderInput,
  alongside: Alongside,
): Promise<Outcome<{ readonly sale: WireSale }>> {
  const { saleId } = state;
  if (saleId === undefined || cart.get().id === state.cart.id) return charge([tender], { alongside });
  return takeTender(saleId, tender, { left: state.due, alongside });
}

function throwIfDeclined({ tenders, state }: WireSale): void {
  const last = tenders.at(-1);
  if (state === 'COMPLETED' || last?.status !== 'DECLINED') return;
  const [error] = last.errors ?? [];
  throw new Declined(explainDecline(error?.code, error?.detail));
}

/** The state after a tender: from the server's response, or computed here if the tender is only in the queue. */
function after(
  state: Charging,
  tender: TenderInput,
  name: string,
  outcome: Outcome<{ readonly sale: WireSale }>,
): Charging {
  const { amount: given = state.due, tip = ZERO, tendered, type } = tender;
  if (outcome.status === 'QUEUED') {
    const due = subtract(state.due, given);
    const queued = { isQueued: true, writeId: outcome.id };
    const line = { type, name, amount: given, tip, ...queued, ...changeOf(given, tip, tendered) };
    const next = { ...state, saleId: state.saleId ?? state.cart.id, due, taken: [...state.taken, line] };
    return withChange({ ...next, isDone: due <= 0, ...paidNow() });
  }
  const { sale } = outcome.response;
  const last = sale.tenders.at(-1);
  const isTaken = last !== undefined && isTakenTender(last);
  const taken: TakenTender | undefined = isTaken
    ? {
        type,
        name: type === 'CARD' ? nameOf(last, name) : name,
        amount: amount(last.amount_money.amount),
        tip: amount(last.tip_money.amount),
        isQueued: false,
        ...changeOf(amount(last.amount_money.amount), amount(last.tip_money.amount), tendered),
      }
    : undefined;
  const isEdited = sale.state === 'OPEN' && sale.total_money.amount !== totalsOf(state.cart).total;
  const next = {
    ...state,
    ...(isEdited && { cart: { ...cartOfSale(sale), paid: state.cart.paid ?? ZERO } }),
    saleId: sale.id,
    due: amount(sale.remaining_money.amount),
    taken: taken ? [...state.taken, taken] : state.taken,
    isDone: sale.state === 'COMPLETED',
    ...idsOf(sale),
    ...knownOf(sale, state.taken.length + (taken ? 1 : 0)),
    ...paidNow(),
  };
  return taken ? withChange(next) : next;
}

/** After the last part, the screen of the paid sale shows the change. */
function withChange(state: Charging): Charging {
  return !state.isDone && (state.taken.at(-1)?.change ?? ZERO) > ZERO ? { ...state, givesChange: true } : state;
}

/** The cashier has given the change of the last part. */
export function confirmChange({ givesChange: _, ...state }: Charging): void {
  kept.set(state);
}

function isTakenTender({ status }: WireSale['tenders'][number]): boolean {
  return status === 'COMPLETED';
}

function paidNow(): Pick<Charging, 'paidAt'> {
  return { paidAt: printMilliseconds(now()) };
}

/** The token of a reader does not say which card it is. The processor does. */
function nameOf({ card_brand, pan_suffix: last_4 }: WireSale['tenders'][number], name: string): string {
  return card_brand !== undefined ? cardName({ card_brand, last_4 }) : name;
}

function idsOf({
  version,
  receipt_number,
  receipt_url,
}: WireSale): Pick<Charging, 'version' | 'receiptNumber' | 'receiptUrl'> {
  return {
    version,
    ...(receipt_number !== undefined && { receiptNumber: receipt_number }),
    ...(receipt_url !== undefined && { receiptUrl: receipt_url }),
  };
}

function changeOf(given: Amount, tip: Amount, tendered: Amount | undefined): Pick<TakenTender, 'tendered' | 'change'> {
  return tendered === undefined ? {} : { tendered, change: subtract(tendered, add(given, tip)) };
}

/** Called when the receipt was shown, so that the next sale can begin. */
export function finishCharging(): void {
  kept.set(undefined);
  split.set(undefined);
}

/**
 * Completes an exchange: returned goods pay for new ones. If they are worth more, the rest of their value goes back to the tenders of the
 * first sale. It is one write, so all of it happens or nothing.
 */
export async function settleExchange(state: Charging): Promise<void> {
  const { cart: sold } = state;
  if (sold.saleId !== undefined) {
    await parkCart(); // the tenders so far cover the total, so the sale completes when it is saved
    return kept.save({ ...state, isDone: true, ...paidNow() });
  }
  const returns = refundRest(sold.returns, amount(Math.max(0, -state.due)));
  if (sold.lines.length === 0) {
    await refundReturns({ ...sold, returns });
    return kept.save({ ...state, isDone: true, ...paidNow() });
  }
  const cash = negate(cashRefunded(returns));
  const outcome = await send('ringUpSale', toSaleBody({ ...sold, returns }), { cart: sold, cash });
  const done = { ...state, cart: { ...sold, returns }, isDone: true, ...paidNow() };
  if (outcome.status !== 'DONE') return kept.save(done);
  const { sale } = outcome.response;
  await kept.save({ ...done, ...idsOf(sale), ...knownOf(sale, 0) });
}

/** Nothing new is sold: each return is a refund of its own sale, and is removed from the cart with the write. */
async function refundReturns(sold: Cart): Promise<void> {
  let left = sold;
  for (const each of sold.returns) {
    const { paymentId, amount: value, reason, items } = each;
    const rest = { ...left, returns: left.returns.slice(1) };
    const cash = negate(cashRefunded([{ ...each, refunded: value }]));
    const what = items ? { type: 'ITEMS', items } : { type: 'PARTIAL' };
    const body = { payment_id: paymentId, reason, refunded_money: { amount: value }, ...what };
    await send('issueRefund', body, { cash, cart: left, nextCart: rest.returns.length > 0 ? rest : emptyCart() });
    left = rest;
  }
}
