/** Places and releases holds on disputed payments. */
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, negate, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Database, Tx } from '../../database/database.js';
import { type AuditEntry, auditChange, changeAudited } from '../../identity/audit.js';
import type { PaymentMovement } from '../movements/model.js';
import { findUnresolved } from '../payments/call-queries.js';
import type { Payment } from '../payments/model.js';
import { findPayment, readPayment } from '../payments/queries.js';
import { type Hold, holdableAmount, requireHoldable } from './model.js';
import { findActiveHold, findHold, insertHold, moveHoldToReleased, updateHoldToRaised } from './queries.js';

const ID_LENGTH = 27;

export interface DisputeContext {
  readonly database: Database;
  readonly merchantId: string;
  readonly paymentId: string;
  readonly ids: Ids;
  readonly now: Instant;
}

function movementOf(
  { ids, now: occurredAt }: DisputeContext,
  { id: paymentId, locationId, currency }: Payment,
  kind: 'HOLD' | 'HOLD_RELEASE',
  amount: Amount,
): PaymentMovement {
  const core = { id: ids.newId(ID_LENGTH), paymentId, refundId: null, locationId, currency, fee: ZERO };
  return { ...core, kind, amount, occurredAt };
}

/** Holds the given amount, or else the remaining amount of the payment. */
export async function placeHold(dispute: DisputeContext, wanted: Amount | undefined): Promise<Hold> {
  const { database, merchantId, paymentId, ids, now } = dispute;
  return database.change(merchantId, async (change) => {
    const payment = await readPayment(change, paymentId);
    if (!payment) throw notFound('payment', paymentId);
    const amount = requireHoldable(payment, wanted);
    const hold: Hold = { id: ids.newId(ID_LENGTH), paymentId, amount, placedAt: now, releasedAt: null };
    insertHold(change, hold, movementOf(dispute, payment, 'HOLD', negate(amount)));
    auditChange(change, { kind: 'HOLD_PLACED', merchantId, details: detailsOf(hold) });
    return hold;
  });
}

function detailsOf({ id, paymentId, amount }: Hold) {
  return { hold_id: id, payment_id: paymentId, amount: String(amount) };
}

export async function releaseHold(dispute: DisputeContext): Promise<Hold> {
  const { database, merchantId, paymentId, now } = dispute;
  const payment = await findPayment(database.sql, merchantId, paymentId);
  if (!payment) throw notFound('payment', paymentId);
  const hold = await findActiveHold(database.sql, merchantId, paymentId);
  const entry = hold && ({ kind: 'HOLD_RELEASED', merchantId, details: detailsOf(hold) } as const);
  if (!hold || !(await moveToReleased(dispute, payment, hold, entry)))
    throw new Refusal('WRONG_STATE', { detail: `Payment ${paymentId} has no active hold.` });
  return { ...hold, releasedAt: now };
}

/** With an entry of the audit log if a person does it. The processor reports its disputes itself. */
async function moveToReleased(
  dispute: DisputeContext,
  payment: Payment,
  hold: Hold,
  entry?: AuditEntry,
): Promise<boolean> {
  const { database, merchantId, now: at } = dispute;
  const movement = movementOf(dispute, payment, 'HOLD_RELEASE', hold.amount);
  try {
    const release = (tx: Tx) => moveHoldToReleased(tx, merchantId, { holdId: hold.id, at, movement });
    return await (entry ? changeAudited(database, entry, release) : database.statement(release));
  } catch (error) {
    // The hold was raised meanwhile, so the movement had the wrong amount. Each refund raises it at most once, so this ends.
    const raised = await findHold(database.sql, merchantId, hold.id);
    if (!raised || raised.amount <= hold.amount) throw error;
    return moveToReleased(dispute, payment, raised, entry);
  }
}

/** A dispute as the processor reports it. */
export interface ReportedDispute {
  /** Becomes the id of the hold, so that each dispute places one hold at most. */
  readonly id: string;
  readonly isHeld: boolean;
  readonly amount: Amount;
  readonly currency: string;
}

/** Applies the state of a dispute at the processor to its hold. Says what has changed. */
export async function applyDispute(
  dispute: DisputeContext,
  reported: ReportedDispute,
): Promise<'placed' | 'raised' | 'released' | 'unchanged' | 'unknown payment' | 'nothing to hold'> {
  const { database, merchantId, paymentId } = dispute;
  const payment = await findPayment(database.sql, merchantId, paymentId);
  if (!payment) {
    // Until the outcome of its call is recorded, there is nothing to hold. The processor reports the dispute again.
    if (await findUnresolved(database.sql, merchantId, paymentId)) throw new Refusal('TEMPORARY_ERROR');
    return 'unknown payment';
  }
  if (reported.isHeld) return placeOrRaise(dispute, reported);
  const hold = await findHold(database.sql, merchantId, reported.id);
  if (!hold || hold.releasedAt !== null) return 'unchanged';
  return (await moveToReleased(dispute, payment, hold)) ? 'released' : 'unchanged';
}

/** A refund that was under way when the dispute began may fail because of it: then there is more to hold than at first. */
async function placeOrRaise(
  dispute: DisputeContext,
  { id, amount: wanted, currency }: ReportedDispute,
): Promise<'placed' | 'raised' | 'unchanged' | 'nothing to hold'> {
  const { database, merchantId, paymentId, now } = dispute;
  return database.change(merchantId, async (change) => {
    const payment = requireFound(await readPayment(change, paymentId), 'a disputed payment');
    const known = await findHold(change.sql, merchantId, id);
    if (known && known.releasedAt !== null) return 'unchanged';
    const left = holdableAmount(payment);
    // The amount of a dispute in another currency cannot be compared, so all that is left of the payment is held.
    const amount = payment.currency === currency && wanted < left ? wanted : left;
    if (known) {
      if (amount <= known.amount) return 'unchanged';
      const difference = subtract(known.amount, amount);
      updateHoldToRaised(change, { id, amount }, movementOf(dispute, payment, 'HOLD', difference));
      return 'raised';
    }
    // Another dispute may hold the money.
    if (amount === ZERO || (await findActiveHold(change.sql, merchantId, paymentId))) return 'nothing to hold';
    const hold: Hold = { id, paymentId, amount, placedAt: now, releasedAt: null };
    insertHold(change, hold, movementOf(dispute, payment, 'HOLD', negate(amount)));
    return 'placed';
  });
}
