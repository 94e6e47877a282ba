/** Record - call - record: for processors whose answer may be lost. Whatever a crash leaves between, asking again mends. */
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { negate } from '../../base/money.js';
import { type Instant, instant, SECOND_MS } from '../../base/time.js';
import type { Database, Tx } from '../../database/database.js';
import { type Processor, type ProcessorMerchant, ProcessorUnavailable } from '../../processor/contract.js';
import { findMovement } from '../movements/queries.js';
import { addToSale } from '../sales/actions.js';
import {
  type Call,
  type CallAction,
  findCall,
  insertActionCall,
  type StoredRequest,
  updateActionCallToTaken,
  updateCallToCancelAfter,
  updateCallToFree,
} from './call-queries.js';
import { captured, reverseOrVoid, voidApproved } from './capture.js';
import type { Payment, ShownPayment } from './model.js';
import { applyOutcome, chargeOf, refuseSource } from './outcomes.js';
import {
  deleteUnresolved,
  findPayment,
  findShownPayment,
  findUnresolved,
  lockPayment,
  lockUnresolved,
  movePaymentToOutcome,
} from './queries.js';

export interface CallContext {
  readonly database: Database;
  readonly processor: Processor;
  readonly ids: Ids;
  readonly merchant: ProcessorMerchant;
  readonly now: Instant;
  /** What else follows from the outcome of a payment, in the same commit: the state of an online order. */
  readonly onOutcome?: OnOutcome;
}

export type OnOutcome = (tx: Tx, merchantId: string, payment: Payment) => Promise<void>;

/** Under which a processor knows a call: the same however often it is asked, and whoever asks. */
export function callKey(merchantId: string, paymentId: string, action: CallAction): string {
  return `${merchantId}:${paymentId}:${action}`;
}

/** When a worker asks again, if whoever asked first has not come back with the outcome. */
export function nextTry(): Instant {
  return instant(realNow() + 30 * SECOND_MS);
}

/** Asks for the outcome of a payment that was recorded as PENDING, and records it. */
export async function resolveCreate(context: CallContext, paymentId: string): Promise<ShownPayment> {
  const { database, processor, merchant } = context;
  const unresolved = await findUnresolved(database.sql, merchant.id, paymentId);
  if (unresolved?.call.request) {
    const { request } = unresolved.call;
    const { key, sourceId, amount, acceptPartial, verificationToken, autocomplete: capture } = request;
    const outcome = await certain(
      freeIfLost(
        { database, merchantId: merchant.id, paymentId },
        processor.authorize({ key, merchant, paymentId, sourceId, amount, acceptPartial, verificationToken, capture }),
      ),
    );
    if (outcome.kind === 'unusable') {
      await database.statement((tx) => deleteUnresolved(tx, merchant.id, paymentId, request.callerKey));
      throw refuseSource(outcome);
    }
    await database.transaction((tx) => recordOutcome(tx, context, paymentId, outcome, request));
  }
  const payment = await findShownPayment(database.sql, merchant.id, paymentId);
  if (!payment) throw new Refusal('TEMPORARY_ERROR');
  return payment;
}

async function recordOutcome(
  tx: Tx,
  { processor, ids, merchant, now, onOutcome }: CallContext,
  paymentId: string,
  outcome: Parameters<typeof applyOutcome>[1],
  { autocomplete }: StoredRequest,
): Promise<void> {
  const held = await lockUnresolved(tx, merchant.id, paymentId);
  if (!held) return; // somebody else recorded it
  // A tender of a sale was taken when it was sent to us; the merchant is owed for it from now on.
  const isTender = held.payment.saleId !== paymentId;
  const at = isTender ? held.payment.createdAt : now;
  const payment = applyOutcome(held.payment, outcome, { autocomplete, at, heardAt: now });
  await movePaymentToOutcome(tx, merchant.id, payment, chargeOf(ids, payment, now));
  if (isTender) await addToSale(tx, merchant.id, payment);
  await onOutcome?.(tx, merchant.id, payment);
  const canceling = { merchantId: merchant.id, ids, at: now, tell: keepsBooks(processor, merchant.id) };
  if (held.call.cancelAfter) await reverseOrVoid(tx, canceling, payment);
}

/** Completes or cancels an APPROVED payment: undefined where it is not APPROVED any more. */
export async function resolveAction(
  context: CallContext,
  paymentId: string,
  action: 'COMPLETE' | 'CANCEL',
): Promise<ShownPayment | undefined> {
  const { database, merchant } = context;
  const noted = await database.statement((tx) =>
    insertActionCall(tx, { merchantId: merchant.id, paymentId, action, retryAt: nextTry() }),
  );
  if (!noted) {
    const underWay = await findCall(database.sql, merchant.id, paymentId);
    if (!underWay) return undefined;
    // The same wish again: find out what became of it. The opposite one has to wait.
    if (underWay.action !== action) throw new Refusal('TEMPORARY_ERROR', { detail: 'Another request is under way.' });
  }
  return finishAction(context, paymentId, action);
}

async function finishAction(
  { database, processor, ids, merchant, now }: CallContext,
  paymentId: string,
  action: 'COMPLETE' | 'CANCEL',
): Promise<ShownPayment | undefined> {
  const request = { merchant, paymentId, key: callKey(merchant.id, paymentId, action) };
  const asked = action === 'COMPLETE' ? processor.capture(request) : processor.void(request);
  await certain(freeIfLost({ database, merchantId: merchant.id, paymentId }, asked));
  return database.transaction(async (tx) => {
    const payment = await lockPayment(tx, merchant.id, paymentId);
    if (!payment) return undefined;
    const call = await findCall(tx, merchant.id, paymentId);
    if (action === 'CANCEL') {
      // Voided by us because its time was up, it ended when it was (decision 0041).
      const at = instant(Math.min(now, payment.delayedUntil ?? now));
      return voidApproved(tx, merchant.id, paymentId, at);
    }
    const change = { merchantId: merchant.id, ids, at: now };
    const completed = await captured(tx, change, payment);
    if (!completed || !call?.cancelAfter) return completed;
    await reverseOrVoid(tx, { ...change, tell: keepsBooks(processor, merchant.id) }, completed);
    return findShownPayment(tx, merchant.id, paymentId);
  });
}

/** What work that asks the processor is given. It holds no lock and no transaction while it asks. */
export interface Asking {
  readonly database: Database;
  readonly processor: Processor;
  readonly ids: Ids;
  readonly merchantId: string;
  /** So long nobody else takes the work. */
  readonly takenUntil: Instant;
}

/** How the answer is recorded, in the commit that ends the work; undefined where nothing is. */
export type Recording = ((tx: Tx) => Promise<unknown>) | undefined;

/** A merchant as a worker knows it: nobody waits for this, so the rules can be looked up. */
export function anyRules(id: string): ProcessorMerchant {
  return { id, hasRules: true };
}

function voidAtProcessor(processor: Processor, merchantId: string, paymentId: string): Promise<void> {
  return processor.void({ key: callKey(merchantId, paymentId, 'CANCEL'), merchant: anyRules(merchantId), paymentId });
}

/** Due work: the time of an APPROVED payment is up. What is about to be asked is noted first, so that nobody completes it. */
export async function expirePayment(
  { database, processor, merchantId, takenUntil }: Asking,
  paymentId: string,
  at: Instant,
): Promise<Recording> {
  const call = { merchantId, paymentId, action: 'CANCEL', retryAt: takenUntil } as const;
  const isOurs =
    (await database.statement((tx) => insertActionCall(tx, call))) ||
    (await database.statement((tx) => updateActionCallToTaken(tx, call, realNow())));
  if (!isOurs) {
    if ((await findPayment(database.sql, merchantId, paymentId))?.status !== 'APPROVED') return undefined;
    // Somebody is completing or cancelling it right now: the outcome decides.
    throw new ProcessorUnavailable('a call is under way');
  }
  await freeIfLost({ database, merchantId, paymentId }, voidAtProcessor(processor, merchantId, paymentId));
  return (tx) => voidApproved(tx, merchantId, paymentId, at);
}

/** Due work: a payment was voided here by its key. */
export async function releaseHold({ processor, merchantId }: Asking, paymentId: string): Promise<Recording> {
  await voidAtProcessor(processor, merchantId, paymentId);
  return undefined;
}

/** Due work: a payment was reversed here, and the movement says how much of it. */
export async function giveBack({ database, processor, merchantId }: Asking, movementId: string): Promise<Recording> {
  const movement = await findMovement(database.sql, merchantId, movementId);
  if (!movement) return undefined;
  const { paymentId } = movement;
  const request = { key: `${merchantId}:${movementId}`, merchant: anyRules(merchantId), paymentId };
  if (await processor.refund({ ...request, amount: negate(movement.amount) })) return undefined;
  throw new ProcessorUnavailable('the money could not be secured yet');
}

/** Whether a processor has books of its own, which have to agree with ours: whatever the rules, the simulator has none. */
export function keepsBooks(processor: Processor, merchantId: string): boolean {
  return !processor.isCertain({ id: merchantId, hasRules: false });
}

/** What a worker does with a call that nobody came back for. */
export async function resolveCall(context: CallContext, { paymentId, action }: Call): Promise<void> {
  if (action === 'CREATE') await resolveCreate(context, paymentId);
  else await finishAction(context, paymentId, action);
}

/** An answer that did not come is not an answer (decision 0031). */
async function certain<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ProcessorUnavailable) throw new Refusal('TEMPORARY_ERROR');
    throw error;
  }
}

/** Without an answer the call is free at once: the next one to ask need not wait until `retryAt`. */
async function freeIfLost<Answer>(
  { database, merchantId, paymentId }: Pick<Asking, 'database' | 'merchantId'> & { readonly paymentId: string },
  call: Promise<Answer>,
): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    // Where that fails too, it is free when its time is up.
    await database.statement((tx) => updateCallToFree(tx, merchantId, paymentId)).catch(() => {});
    throw error;
  }
}

/** The outcome of a payment is not known yet: once it is, the payment is canceled. */
export async function cancelWhenResolved(tx: Tx, merchantId: string, paymentId: string): Promise<void> {
  await updateCallToCancelAfter(tx, merchantId, paymentId);
}
