/** Places and releases holds on disputed payments. */
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, negate, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import type { Database } from '../../database/database.js';
import { auditChange } from '../../identity/audit.js';
import { recordMovement } from '../movements/actions.js';
import { findUnresolved } from '../payments/call-queries.js';
import type { Payment } from '../payments/model.js';
import { findPayment, readPayment } from '../payments/queries.js';
import { renewPayment } from '../payments/rows.js';
import { type Hold, holdableAmount, ID_LENGTH, requireHoldable, toHoldMovement } from './model.js';
import { findActiveHold, readActiveHold } from './queries.js';
import { holds } from './table.js';

export interface DisputeContext {
  readonly database: Database;
  readonly merchantId: string;
  readonly paymentId: string;
  readonly ids: Ids;
  readonly now: Instant;
}

/** Keeps the amount of a new hold of a payment back. The change depends on the payment. A refund that was decided before the hold is decided again. */
export function insertHold(
  change: Change,
  { ids }: Pick<DisputeContext, 'ids'>,
  payment: HeldPayment,
  hold: Hold,
): void {
  renewPayment(change, payment.id);
  change.insert(holds, hold);
  recordMovement(change, toHoldMovement(ids, payment, { amount: negate(hold.amount), occurredAt: hold.placedAt }));
}

type HeldPayment = Pick<Payment, 'id' | 'locationId' | 'currency'>;

/** Raises an active hold, and keeps the difference back: a refund has failed, so there is more to hold. */
export function raiseHold(
  change: Change,
  { ids, now: occurredAt }: Pick<DisputeContext, 'ids' | 'now'>,
  payment: HeldPayment,
  { hold, amount }: { readonly hold: Hold & Versioned; readonly amount: Amount },
): void {
  renewPayment(change, payment.id);
  change.save(holds, hold, { ...hold, amount });
  recordMovement(change, toHoldMovement(ids, payment, { amount: subtract(hold.amount, amount), occurredAt }));
}

/** Active -> released, with the movement that returns the money. */
function moveToReleased(
  change: Change,
  { ids, now }: Pick<DisputeContext, 'ids' | 'now'>,
  payment: HeldPayment,
  hold: Hold & Versioned,
): Hold {
  const released = { ...hold, releasedAt: now };
  change.save(holds, hold, released);
  recordMovement(change, toHoldMovement(ids, payment, { amount: hold.amount, occurredAt: now }));
  return released;
}

/** Holds the given amount, or else the remaining amount of the payment. */
export async function placeHold(dispute: DisputeContext, wanted: Amount | undefined): Promise<Hold> {
  const { database, merchantId, paymentId, ids, now } = dispute;
  return database.change(merchantId, async (change) => {
    const payment = await readPayment(change, paymentId);
    if (!payment) throw notFound('payment', paymentId);
    const amount = requireHoldable(payment, wanted);
    const hold: Hold = { id: ids.newId(ID_LENGTH), paymentId, amount, placedAt: now, releasedAt: null };
    insertHold(change, dispute, payment, hold);
    auditChange(change, { kind: 'HOLD_PLACED', merchantId, details: detailsOf(hold) });
    return hold;
  });
}

function detailsOf({ id, paymentId, amount }: Hold) {
  return { hold_id: id, payment_id: paymentId, amount: String(amount) };
}

export async function releaseHold(dispute: DisputeContext): Promise<Hold> {
  const { database, merchantId } = dispute;
  return database.change(merchantId, (change) => releaseActiveHold(change, dispute));
}

export async function releaseActiveHold(change: Change, dispute: Omit<DisputeContext, 'database'>): Promise<Hold> {
  const { merchantId, paymentId } = dispute;
  const payment = await findPayment(change.sql, merchantId, paymentId);
  if (!payment) throw notFound('payment', paymentId);
  const hold = await readActiveHold(change, paymentId);
  if (!hold) throw new Refusal('WRONG_STATE', { detail: `Payment ${paymentId} has no active hold.` });
  auditChange(change, { kind: 'HOLD_RELEASED', merchantId, details: detailsOf(hold) });
  return moveToReleased(change, dispute, payment, hold);
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
  // The processor reports its disputes itself, so nobody is named in the audit log.
  return database.change(merchantId, async (change) => {
    const hold = await change.read(holds, { id: reported.id });
    if (!hold || hold.releasedAt !== null) return 'unchanged';
    moveToReleased(change, dispute, payment, hold);
    return 'released';
  });
}

/** A refund that was under way when the dispute began may fail because of it: then there is more to hold than at first. */
async function placeOrRaise(
  dispute: DisputeContext,
  { id, amount: wanted, currency }: ReportedDispute,
): Promise<'placed' | 'raised' | 'unchanged' | 'nothing to hold'> {
  const { database, merchantId, paymentId, now } = dispute;
  return database.change(merchantId, async (change) => {
    const payment = requireFound(await readPayment(change, paymentId), 'a disputed payment');
    const known = await change.read(holds, { id });
    if (known && known.releasedAt !== null) return 'unchanged';
    const left = holdableAmount(payment);
    // The amount of a dispute in another currency cannot be compared, so all that is left of the payment is held.
    const amount = payment.currency === currency && wanted < left ? wanted : left;
    if (known) {
      if (amount <= known.amount) return 'unchanged';
      raiseHold(change, dispute, payment, { hold: known, amount });
      return 'raised';
    }
    // Another dispute may hold the money.
    if (amount === ZERO || (await findActiveHold(change.sql, merchantId, paymentId))) return 'nothing to hold';
    const hold: Hold = { id, paymentId, amount, placedAt: now, releasedAt: null };
    insertHold(change, dispute, payment, hold);
    return 'placed';
  });
}
