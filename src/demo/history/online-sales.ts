/** Payments that the merchant's own application takes: captured at once or later, declined, or never captured. */
import { toJson } from '../../base/json.js';
import { portion } from '../../base/money.js';
import { hashSecret } from '../../base/secrets.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import { toPendingPayment } from '../../business/payments/actions.js';
import type { MadePayment } from '../../business/payments/create-queries.js';
import { delayEnd, type Payment, processingFee } from '../../business/payments/model.js';
import { applyOutcome, chargeOf } from '../../business/payments/outcomes.js';
import { newOrderId } from '../../business/sales/model.js';
import { approve, decline } from './cards.js';
import type { Place, Story } from './story.js';

/** How often things happen, of one. */
const ODDS = { declined: 0.06, delayed: 0.1, forgotten: 0.3, tip: 0.3, appFee: 0.5 };

/** Of what is captured later, this long after. */
const CAPTURED_AFTER_MS = DAY_MS;

/** Where it is held, the merchant has still to capture it. */
export function sellOnline(story: Story, place: Place, { at, isHeld }: { at: Instant; isHeld: boolean }): MadePayment {
  const { chance, ids, merchantId, currency, applicationId, now } = story;
  const { due } = place.tickets.pick(chance, 'MIDDAY').receipt; // what it was for is not told
  const details = toJson({
    order_id: newOrderId(ids),
    reference_id: `web-${chance.between(10_000, 99_999)}`,
    buyer_email_address: `guest${chance.between(1, 400)}@mail.example`,
    note: 'Paid through the app',
  });
  const pending = toPendingPayment(
    { merchant: { currency }, caller: { applicationId }, ids, now: at },
    {
      locationId: place.locationId,
      amount: due,
      tip: chance.happens(ODDS.tip) ? portion(due, 15, 100) : null,
      appFee: chance.happens(ODDS.appFee) ? portion(due, 1, 100) : null,
      details,
    },
  );
  const isDelayed = isHeld || chance.happens(ODDS.delayed);
  const outcome = !isHeld && chance.happens(ODDS.declined) ? decline(chance) : approve(story, pending.total);
  const answered = applyOutcome(pending, outcome, { autocomplete: !isDelayed, at });
  const isLate = answered.status === 'APPROVED' && !isHeld;
  const payment = isLate ? lateLife(answered, now, chance.happens(ODDS.forgotten)) : answered;
  const key = ids.newUuid();
  return {
    merchantId,
    payment,
    key: { applicationId, operation: 'createPayment', key },
    requestHash: hashSecret(key),
    movement: chargeOf(ids, payment),
  };
}

/** What has become of an approved payment by now: it was captured, or forgotten until it was voided (decision 0024). */
function lateLife(payment: Payment, now: Instant, isForgotten: boolean): Payment {
  const at = isForgotten ? delayEnd(payment.createdAt) : instant(payment.createdAt + CAPTURED_AFTER_MS);
  if (at > now) return payment;
  const moved = { ...payment, updatedAt: at, delayedUntil: null };
  if (isForgotten) return { ...moved, status: 'CANCELED' };
  return { ...moved, status: 'COMPLETED', capturedAt: at, fee: processingFee(payment) };
}
