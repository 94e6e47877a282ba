/** Where the money of a refund goes back to if returned goods paid for the refunded sale (decision 0226). */
import { Refusal } from '../../base/errors.js';
import { type Amount, add, amount, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { type DisputablePayment, refundable, requireUndisputed } from '../payments/model.js';
import { markLateDay } from '../reports/actions.js';
import { reserveSale } from '../sales/actions.js';
import { type Exchange, readExchanges } from './exchange-queries.js';
import {
  oneYearWindow,
  type Payer,
  type Refund,
  type RefundAttempt,
  requireExchangeable,
  requireRefundable,
  type TenderPart,
} from './model.js';
import { moveExchangesToFailed } from './moves.js';
import { readTenders } from './tender-queries.js';

/** By the id of the tender that they paid. */
type Sources = ReadonlyMap<string, readonly Exchange[]>;

/**
 * Finds the payments that give the money back, and checks all of them. The change depends on them. What pays for other goods moves no
 * money, so only the rules of exchanges apply to it. `returned` is what the same change has refunded before.
 */
export async function requireRefundableParts(
  change: Change,
  parts: readonly TenderPart[],
  attempt: RefundAttempt,
  returned: readonly Refund[] = [],
): Promise<readonly TenderPart[]> {
  for (const { payment, part, origin } of parts) {
    if (origin === 'EXCHANGE') requireExchangeable(payment, part, attempt.field);
    else requireRefundable(payment, part, attempt);
  }
  for (const { payer } of await findPayers(
    change,
    parts.filter(isGoods).map(({ origin: _, ...part }) => part),
    returned,
  )) {
    if (payer) requireUndisputed(payer.payment);
  }
  const found = await findPayers(change, parts, returned);
  for (const { payer, part } of found) {
    if (payer) requireRefundable(payer.payment, part, { ...attempt, window: oneYearWindow(payer.payment.createdAt) });
  }
  return found;
}

function isGoods({ origin }: TenderPart): boolean {
  return origin === 'EXCHANGE';
}

/** The same without the checks. */
export async function findPayers(
  change: Change,
  parts: readonly TenderPart[],
  returned: readonly Refund[] = [],
): Promise<readonly TenderPart[]> {
  const isThrough = (each: TenderPart): boolean => each.payment.isExchange && !isGoods(each);
  const through = parts.filter(isThrough);
  if (through.length === 0) return parts;
  const sources = await readExchanges(
    change,
    through.map(({ payment }) => payment),
  );
  const taken = takenBy(returned);
  return parts.flatMap((each) => (isThrough(each) ? divide(each, sources, taken) : each));
}

/** What refunds take through each exchange. */
function takenBy(refunds: readonly Refund[]): Map<string, Amount> {
  const taken = new Map<string, Amount>();
  for (const { exchangeIds, amount: part } of refunds) {
    for (const id of exchangeIds ?? []) taken.set(id, add(taken.get(id) ?? ZERO, part));
  }
  return taken;
}

/** One part for each payment that gives money back. `taken` is what this refund takes through each exchange. */
function divide(whole: TenderPart, sources: Sources, taken: Map<string, Amount>): TenderPart[] {
  let { payment } = whole;
  const ways = findWays(payment, whole.part, sources, taken);
  const found = add(...ways.map(({ part }) => part));
  if (found < whole.part) {
    throw new Refusal('PAYMENT_NOT_REFUNDABLE', {
      field: 'payment_id',
      detail: `Returned goods paid for this sale. Of what was paid for them, ${found} can still go back.`,
    });
  }
  return ways.map(({ payer, exchangeIds, part }) => {
    const before = payment;
    payment = { ...payment, refunded: add(payment.refunded, part) };
    return { ...whole, payment: before, part, payer: { payment: payer, exchangeIds } };
  });
}

interface Way {
  readonly payer: DisputablePayment;
  readonly exchangeIds: readonly string[];
  readonly part: Amount;
}

/** Takes an amount from the exchanges that paid a tender, in their order. */
function findWays(tender: DisputablePayment, wanted: Amount, sources: Sources, taken: Map<string, Amount>): Way[] {
  const ways: Way[] = [];
  let missing = wanted;
  for (const { id, payment, left } of sources.get(tender.id) ?? []) {
    const before = taken.get(id) ?? ZERO;
    const part = amount(Math.min(missing, subtract(left, before)));
    if (part <= ZERO) continue;
    const further = payment.isExchange
      ? findWays(payment, part, sources, taken)
      : [{ payer: toPayer(payment, part), exchangeIds: [], part }];
    const found = add(...further.map((way) => way.part));
    taken.set(id, add(before, found));
    missing = subtract(missing, found);
    ways.push(...further.map((way) => ({ ...way, exchangeIds: [id, ...way.exchangeIds] })));
  }
  return ways;
}

/** What a payment has exchanged cannot be refunded, except for what goes back now. */
function toPayer(payment: DisputablePayment, part: Amount): DisputablePayment {
  return { ...payment, exchanged: subtract(payment.exchanged, part) };
}

/** Where the money of tenders that returned goods pay would go back to, by the id of the tender. */
export async function listPayers(
  change: Change,
  tenderIds: readonly string[],
): Promise<ReadonlyMap<string, PayerPart[]>> {
  const tenders = (await readTenders(change, tenderIds)).filter((tender) => refundable(tender) > ZERO);
  const sources = await readExchanges(change, tenders);
  return new Map(
    tenders.map((tender) => [
      tender.id,
      findWays(tender, refundable(tender), sources, new Map()).map(({ payer, part }) => ({ ...payer, part })),
    ]),
  );
}

export type PayerPart = Payer & { readonly part: Amount };

/** A sale that returned goods pay is canceled: they are not exchanged any more, and their sale can be refunded again. */
export async function undoExchanges(
  change: Change,
  { tender, at, now }: { readonly tender: DisputablePayment; readonly at: Instant; readonly now: Instant },
): Promise<void> {
  if (!tender.isExchange || tender.registerTenderId === null) return;
  const exchanges = (await readExchanges(change, [tender])).get(tender.id) ?? [];
  for (const { payment, exchangedAt } of exchanges) {
    markLateDay(change, { locationId: payment.locationId, at: exchangedAt, now });
    // What was returned by item can be returned again.
    reserveSale(change, payment.saleId);
  }
  await moveExchangesToFailed(change, { leaderId: tender.registerTenderId, at });
}
