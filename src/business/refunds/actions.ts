/** Gives money back: reserves it at once, and finishes when the processor has. */
import type { ApplicationContext, AttendantContext } from '../../api/operation.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import { hashAsText, hashSecret } from '../../base/secrets.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { Processor } from '../../processor/contract.js';
import type { Made } from '../payments/actions.js';
import { anyRules, keepsBooks } from '../payments/calls.js';
import { findKey, type IdempotencyKey } from '../payments/key-queries.js';
import type { Payment } from '../payments/model.js';
import { newRefundId, returnOf, reversalOf } from '../payments/outcomes.js';
import { findAppFeeLeft, lockIdlePayment, lockPayment } from '../payments/queries.js';
import { findTenderedSale } from '../payments/tender-queries.js';
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
import { listRefundRecords } from './sale-queries.js';
import { type HeldSale, handOut, holdSale, makeRefunds } from './steps.js';

export interface NewRefund {
  readonly key: string;
  /** The whole request in one form. */
  readonly request: string;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly appFee: Amount | null;
  readonly reason: string | null;
}

/** v2: of one card. Cash and other tenders are not there for it (decision 0025). */
export async function refundPayment(context: ApplicationContext, given: NewRefund): Promise<Made<Refund>> {
  const { database, merchant, caller, now } = context;
  const key: IdempotencyKey = { applicationId: caller.applicationId, operation: 'refundPayment', key: given.key };
  const request = { key, hash: hashSecret(given.request), field: 'idempotency_key' };
  const id = newRefundId(given.paymentId);
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
      at: now,
      now,
      appFee: given.appFee,
      sale: payment.saleId === payment.id ? undefined : await findTenderedSale(tx, merchant.id, payment.saleId),
    });
    return { made: existing(made), replayed: false };
  });
}

interface KeyedRequest {
  readonly key: IdempotencyKey;
  readonly hash: Buffer;
  /** What the caller calls the key. */
  readonly field: string;
}

/** The id of what a key has made; undefined for a new one. */
async function findMade(tx: Tx, merchantId: string, { key, hash, field }: KeyedRequest): Promise<string | undefined> {
  const known = await findKey(tx, merchantId, key);
  if (known && !known.requestHash.equals(hash)) throw new Refusal('IDEMPOTENCY_KEY_REUSED', { field });
  return known?.madeId;
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
  { database, merchant, caller, now }: ApplicationContext,
  given: RefundRequest & { readonly key: string | undefined },
): Promise<SaleRefund> {
  return database.transaction(async (tx) => {
    // Who sends the same key waits here for who holds the sale.
    const held = await holdSale(tx, merchant.id, { ...given, ofWhat: given.type });
    const request = given.key === undefined ? undefined : toKeyed(held, given, caller.applicationId, given.key);
    const known = request && (await findMade(tx, merchant.id, request));
    if (known !== undefined) return requireGivenBack(await listRefundRecords(tx, merchant.id, known));
    const { deviceId, employeeId } = held.sale;
    const by = { merchantId: merchant.id, origin: 'API', at: now, now, deviceId, employeeId } as const;
    const [first] = await refundHeld(tx, held, given, by);
    const { id } = existing(first);
    if (request) await insertRefundKey(tx, merchant.id, request.key, request.hash, id);
    return existing((await listRefundRecords(tx, merchant.id, id))[0]);
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
export type RegisterAct = Pick<AttendantContext, 'merchant' | 'device' | 'attendant' | 'now'> & {
  readonly at: Instant;
};

/** At the register: cash leaves the drawer of the device that gives it back. */
export async function refundSale(
  tx: Tx,
  { merchant, device, attendant, at, now }: RegisterAct,
  given: Omit<RefundRequest, 'locationId'>,
): Promise<Refund[]> {
  const held = await holdSale(tx, merchant.id, {
    ...given,
    locationId: device.locationId,
    ofWhat: given.type,
  });
  const { employeeId } = attendant;
  const by = { merchantId: merchant.id, origin: 'REGISTER', at, now, deviceId: device.id, employeeId } as const;
  return refundHeld(tx, held, given, by);
}

interface RefundedBy {
  readonly merchantId: string;
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
  const { origin, at, now } = by;
  const employeeId = origin === 'REGISTER' ? by.employeeId : null;
  const refunds = await makeRefunds(tx, by.merchantId, parts, { origin, type, reason, employeeId, at, now, sale });
  await handOut(tx, by, refunds);
  return refunds;
}

/** What a register did offline it cannot have done before the sale was made. */
function requireAfter(createdAt: Instant, at: Instant): void {
  if (at >= createdAt) return;
  throw new Refusal('INVALID_VALUE', { field: 'occurred_at', detail: 'occurred_at lies before the sale was made.' });
}

/** Spec 4.2 rule 4: all that is left of every tender, or an amount of one. */
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
 * Goods come back for other goods: their value is gone from the sale they were of, though no money went back (facts 9). By a
 * sale's id it comes out of its tenders in the order of taking.
 */
export async function exchangeGoods(
  tx: Tx,
  { merchant, device, attendant, at, now }: RegisterAct,
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
  return makeRefunds(tx, merchant.id, parts, { origin: 'EXCHANGE', type, reason, employeeId, at, now, sale });
}

/** Due work (decision 0029): the processor has given the money back, or could not. */
export async function finishRefund(
  tx: Tx,
  { processor, merchantId }: { processor: Processor; merchantId: string },
  refundId: string,
  at: Instant,
): Promise<void> {
  const found = await findRefund(tx, merchantId, refundId);
  // The payment first, then the refund: the order in which a new refund locks them.
  const payment = found && (await lockIdlePayment(tx, merchantId, found.paymentId));
  const refund = payment && (await lockRefund(tx, merchantId, refundId));
  if (!payment || refund?.status !== 'PENDING') return;
  const { amount: part, appFee: appFeeShare, breakdown } = refund;
  // What this refund itself had promised is free again.
  const appFeeLeft = add((await findAppFeeLeft(tx, merchantId, payment)) ?? ZERO, appFeeShare ?? ZERO);
  const call = { key: `${merchantId}:${refundId}`, merchant: anyRules(merchantId), paymentId: payment.id };
  if (await processor.refund({ ...call, amount: part })) {
    const back = { part, kind: 'REFUND', refundId, at, appFeeShare, appFeeLeft } as const;
    await moveRefundToCompleted(tx, { merchantId, refund, at, ...returnOf(payment, back) });
    return;
  }
  // Decision 0028: of a payment that was reversed meanwhile, this part goes back with the rest.
  const reversal = payment.status === 'CANCELED' ? reversalOf(payment, { part, at, appFeeLeft, breakdown }) : undefined;
  const told =
    reversal?.movement && keepsBooks(processor, merchantId)
      ? ({ kind: 'GIVE_BACK', subjectId: reversal.movement.id, dueAt: at } as const)
      : undefined;
  await moveRefundToFailed(tx, { merchantId, refund, at, reversal, told });
}
