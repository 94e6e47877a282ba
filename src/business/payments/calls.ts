/** Calls remote processors: record the intent, call, record the outcome. After a crash in between, a retry finishes the call. */
import { nowOn, realNow } from '../../base/clock.js';
import { Refusal, requireFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { negate } from '../../base/money.js';
import type { RequestTrail } from '../../base/request-trail.js';
import { type Instant, instant, latest, SECOND_MS } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { Database } from '../../database/database.js';
import {
  type CallRequest,
  type CaptureOutcome,
  type Processor,
  type ProcessorMerchant,
  ProcessorUnavailable,
} from '../../processor/contract.js';
import { forgetReference } from '../../processor/references.js';
import { addWork } from '../due-work/actions.js';
import { forgetKey } from '../idempotency/actions.js';
import type { IdempotencyKey } from '../idempotency/table.js';
import { findClock } from '../merchants/queries.js';
import { recordMovement } from '../movements/actions.js';
import type { Movement } from '../movements/model.js';
import { findMovement } from '../movements/queries.js';
import { markLateDay } from '../reports/actions.js';
import { addTender, recordApiSale } from '../sales/actions.js';
import type { Call, CallAction, StoredRequest } from './call-model.js';
import {
  findCall,
  findUnresolved,
  insertActionCall,
  readCall,
  readCallToRetry,
  readUnresolved,
  updateActionCallToClaimed,
  updateCallToUnclaimed,
} from './call-queries.js';
import { capturePayment, reverseOrVoid, voidApproved } from './capture.js';
import { type DelayAction, delayActionOf } from './delay-model.js';
import type { Payment } from './model.js';
import { applyOutcome, toChargeMovement, toSourceRefusal } from './outcomes.js';
import { expirePaymentWork, findPayment, findProcessorId, readPayment } from './queries.js';
import { deletePaymentRow, plannedPayment, savePayment } from './rows.js';
import { processorCalls } from './table.js';

export interface CallContext {
  readonly database: Database;
  readonly processor: Processor;
  readonly ids: Ids;
  readonly merchant: ProcessorMerchant;
  readonly now: Instant;
  /** Absent in the worker, whose calls belong to no request. */
  readonly trail?: RequestTrail;
  /** Changes other records in the commit that records the outcome, such as the state of an online order. */
  readonly onOutcome?: OnOutcome;
}

export type OnOutcome = (change: Change, payment: Payment) => Promise<void>;

/** The idempotency key that the processor receives. All retries of a call send the same key. */
export function callKey(merchantId: string, paymentId: string, action: CallAction): string {
  return `${merchantId}:${paymentId}:${action}`;
}

/** The key of a call that sends money back: for a refund, or for the movement that reverses a payment. */
export function refundKey(merchantId: string, id: string): string {
  return `${merchantId}:${id}`;
}

/** When a worker retries the call, unless the first caller has recorded the outcome by then. */
export function nextRetryAt(): Instant {
  return instant(realNow() + 30 * SECOND_MS);
}

/** Calls the processor for a payment that is recorded as PENDING, and records the outcome. */
export async function resolveCreate(context: CallContext, paymentId: string): Promise<Payment> {
  const { database, processor, merchant, trail } = context;
  if (trail) trail.paymentId = paymentId;
  const unresolved = await findUnresolved(database.sql, merchant.id, paymentId);
  if (unresolved?.call.request) {
    const { request } = unresolved.call;
    const { currency, processorId } = unresolved.payment;
    const { key, sourceId, amount, acceptPartial, verificationToken, autocomplete: capture } = request;
    const outcome = await requireResponse(
      releaseCallOnError(
        { database, merchantId: merchant.id, paymentId },
        processor.authorize({
          ...{ key, merchant, paymentId, processorId, sourceId, amount, currency },
          ...{ acceptPartial, verificationToken, capture, requestId: trail?.requestId },
        }),
      ),
    );
    if (outcome.kind === 'unusable') {
      await database.change(merchant.id, (change) => discardUnresolved(change, paymentId, request.callerKey));
      throw toSourceRefusal(outcome);
    }
    await database.change(merchant.id, (change) => recordOutcome(change, context, paymentId, outcome, request));
  }
  const payment = await findPayment(database.sql, merchant.id, paymentId);
  if (!payment) throw new Refusal('TEMPORARY_ERROR');
  return payment;
}

/** Deletes a payment that the processor did not attempt, with its call and its key: a retry is a new attempt. */
async function discardUnresolved(change: Change, paymentId: string, key: IdempotencyKey | undefined): Promise<void> {
  const unresolved = await readUnresolved(change, paymentId);
  if (!unresolved) return;
  if (key) await forgetKey(change, key, paymentId);
  forgetReference(change, paymentId);
  change.delete(processorCalls, { paymentId });
  deletePaymentRow(change, paymentId);
}

async function recordOutcome(
  change: Change,
  { processor, ids, merchant, now: began, onOutcome }: CallContext,
  paymentId: string,
  outcome: Parameters<typeof applyOutcome>[1],
  { autocomplete }: StoredRequest,
): Promise<void> {
  const unresolved = await readUnresolved(change, paymentId);
  if (!unresolved) return; // another request or worker recorded it
  // This request may have begun before the one with the same key that created the payment, or on a server whose clock is late.
  const now = latest(began, unresolved.payment.createdAt);
  // A tender of a sale is captured at the time the register sent it. Its movement is dated now.
  const isTender = unresolved.payment.channel !== 'API';
  const at = isTender ? unresolved.payment.createdAt : now;
  const payment = applyOutcome(unresolved.payment, outcome, { autocomplete, at, receivedAt: now });
  recordPaymentOutcome(change, payment, toChargeMovement(ids, payment, now));
  if (isTender) await addTender(change, payment, now);
  await onOutcome?.(change, payment);
  const canceling = { ids, at: now, notifyProcessor: hasOwnLedger(processor, merchant.id, payment) };
  if (unresolved.call.cancelAfter) await reverseOrVoid(change, canceling, payment);
}

/** PENDING -> the outcome, with everything that depends on it. The change depends on the payment and on its call. */
export function recordPaymentOutcome(change: Change, payment: Payment, movement: Movement | undefined): void {
  const { id, channel, delayedUntil } = payment;
  const { status } = plannedPayment(change, id);
  if (status !== 'PENDING') throw new Error(`payment_state: payment ${id} is ${status}, so its outcome is known`);
  savePayment(change, payment, 'payment.created');
  change.delete(processorCalls, { paymentId: id });
  if (channel === 'API') recordApiSale(change, payment);
  if (movement) recordMovement(change, movement);
  if (delayedUntil !== null) addWork(change, { ...expirePaymentWork(id), dueAt: delayedUntil });
}

/** A payment, and the processor that has it. */
export type ChargedPayment = Pick<Payment, 'id' | 'processorId'>;

/** Completes or cancels an APPROVED payment. Returns undefined if it is no longer APPROVED. */
export async function resolveAction(
  context: CallContext,
  payment: ChargedPayment,
  action: 'COMPLETE' | 'CANCEL',
): Promise<Payment | undefined> {
  const { database, merchant } = context;
  const { id: paymentId } = payment;
  const recorded = await database.statement((tx) =>
    insertActionCall(tx, { merchantId: merchant.id, paymentId, action, retryAt: nextRetryAt() }),
  );
  if (!recorded) {
    const inFlight = await findCall(database.sql, merchant.id, paymentId);
    if (!inFlight) return undefined;
    // A call for the same action is retried. For the opposite action, the caller has to try again later.
    if (inFlight.action !== action) {
      throw new Refusal('TEMPORARY_ERROR', {
        detail: 'Another request for this payment is in flight. Try again later.',
      });
    }
  }
  return finishAction(context, payment, action);
}

async function finishAction(
  { database, processor, ids, merchant, now, trail }: CallContext,
  { id: paymentId, processorId }: ChargedPayment,
  action: 'COMPLETE' | 'CANCEL',
): Promise<Payment | undefined> {
  const key = callKey(merchant.id, paymentId, action);
  const request = { merchant, paymentId, processorId, key, requestId: trail?.requestId };
  const respond = <Response>(response: Promise<Response>) =>
    requireResponse(releaseCallOnError({ database, merchantId: merchant.id, paymentId }, response));
  const outcome = action === 'COMPLETE' ? await respond(processor.capture(request)) : undefined;
  if (!outcome) await respond(processor.void(request));
  const changed = await database.change(merchant.id, (change) =>
    recordActionOutcome(change, { processor, ids, now }, paymentId, outcome),
  );
  return changed === 'canceled' ? findPayment(database.sql, merchant.id, paymentId) : changed;
}

/** `outcome` is that of a capture; undefined: the payment was voided. Returns undefined if the caller has to read the new state. */
async function recordActionOutcome(
  change: Change,
  { processor, ids, now }: Pick<CallContext, 'processor' | 'ids' | 'now'>,
  paymentId: string,
  outcome: CaptureOutcome | undefined,
): Promise<Payment | 'canceled' | undefined> {
  const payment = await readPayment(change, paymentId);
  if (payment?.status !== 'APPROVED') return undefined; // another request or worker recorded it
  // What happens because the time is over happens at that time, also if it is recorded later (decision 0041).
  const end = instant(Math.min(now, payment.delayedUntil ?? now));
  if (outcome?.kind !== 'captured') {
    const voided = voidApproved(change, payment, end);
    return outcome ? undefined : voided; // after a refused capture, the caller gets the new state (decision 0185)
  }
  const call = await readCall(change, paymentId);
  const at = delayActionOf(payment) === 'COMPLETE' ? end : now;
  const captured = capturePayment(change, { ids, at }, payment, outcome);
  if (at < now) markLateDay(change, { locationId: payment.locationId, at, now });
  if (!call?.cancelAfter) return captured;
  const canceling = { ids, at: now, notifyProcessor: hasOwnLedger(processor, change.merchantId, payment) };
  await reverseOrVoid(change, canceling, captured);
  return 'canceled';
}

/** The context of due work that calls the processor. The work holds no lock and no transaction during the call. */
export interface ProcessorWorkContext {
  readonly database: Database;
  readonly processor: Processor;
  readonly ids: Ids;
  readonly merchantId: string;
  /** The end of the lease: no other worker claims the work before. */
  readonly leasedUntil: Instant;
}

/** Records the outcome in the commit that deletes the due work. Undefined if there is nothing to record. */
export type OutcomeWriter = ((change: Change) => Promise<unknown>) | undefined;

/** The merchant in a call of a worker. `hasRules` is true, so rules are always looked up: a lookup delays nobody here. */
export function toProcessorMerchant(id: string): ProcessorMerchant {
  return { id, hasRules: true };
}

/** Undefined: it was voided. */
async function endAtProcessor(
  { database, processor, merchantId }: ProcessorWorkContext,
  paymentId: string,
  action: DelayAction,
): Promise<CaptureOutcome | undefined> {
  const charged = await findChargedPayment(database, merchantId, paymentId);
  const request = { key: callKey(merchantId, paymentId, action), ...charged };
  if (action === 'COMPLETE') return processor.capture(request);
  await processor.void(request);
  return undefined;
}

/** What every call of a worker contains: the merchant, the payment, and the processor that has the payment. */
export async function findChargedPayment(
  database: Database,
  merchantId: string,
  paymentId: string,
): Promise<Omit<CallRequest, 'key'>> {
  const processorId = await findProcessorId(database.sql, merchantId, paymentId);
  return { merchant: toProcessorMerchant(merchantId), paymentId, processorId };
}

/**
 * Due work: the time of an APPROVED payment is over, so it is canceled or completed, as the application wanted. The intent is recorded first,
 * so that no request can do the opposite.
 */
export async function expirePayment(
  context: ProcessorWorkContext,
  paymentId: string,
  at: Instant,
): Promise<OutcomeWriter> {
  const { database, merchantId, leasedUntil } = context;
  const held = await findPayment(database.sql, merchantId, paymentId);
  if (held?.status !== 'APPROVED') return undefined;
  const action = delayActionOf(held);
  const call = { merchantId, paymentId, action, retryAt: leasedUntil };
  const isOurs =
    (await database.statement((tx) => insertActionCall(tx, call))) ||
    (await database.statement((tx) => updateActionCallToClaimed(tx, call, realNow())));
  if (!isOurs) {
    if ((await findPayment(database.sql, merchantId, paymentId))?.status !== 'APPROVED') return undefined;
    // Another call completes or cancels the payment. Its outcome decides, so this work is retried later.
    throw new ProcessorUnavailable('another call for the payment is in flight');
  }
  const released = { database, merchantId, paymentId };
  const outcome = await releaseCallOnError(released, endAtProcessor(context, paymentId, action));
  return async (change) => {
    const clock = requireFound(await findClock(change.sql, change.merchantId), 'the merchant of a payment');
    await recordActionOutcome(change, { ...context, now: latest(at, nowOn(clock)) }, paymentId, outcome);
  };
}

/** Due work: an APPROVED payment was canceled by its key. Voids it at the processor. */
export async function sendVoidToProcessor(context: ProcessorWorkContext, paymentId: string): Promise<OutcomeWriter> {
  await endAtProcessor(context, paymentId, 'CANCEL');
  return undefined;
}

/**
 * Due work: a captured payment was reversed. Refunds the amount of the movement at the processor. If that refuses for good, asking again
 * would change nothing: the refusal is reported to the operator, who has to pay the buyer back (decision 0197).
 */
export async function sendReversalToProcessor(
  { database, processor, merchantId }: ProcessorWorkContext,
  movementId: string,
): Promise<OutcomeWriter> {
  const movement = await findMovement(database.sql, merchantId, movementId);
  if (!movement) return undefined;
  const { paymentId } = movement;
  const request = {
    key: refundKey(merchantId, movementId),
    ...(await findChargedPayment(database, merchantId, paymentId)),
  };
  const { amount, currency } = movement;
  await processor.refund({ ...request, amount: negate(amount), currency, isReversal: true });
  return undefined;
}

/** Whether the payment is in a ledger that has to agree with ours. The simulator has none, with or without rules. */
export function hasOwnLedger(
  processor: Processor,
  merchantId: string,
  { processorId }: Pick<Payment, 'processorId'>,
): boolean {
  return !processor.isCertain({ id: merchantId, hasRules: false }, processorId);
}

/** Claims the oldest call whose first caller has not recorded an outcome, so that no other worker retries it at the same time. */
export async function claimCall(database: Database, merchantId: string): Promise<Call | undefined> {
  return database.change(merchantId, async (change) => {
    const call = await readCallToRetry(change, realNow());
    const until = nextRetryAt();
    // The lease keeps other workers away without a lock during the call.
    if (call) change.save(processorCalls, call, { ...call, retryAt: until, leasedUntil: until });
    return call;
  });
}

/** Retries a claimed call. */
export async function resolveCall(context: CallContext, { paymentId, action }: Call): Promise<void> {
  if (action === 'CREATE') return void (await resolveCreate(context, paymentId));
  const processorId = await findProcessorId(context.database.sql, context.merchant.id, paymentId);
  await finishAction(context, { id: paymentId, processorId }, action);
}

/** Without a response the outcome is unknown, so the caller gets a temporary error (decision 0031). */
async function requireResponse<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ProcessorUnavailable) throw new Refusal('TEMPORARY_ERROR');
    throw error;
  }
}

/** Releases the lease if the call fails, so that the next retry need not wait until `retryAt`. */
async function releaseCallOnError<Result>(
  {
    database,
    merchantId,
    paymentId,
  }: Pick<ProcessorWorkContext, 'database' | 'merchantId'> & { readonly paymentId: string },
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    // If the release fails too, the lease expires by itself.
    await database.statement((tx) => updateCallToUnclaimed(tx, merchantId, paymentId)).catch(() => {});
    throw error;
  }
}

/** Marks a payment whose outcome is unknown, so that it is canceled when the outcome is recorded. */
export async function cancelWhenResolved(change: Change, paymentId: string): Promise<void> {
  const call = await readCall(change, paymentId);
  if (call) change.save(processorCalls, call, { ...call, cancelAfter: true });
}
