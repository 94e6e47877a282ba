/** Gives back all that is left of a payment, as part of something else: an order that is cancelled or refunded. */
import { Refusal } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { ZERO } from '../../base/money.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { refundable } from '../payments/model.js';
import { lockPayment } from '../payments/queries.js';
import { SUFFIX_LENGTH, toNewRefund } from './actions.js';
import { REFUND_DELAY_MS, requireRefundable } from './model.js';
import { insertRefund } from './queries.js';

/** Spec 4.2 rule 4. */
const WINDOW_DAYS = 60;

/** Nothing left is nothing to do; what is left but cannot be given back is a refusal, and nothing of it is written. */
export async function refundRest(
  tx: Tx,
  { merchantId, now }: { readonly merchantId: string; readonly now: Instant },
  { paymentId, reason }: { readonly paymentId: string; readonly reason: string },
): Promise<void> {
  const payment = await lockPayment(tx, merchantId, paymentId);
  const rest = payment?.status === 'COMPLETED' ? refundable(payment) : ZERO;
  if (!payment || rest === ZERO) return;
  if (now > (payment.capturedAt ?? now) + WINDOW_DAYS * DAY_MS) {
    throw new Refusal('WRONG_STATE', { detail: `Payment ${payment.id} is more than ${WINDOW_DAYS} days old.` });
  }
  requireRefundable(payment, rest, now);
  const given = { paymentId, amount: rest, appFee: null, reason };
  const refund = toNewRefund(payment, given, { id: `${paymentId}_${newId(SUFFIX_LENGTH)}`, now });
  await insertRefund(tx, merchantId, refund, instant(now + REFUND_DELAY_MS));
}
