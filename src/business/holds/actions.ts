/** Places and releases holds on disputed payments. */
import { notFound, Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, negate, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import type { PaymentMovement } from '../movements/model.js';
import type { Payment } from '../payments/model.js';
import { findPayment, readPayment } from '../payments/queries.js';
import { type Hold, requireHoldable } from './model.js';
import { findActiveHold, insertHold, moveHoldToReleased } from './queries.js';

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
    return hold;
  });
}

export async function releaseHold(dispute: DisputeContext): Promise<Hold> {
  const { database, merchantId, paymentId, now } = dispute;
  const payment = await findPayment(database.sql, merchantId, paymentId);
  if (!payment) throw notFound('payment', paymentId);
  const hold = await findActiveHold(database.sql, merchantId, paymentId);
  const movement = hold && movementOf(dispute, payment, 'HOLD_RELEASE', hold.amount);
  const release = movement && { holdId: hold.id, at: now, movement };
  const isReleased = release && (await database.statement((tx) => moveHoldToReleased(tx, merchantId, release)));
  if (!isReleased) throw new Refusal('WRONG_STATE', { detail: `Payment ${paymentId} has no active hold.` });
  return { ...hold, releasedAt: now };
}
