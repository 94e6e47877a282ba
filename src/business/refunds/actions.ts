/** Gives money back: reserves it at once, and finishes when the processor has. */
import type { ApplicationContext, AttendantContext } from '../../api/operation.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import { hashAsText, hashSecret } from '../../base/secrets.js';
import type { Instant } from '../../base/time.js';
import type { UnderstoodRequest } from '../../base/understood.js';
import type { Tx } from '../../database/database.js';
import { findMadeByKey } from '../idempotency/actions.js';
import type { IdempotencyKey } from '../idempotency/queries.js';
import type { Made } from '../payments/actions.js';
import { type Asking, anyRules, keepsBooks, type Recording } from '../payments/calls.js';
import type { Payment } from '../payments/model.js';
import { newRefundId, returnOf, reversalOf } from '../payments/outcomes.js';
import { findAppFeeLeft, lockPayment } from '../payments/queries.js';
import {
  allThatIsLeft,
  meaningOf,
  type Refund,
  type RefundType,
  requireAppFeeShare,
  requireExchangeable,
  requireGivenBack,
  requirePart,
  requireRefundable,
  type SaleRefund,
  sixtyDaysAfter,
  type TenderPart,
  takeFrom,
  yearAfter,
} from './model.js';
import { findRefund, insertRefundKey, lockRefund, moveRefundToCompleted, moveRefundToFailed } from './queries.js';
import { type HeldSale, handOut, holdSale, makeRefunds } from './refund-tenders.js';
import { listRefundRecords } from './sale-refund-queries.js';
import { findTenderedSale } from './tender-queries.js';

export interface NewRefund {
  readonly key: string;
  readonly request: UnderstoodRequest;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly appFee: Amount | null;
  readonly reason: string | null;
}

/** v2: of one card. Cash and other tenders are not there for it (decision 0025). */
export async function refundPayment(context: ApplicationContext, given: NewRefund): Promise<Made<Refund>> {
  const { database, merchant, caller, ids, now } = context;
  const key: IdempotencyKey = { applicationId: caller.applicationId, operation: 'refundPayment', key: given.key };
  const request = { key, hash: given.request.hash, field: 'idempotency_key', understood: given.request };
  const id = newRefundId(ids, given.paymentId);
  return database.transaction(async (tx) => {
    // Refusals below roll the key back, so a refused request can be mended and sent again.
    if (!(await insertRefundKey(tx, merchant.id, key, request.hash, id))) {
      const known = existing(await findMade(tx, merchant.id, request));
      return { made: existing(await findRefund(tx, merchant.id, known)), replayed: true };
    }
    const payment = await lockPayment(tx, merchant.id, given.paymentId);
    if (payment?.sourceType !== 'CARD') throw notFound('payment', given.paymentId, 'payment_id');
    const window = yearAfter(payment.createdAt);
    requireRefundable(payment, given.amount, { now, window, field: 'amount_money.amount' });
    if (given.appFee !== null) {
      const left = await findAppFeeLeft(tx, merchant.id, payment);
      requireAppFeeShare(given.appFee, { amount: given.amount, left });
    }
    const [made] = await makeRefunds(tx, merchant.id, [{ payment, part: given.amount }], {
      id,
      origin: 'API',
      type: given.amount === payment.total ? 'FULL' : 'PARTIAL',
      reason: given.reason,
      employeeId: null,
      ids,
      at: now,
      now,
      appFee: given.appFee,
      sale: payment.channel === 'API' ? undefined : await findTenderedSale(tx, merchant.id, payment.saleId),
    });
    return { made: existing(made), replayed: false };
  });
}

interface KeyedRequest {
  readonly key: IdempotencyKey;
  readonly hash: Buffer;
  /** What the caller calls the key. */
  readonly field: string;
  readonly understood?: UnderstoodRequest;
}

/** The id of what a key has made; undefined for a new one. */
async function findMade(
  tx: Tx,
  merchantId: string,
  { key, hash, field, understood }: KeyedRequest,
): Promise<string | undefined> {
  const isSame = (known: Buffer) => understood?.isKnownAs(known) ?? known.equals(hash);
  return findMadeByKey(tx, merchantId, key, { isSame, field });
}

/** What was just made, or what a key names. */
function existing<Found>(found: Found | undefined): Found {
  return requireFound(found, 'a refund that was made');
}

/** All that is left of a sale or of a tender, or an amount of it: what v1 and the register ask for. */
export interface RefundRequest {
  /** The sale's or a tender's. */
  readonly paymentId: string;
  readonly locationId: string;
  readonly type: RefundType;
  /** Of a PARTIAL one. */
  readonly amount: Amount | undefined;
  readonly reason: string;
}

/** v1. A key belongs to the sale, however that is named (decision 0027). */
export async function createRefund(
  { database, merchant, caller, ids, now }: ApplicationContext,
  given: RefundRequest & { readonly key: string | undefined },
): Promise<Made<SaleRefund>> {
  return database.transaction(async (tx) => {
    // Who sends the same key waits here for who holds the sale.
    const held = await holdSale(tx, merchant.id, { ...given, ofWhat: given.type });
    const request = given.key === undefined ? undefined : toKeyed(held, given, caller.applicationId, given.key);
    const known = request && (await findMade(tx, merchant.id, request));
    if (known !== undefined) {
      return { made: requireGivenBack(await listRefundRecords(tx, merchant.id, known)), replayed: true };
    }
    const { deviceId, employeeId } = held.sale;
    const by = { merchantId: merchant.id, ids, origin: 'API', at: now, now, deviceId, employeeId } as const;
    const [first] = await refundHeld(tx, held, given, by);
    const { id } = existing(first);
    if (request) await insertRefundKey(tx, merchant.id, request.key, request.hash, id);
    return { made: existing((await listRefundRecords(tx, merchant.id, id))[0]), replayed: false };
  });
}

/** A key may be long, so it is kept as its hash; what is compared is what the request means. */
function toKeyed({ sale, tenders }: HeldSale, given: RefundRequest, applicationId: string, key: string): KeyedRequest {
  const isWhole = tenders.length === sale.tenders.length;
  return {
    key: { applicationId, operation: 'createRefund', key: `${sale.id}:${hashAsText(key)}` },
    hash: hashSecret(meaningOf(tenders, { ...given, isWhole })),
    field: 'request_idempotence_key',
  };
}

/** A register, with who is signed in at it; `at` is when it happened, and `now` when we hear of it. */
export type RegisterAct = Pick<AttendantContext, 'merchant' | 'ids' | 'device' | 'attendant' | 'now'> & {
  readonly at: Instant;
};

/** At the register: cash leaves the drawer of the device that gives it back. */
export async function refundSale(
  tx: Tx,
  { merchant, ids, device, attendant, at, now }: RegisterAct,
  given: Omit<RefundRequest, 'locationId'>,
): Promise<Refund[]> {
  const held = await holdSale(tx, merchant.id, {
    ...given,
    locationId: device.locationId,
    ofWhat: given.type,
  });
  const { employeeId } = attendant;
  const by = { merchantId: merchant.id, ids, origin: 'REGISTER', at, now, deviceId: device.id, employeeId } as const;
  return refundHeld(tx, held, given, by);
}

interface RefundedBy {
  readonly merchantId: string;
  readonly ids: Ids;
  readonly origin: 'API' | 'REGISTER';
  readonly at: Instant;
  readonly now: Instant;
  /** Whose drawer the cash leaves, and by whom. */
  readonly deviceId: string | null;
  readonly employeeId: string | null;
}

async function refundHeld(
  tx: Tx,
  { sale, tenders }: HeldSale,
  given: Pick<RefundRequest, 'paymentId' | 'type' | 'amount' | 'reason'>,
  by: RefundedBy,
): Promise<Refund[]> {
  requireAfter(sale.createdAt, by.at);
  const parts = toParts(tenders, given);
  const attempt = { now: by.at, window: sixtyDaysAfter(sale.createdAt), field: 'refunded_money' };
  for (const { payment, part } of parts) requireRefundable(payment, part, attempt);
  const { type, reason } = given;
  const { origin, ids, at, now } = by;
  const employeeId = origin === 'REGISTER' ? by.employeeId : null;
  const refunds = await makeRefunds(tx, by.merchantId, parts, { origin, type, reason, employeeId, ids, at, now, sale });
  await handOut(tx, by, refunds);
  return refunds;
}

/** What a register did offline it cannot have done before the sale was made. */
function requireAfter(createdAt: Instant, at: Instant): void {
  if (at >= createdAt) return;
  throw new Refusal('INVALID_VALUE', { field: 'occurred_at', detail: 'occurred_at lies before the sale was made.' });
}

/** Contract 4.2 rule 4: all that is left of every tender, or an amount of one. */
function toParts(
  tenders: readonly Payment[],
  { paymentId, type, amount }: Pick<RefundRequest, 'paymentId' | 'type' | 'amount'>,
): TenderPart[] {
  if (type === 'PARTIAL') return [requirePart(tenders, { paymentId, amount })];
  const parts = allThatIsLeft(tenders);
  if (parts.length > 0) return parts;
  throw new Refusal('PAYMENT_NOT_REFUNDABLE', {
    field: 'payment_id',
    detail: `Nothing is left of payment ${paymentId}: it was refunded already.`,
  });
}

/**
 * Goods come back for other goods: their value is gone from the sale they were of, though no money went back (contract 19). By a
 * sale's id it comes out of its tenders in the order of taking.
 */
export async function exchangeGoods(
  tx: Tx,
  { merchant, ids, device, attendant, at, now }: RegisterAct,
  { paymentId, amount, reason }: { readonly paymentId: string; readonly amount: Amount; readonly reason: string },
): Promise<Refund[]> {
  const { sale, tenders } = await holdSale(tx, merchant.id, {
    paymentId,
    locationId: device.locationId,
    ofWhat: 'GOODS',
  });
  requireAfter(sale.createdAt, at);
  const parts = takeFrom(tenders, amount);
  for (const { payment, part } of parts) requireExchangeable(payment, part, 'amount_money');
  const isFull = amount === add(...tenders.map(({ total }) => total));
  const type = isFull ? 'FULL' : 'PARTIAL';
  const { employeeId } = attendant;
  return makeRefunds(tx, merchant.id, parts, { origin: 'EXCHANGE', type, reason, employeeId, ids, at, now, sale });
}

/** Due work (decision 0029): the processor is asked to give the money back. */
export async function finishRefund(
  { database, processor, ids, merchantId }: Asking,
  refundId: string,
  at: Instant,
): Promise<Recording> {
  const refund = await findRefund(database.sql, merchantId, refundId);
  if (refund?.status !== 'PENDING') return undefined;
  const call = { key: `${merchantId}:${refundId}`, merchant: anyRules(merchantId), paymentId: refund.paymentId };
  const isSecured = await processor.refund({ ...call, amount: refund.amount });
  const tell = keepsBooks(processor, merchantId);
  return (tx) => recordAnswer(tx, { merchantId, ids, refund, at }, { isSecured, tell });
}

/** The money has gone back, or could not. What else happened to the payment meanwhile is seen under its lock. */
async function recordAnswer(
  tx: Tx,
  {
    merchantId,
    ids,
    refund: asked,
    at,
  }: { readonly merchantId: string; readonly ids: Ids; readonly refund: Refund; readonly at: Instant },
  { isSecured, tell }: { readonly isSecured: boolean; readonly tell: boolean },
): Promise<void> {
  // The payment first, then the refund: the order in which a new refund locks them.
  const payment = requireFound(await lockPayment(tx, merchantId, asked.paymentId), 'the payment of a refund');
  const refund = await lockRefund(tx, merchantId, asked.id);
  if (refund?.status !== 'PENDING') return; // recorded by another
  const { amount: part, appFee: appFeeShare, breakdown } = refund;
  // What this refund itself had promised is free again.
  const appFeeLeft = add((await findAppFeeLeft(tx, merchantId, payment)) ?? ZERO, appFeeShare ?? ZERO);
  if (isSecured) {
    const back = { part, kind: 'REFUND', refundId: refund.id, at, appFeeShare, appFeeLeft } as const;
    await moveRefundToCompleted(tx, { merchantId, refund, at, ...returnOf(ids, payment, back) });
    return;
  }
  // Decision 0028: of a payment that was reversed meanwhile, this part goes back with the rest.
  const reversal =
    payment.status === 'CANCELED' ? reversalOf(ids, payment, { part, at, appFeeLeft, breakdown }) : undefined;
  const told =
    reversal?.movement && tell
      ? ({ kind: 'GIVE_BACK', subjectId: reversal.movement.id, dueAt: at } as const)
      : undefined;
  await moveRefundToFailed(tx, { merchantId, refund, at, reversal, told });
}
