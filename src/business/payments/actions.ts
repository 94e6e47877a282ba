/** Creates, completes and cancels payments. */
import type { ApplicationContext, MerchantContext } from '../../api/operation.js';
import { notFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { add, ZERO } from '../../base/money.js';
import type { NormalizedRequest } from '../../base/normalized-request.js';
import type { Instant } from '../../base/time.js';
import type { CallRequest } from '../../processor/contract.js';
import { findIdByKey, releaseKey } from '../idempotency/actions.js';
import { findKey } from '../idempotency/queries.js';
import type { IdempotencyKey } from '../idempotency/table.js';
import { readCall, readUnresolved } from './call-queries.js';
import { callKey, cancelWhenResolved, hasOwnLedger, nextRetryAt, resolveAction, resolveCreate } from './calls.js';
import { capturePayment, reverseOrVoid, voidApproved } from './capture.js';
import { insertPayments } from './create-queries.js';
import {
  PAYMENT_TRANSITIONS,
  type Payment,
  PENDING_DEFAULTS,
  type PendingPayment,
  requireUndisputed,
  requireVersion,
  wrongState,
} from './model.js';
import { applyOutcome, ID_LENGTH, requireSource, toChargeMovement, toSourceRefusal } from './outcomes.js';
import { findPayment, readPayment } from './queries.js';

export interface NewPayment {
  readonly key: string;
  readonly request: NormalizedRequest;
  readonly sourceId: string;
  readonly verificationToken: string | undefined;
  readonly acceptPartial: boolean;
  readonly autocomplete: boolean;
  readonly requested: RequestedPayment;
}

/** The fields of a payment that the request sets. The card details are those that are known before the processor responds. */
type RequestedPayment = Pick<PendingPayment, 'locationId' | 'amount' | 'details'> & Partial<PendingPayment>;

export interface CreateResult<Result> {
  readonly created: Result;
  /** Whether an earlier request with the same key created it. */
  readonly replayed: boolean;
}

/**
 * Tells the caller that the response is a replay (decision 0027), and whether the record lacks something that the same request wrote: then
 * the data of a buyer was erased (decision 0227).
 */
export function replayHeaders<Result>(
  { created, replayed }: CreateResult<Result>,
  isErased: (created: Result) => boolean,
): Readonly<Record<string, string>> {
  if (!replayed) return {};
  return { 'idempotency-replayed': 'true', ...(isErased(created) && { 'personal-data-erased': 'true' }) };
}

export async function createPayment(context: ApplicationContext, input: NewPayment): Promise<CreateResult<Payment>> {
  const { merchant, caller, processor } = context;
  const key: IdempotencyKey = { applicationId: caller.applicationId, operation: 'createPayment', key: input.key };
  requireSource(input.sourceId);
  const create = processor.isCertain(merchant, merchant.processorId) ? authorizeThenInsert : insertThenAuthorize;
  const created = await create(context, input, key);
  if (created) return { created, replayed: false };
  const known = await replay(context, key, input.request);
  // The key was released between the two statements, so this request can use it after all.
  return known ?? createPayment(context, input);
}

/** For a processor whose response cannot be lost: one statement writes everything. Returns undefined if the key is taken. */
async function authorizeThenInsert(
  context: ApplicationContext,
  input: NewPayment,
  key: IdempotencyKey,
): Promise<Payment | undefined> {
  const { database, merchant, processor, ids, now } = context;
  const pending = toPendingPayment(context, input.requested);
  context.trail.paymentId = pending.id;
  const outcome = await processor.authorize({
    merchant,
    ...authorization(context, input, pending),
    paymentId: pending.id,
    processorId: pending.processorId,
    currency: pending.currency,
    capture: input.autocomplete,
  });
  if (outcome.kind === 'unusable') {
    // A key that has created a payment still returns it, even if the source is no longer usable.
    if (await findKey(database.sql, merchant.id, key)) return undefined;
    throw toSourceRefusal(outcome);
  }
  const payment = applyOutcome(pending, outcome, { autocomplete: input.autocomplete, at: now });
  const requestHash = input.request.hash;
  const created = { merchantId: merchant.id, payment, key, requestHash, movement: toChargeMovement(ids, payment) };
  const inserted = await database.batched(insertPayments, created);
  return inserted && payment;
}

/** For a remote processor: commits the intent before the call. Returns undefined if the key is taken. */
async function insertThenAuthorize(
  context: ApplicationContext,
  input: NewPayment,
  key: IdempotencyKey,
): Promise<Payment | undefined> {
  const { database, merchant } = context;
  const payment = toPendingPayment(context, input.requested);
  const { verificationToken, ...rest } = authorization(context, input, payment);
  const request = {
    ...rest,
    ...(verificationToken !== undefined && { verificationToken }),
    autocomplete: input.autocomplete,
    callerKey: { ...key, operation: 'createPayment' as const },
  };
  const call = { request, retryAt: nextRetryAt() };
  const requestHash = input.request.hash;
  const recorded = await database.batched(insertPayments, { merchantId: merchant.id, payment, key, requestHash, call });
  return recorded ? resolveCreate(context, payment.id) : undefined;
}

function authorization(
  { merchant }: ApplicationContext,
  input: NewPayment,
  { id, total, tip, appFee }: PendingPayment,
) {
  return {
    // Not the caller's key, which can be released and then create another payment (decision 0028).
    key: callKey(merchant.id, id, 'CREATE'),
    sourceId: input.sourceId,
    verificationToken: input.verificationToken,
    amount: total,
    // A tip or an application fee depends on the whole amount, so a partial authorization is of no use.
    acceptPartial: input.acceptPartial && tip === null && appFee === null,
  };
}

/** The payment that an application requests, before the processor responds. */
export function toPendingPayment(
  {
    merchant,
    caller,
    ids,
    now,
  }: {
    readonly merchant: Pick<ApplicationContext['merchant'], 'currency' | 'processorId'>;
    readonly caller: Pick<ApplicationContext['caller'], 'applicationId'>;
    readonly ids: Ids;
    readonly now: Instant;
  },
  requested: RequestedPayment,
): PendingPayment {
  const id = ids.newId(ID_LENGTH);
  return {
    id,
    saleId: id,
    channel: 'API',
    applicationId: caller.applicationId,
    sourceType: 'CARD',
    createdAt: now,
    updatedAt: now,
    currency: merchant.currency,
    total: add(requested.amount, requested.tip ?? ZERO),
    ...PENDING_DEFAULTS,
    ...requested,
    processorId: merchant.processorId,
  };
}

/** Returns the payment that the key created, in its current state. If its outcome is unknown, asks the processor again. */
async function replay(
  context: ApplicationContext,
  key: IdempotencyKey,
  request: NormalizedRequest,
): Promise<CreateResult<Payment> | undefined> {
  const { database, merchant } = context;
  const keyed = { key, hash: request.hash, field: 'idempotency_key' };
  const paymentId = await findIdByKey(database.sql, merchant.id, keyed);
  if (paymentId === undefined) return undefined;
  context.trail.paymentId = paymentId;
  const created = await findPayment(database.sql, merchant.id, paymentId);
  return { created: created ?? (await resolveCreate(context, paymentId)), replayed: true };
}

/** With a version token, only the payment as the caller has seen it. */
export async function completePayment(
  context: MerchantContext,
  paymentId: string,
  versionToken?: string,
): Promise<Payment> {
  const { database, merchant, ids, now, processor } = context;
  const completed = await database.change(merchant.id, async (change) => {
    const payment = requireAllowed(await readPayment(change, paymentId), paymentId, 'COMPLETE');
    if (versionToken !== undefined) requireVersion(payment, versionToken, 'version_token');
    if (!processor.isCertain(merchant, payment.processorId)) return { open: payment };
    const outcome = await processor.capture(toRequest(context, payment, 'COMPLETE'));
    if (outcome.kind === 'refused') throw new Error('a processor of this process must not refuse a capture');
    return { done: capturePayment(change, { ids, at: now }, payment, outcome) };
  });
  return 'done' in completed ? completed.done : callForAction(context, completed.open, 'COMPLETE');
}

export async function cancelPayment(context: MerchantContext, paymentId: string): Promise<Payment> {
  const { database, merchant, now, processor } = context;
  const canceled = await database.change(merchant.id, async (change) => {
    const payment = requireAllowed(await readPayment(change, paymentId), paymentId, 'CANCEL');
    if (!processor.isCertain(merchant, payment.processorId)) return { open: payment };
    await processor.void(toRequest(context, payment, 'CANCEL'));
    return { done: voidApproved(change, payment, now) };
  });
  return 'done' in canceled ? canceled.done : callForAction(context, canceled.open, 'CANCEL');
}

type Action = 'COMPLETE' | 'CANCEL';

function toRequest({ merchant }: MerchantContext, { id, processorId }: Payment, action: Action): CallRequest {
  return { key: callKey(merchant.id, id, action), merchant, paymentId: id, processorId };
}

/** For a remote processor: records the intent before the call, and the outcome after it. */
async function callForAction(context: MerchantContext, payment: Payment, action: Action): Promise<Payment> {
  const changed = await resolveAction(context, payment, action);
  if (changed) return changed;
  const found = await findPayment(context.database.sql, context.merchant.id, payment.id);
  throw wrongState(requireAllowed(found, payment.id, action), action); // another request was first
}

/** v2 shows card payments only. For cash and other tenders it responds "not found" (decision 0025). */
function requireAllowed(payment: Payment | undefined, paymentId: string, action: Action): Payment {
  if (payment?.sourceType !== 'CARD') throw notFound('payment', paymentId);
  if (PAYMENT_TRANSITIONS[payment.status][action] === 'refused') throw wrongState(payment, action);
  return payment;
}

/** Cancels the payment that the key created, and releases the key (decision 0028). */
export async function cancelPaymentByKey(
  { database, processor, ids, merchant, caller, now }: ApplicationContext,
  key: string,
): Promise<void> {
  const full: IdempotencyKey = { applicationId: caller.applicationId, operation: 'createPayment', key };
  await database.change(merchant.id, async (change) => {
    const paymentId = await releaseKey(change, full);
    if (paymentId === undefined) return;
    if (await readUnresolved(change, paymentId)) return await cancelWhenResolved(change, paymentId);
    const payment = await readPayment(change, paymentId);
    if (!payment || PAYMENT_TRANSITIONS[payment.status].CANCEL_BY_KEY !== 'CANCELED') return;
    const notifyProcessor = hasOwnLedger(processor, merchant.id, payment);
    // A call that completes the payment is in flight: cancel the payment after its outcome is recorded.
    if (notifyProcessor && (await readCall(change, paymentId))) return await cancelWhenResolved(change, paymentId);
    requireUndisputed(payment);
    await reverseOrVoid(change, { ids, at: now, notifyProcessor }, payment);
  });
}
