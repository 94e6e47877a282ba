/** Makes payments and moves them on. A processor that answers for certain is asked first, and all is written at once. */
import type { ApplicationContext, MerchantContext } from '../../api/operation.js';
import { notFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { UnderstoodRequest } from '../../base/understood.js';
import { findMadeByKey, releaseKey } from '../idempotency/actions.js';
import { findKey, type IdempotencyKey } from '../idempotency/queries.js';
import { findCall } from './call-queries.js';
import { callKey, cancelWhenResolved, keepsBooks, nextTry, resolveAction, resolveCreate } from './calls.js';
import { captured, reverseOrVoid, voidApproved } from './capture.js';
import { insertPayments } from './create-queries.js';
import {
  PAYMENT_TRANSITIONS,
  type Payment,
  type PendingPayment,
  type ShownPayment,
  UNANSWERED,
  wrongState,
} from './model.js';
import { applyOutcome, chargeOf, ID_LENGTH, refuseSource, requireSource } from './outcomes.js';
import { findPayment, findShownPayment, lockPayment, lockUnresolved } from './queries.js';

export interface NewPayment {
  readonly key: string;
  readonly request: UnderstoodRequest;
  readonly sourceId: string;
  readonly verificationToken: string | undefined;
  readonly acceptPartial: boolean;
  readonly locationId: string;
  readonly amount: Amount;
  readonly tip: Amount | null;
  readonly appFee: Amount | null;
  readonly autocomplete: boolean;
  /** What is known of the card's way before the processor has answered. */
  readonly cardDetails: Payment['cardDetails'];
  readonly details: Payment['details'];
}

export interface Made<Result> {
  readonly made: Result;
  /** The key had made it before. */
  readonly replayed: boolean;
}

/** What an answer says of that (decision 0027). */
export function replayHeaders({ replayed }: Made<unknown>): Readonly<Record<string, string>> {
  return replayed ? { 'idempotency-replayed': 'true' } : {};
}

export async function createPayment(context: ApplicationContext, given: NewPayment): Promise<Made<ShownPayment>> {
  const { merchant, caller, processor } = context;
  const key: IdempotencyKey = { applicationId: caller.applicationId, operation: 'createPayment', key: given.key };
  requireSource(given.sourceId);
  const make = processor.isCertain(merchant) ? makeAtOnce : makeRecorded;
  const made = await make(context, given, key);
  if (made) return { made, replayed: false };
  const known = await replay(context, key, given.request);
  // The key was freed between the two statements: it is ours to use after all.
  return known ?? createPayment(context, given);
}

/** One statement after the answer; undefined where the key is taken. */
async function makeAtOnce(
  context: ApplicationContext,
  given: NewPayment,
  key: IdempotencyKey,
): Promise<ShownPayment | undefined> {
  const { database, merchant, processor, ids, now } = context;
  const pending = toPendingPayment(context, given);
  const outcome = await processor.authorize({
    ...authorization(context, given, pending.id),
    merchant,
    paymentId: pending.id,
    capture: given.autocomplete,
  });
  if (outcome.kind === 'unusable') {
    // A key that made a payment answers with it, even if its source has become unusable since.
    if (await findKey(database.sql, merchant.id, key)) return undefined;
    throw refuseSource(outcome);
  }
  const payment = applyOutcome(pending, outcome, { autocomplete: given.autocomplete, at: now });
  const requestHash = given.request.hash;
  const made = { merchantId: merchant.id, payment, key, requestHash, movement: chargeOf(ids, payment) };
  const printed = await database.gathered(insertPayments, made);
  return printed && { ...payment, ...printed };
}

/** The intent is committed before the processor is asked; undefined where the key is taken. */
async function makeRecorded(
  context: ApplicationContext,
  given: NewPayment,
  key: IdempotencyKey,
): Promise<ShownPayment | undefined> {
  const { database, merchant } = context;
  const payment = toPendingPayment(context, given);
  const { verificationToken, ...rest } = authorization(context, given, payment.id);
  const request = {
    ...rest,
    ...(verificationToken !== undefined && { verificationToken }),
    autocomplete: given.autocomplete,
    callerKey: { ...key, operation: 'createPayment' as const },
  };
  const call = { request, retryAt: nextTry() };
  const requestHash = given.request.hash;
  const noted = await database.gathered(insertPayments, { merchantId: merchant.id, payment, key, requestHash, call });
  return noted ? resolveCreate(context, payment.id) : undefined;
}

function authorization({ merchant }: ApplicationContext, given: NewPayment, paymentId: string) {
  return {
    // Not the caller's key: that may be freed and make another payment (decision 0028).
    key: callKey(merchant.id, paymentId, 'CREATE'),
    sourceId: given.sourceId,
    verificationToken: given.verificationToken,
    amount: add(given.amount, given.tip ?? ZERO),
    // A part of a gift card is no use where a tip or a fee depends on the whole.
    acceptPartial: given.acceptPartial && given.tip === null && given.appFee === null,
  };
}

/** A payment as an application asks for it, before the processor has answered. */
export function toPendingPayment(
  {
    merchant,
    caller,
    ids,
    now,
  }: {
    readonly merchant: Pick<ApplicationContext['merchant'], 'currency'>;
    readonly caller: Pick<ApplicationContext['caller'], 'applicationId'>;
    readonly ids: Ids;
    readonly now: Instant;
  },
  given: Pick<NewPayment, 'locationId' | 'amount' | 'tip' | 'appFee' | 'details'> &
    Partial<Pick<NewPayment, 'cardDetails'>>,
): PendingPayment {
  const id = ids.newId(ID_LENGTH);
  return {
    id,
    saleId: id,
    locationId: given.locationId,
    channel: 'API',
    applicationId: caller.applicationId,
    sourceType: 'CARD',
    createdAt: now,
    updatedAt: now,
    currency: merchant.currency,
    amount: given.amount,
    total: add(given.amount, given.tip ?? ZERO),
    details: given.details,
    ...UNANSWERED,
    tip: given.tip,
    appFee: given.appFee,
    cardDetails: given.cardDetails ?? null,
  };
}

/** What a key has made, as it is now; one that is not known yet is asked for again. */
async function replay(
  context: ApplicationContext,
  key: IdempotencyKey,
  request: UnderstoodRequest,
): Promise<Made<ShownPayment> | undefined> {
  const { database, merchant } = context;
  const comparison = { isSame: (hash: Buffer) => request.isKnownAs(hash), field: 'idempotency_key' };
  const paymentId = await findMadeByKey(database.sql, merchant.id, key, comparison);
  if (paymentId === undefined) return undefined;
  const made = await findShownPayment(database.sql, merchant.id, paymentId);
  return { made: made ?? (await resolveCreate(context, paymentId)), replayed: true };
}

export async function completePayment(context: MerchantContext, paymentId: string): Promise<ShownPayment> {
  const { database, merchant, ids, now, processor } = context;
  const payment = await requirePayment(context, paymentId);
  if (PAYMENT_TRANSITIONS[payment.status].COMPLETE === 'refused') throw wrongState(payment, 'COMPLETE');
  let completed: ShownPayment | undefined;
  if (processor.isCertain(merchant)) {
    await processor.capture({ key: callKey(merchant.id, paymentId, 'COMPLETE'), merchant, paymentId });
    completed = await database.statement((tx) => captured(tx, { merchantId: merchant.id, ids, at: now }, payment));
  } else {
    completed = await resolveAction(context, paymentId, 'COMPLETE');
  }
  if (!completed) throw wrongState(await requirePayment(context, paymentId), 'COMPLETE'); // lost a race
  return completed;
}

export async function cancelPayment(context: MerchantContext, paymentId: string): Promise<ShownPayment> {
  const { database, merchant, now, processor } = context;
  const payment = await requirePayment(context, paymentId);
  if (PAYMENT_TRANSITIONS[payment.status].CANCEL === 'refused') throw wrongState(payment, 'CANCEL');
  let canceled: ShownPayment | undefined;
  if (processor.isCertain(merchant)) {
    await processor.void({ key: callKey(merchant.id, paymentId, 'CANCEL'), merchant, paymentId });
    canceled = await database.statement((tx) => voidApproved(tx, merchant.id, paymentId, now));
  } else {
    canceled = await resolveAction(context, paymentId, 'CANCEL');
  }
  if (!canceled) throw wrongState(await requirePayment(context, paymentId), 'CANCEL'); // lost a race
  return canceled;
}

/** Decision 0028: whatever the key made is cancelled, and the key is free again. */
export async function cancelPaymentByKey(
  { database, processor, ids, merchant, caller, now }: ApplicationContext,
  key: string,
): Promise<void> {
  const full: IdempotencyKey = { applicationId: caller.applicationId, operation: 'createPayment', key };
  await database.transaction(async (tx) => {
    const paymentId = await releaseKey(tx, merchant.id, full);
    if (paymentId === undefined) return;
    if (await lockUnresolved(tx, merchant.id, paymentId)) return cancelWhenResolved(tx, merchant.id, paymentId);
    const payment = await lockPayment(tx, merchant.id, paymentId);
    if (!payment || PAYMENT_TRANSITIONS[payment.status].CANCEL_BY_KEY !== 'CANCELED') return;
    const tell = keepsBooks(processor, merchant.id);
    // It is being completed right now: what comes of that is what has to be cancelled.
    if (tell && (await findCall(tx, merchant.id, paymentId))) {
      return cancelWhenResolved(tx, merchant.id, paymentId);
    }
    await reverseOrVoid(tx, { merchantId: merchant.id, ids, at: now, tell }, payment);
  });
}

/** v2 knows cards only: cash and other tenders are not there for it (decision 0025). */
async function requirePayment({ database, merchant }: MerchantContext, paymentId: string): Promise<Payment> {
  const payment = await findPayment(database.sql, merchant.id, paymentId);
  if (payment?.sourceType !== 'CARD') throw notFound('payment', paymentId);
  return payment;
}
