/** Generates payments of the merchant's own application: captured immediately or later, declined, or never captured. */
import { portion } from '../../base/money.js';
import { hashSecret } from '../../base/secrets.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import { toPendingPayment } from '../../business/payments/actions.js';
import type { PaymentToInsert } from '../../business/payments/create-queries.js';
import { delayedUntilOf } from '../../business/payments/delay-model.js';
import { toDetails } from '../../business/payments/details.js';
import { type Payment, processingFee } from '../../business/payments/model.js';
import { applyOutcome, toChargeMovement } from '../../business/payments/outcomes.js';
import { newOrderId } from '../../business/sales/model.js';
import { approve, decline } from './cards.js';
import type { Scenario, SeededLocation } from './scenario.js';

/** Probabilities. */
const ODDS = { declined: 0.06, delayed: 0.1, forgotten: 0.3, tip: 0.3, appFee: 0.5 };

/** The delay of payments that are captured later. */
const CAPTURE_DELAY_MS = DAY_MS;

/** With `isHeld`, the payment is approved and not captured yet. */
export function generateOnlinePayment(
  scenario: Scenario,
  location: SeededLocation,
  { at, isHeld }: { at: Instant; isHeld: boolean },
): PaymentToInsert {
  const { random, ids, merchantId, currency, applicationId, now } = scenario;
  const { due } = location.tickets.pick(random, 'MIDDAY').receipt; // only its amount is used: these payments have no receipt
  const details = toDetails({
    orderId: newOrderId(ids),
    referenceId: `web-${random.between(10_000, 99_999)}`,
    buyerEmail: `guest${random.between(1, 400)}@mail.example`,
    note: 'Paid through the app',
  });
  const pending = toPendingPayment(
    { merchant: { currency, processorId: null }, caller: { applicationId }, ids, now: at },
    {
      locationId: location.locationId,
      amount: due,
      tip: random.happens(ODDS.tip) ? portion(due, 15, 100) : null,
      appFee: random.happens(ODDS.appFee) ? portion(due, 1, 100) : null,
      details,
    },
  );
  const isDelayed = isHeld || random.happens(ODDS.delayed);
  const outcome = !isHeld && random.happens(ODDS.declined) ? decline(random) : approve(scenario, pending.total);
  const authorized = applyOutcome(pending, outcome, { autocomplete: !isDelayed, at });
  const isDelayedCapture = authorized.status === 'APPROVED' && !isHeld;
  const payment = isDelayedCapture ? captureOrVoid(authorized, now, random.happens(ODDS.forgotten)) : authorized;
  const key = ids.newUuid();
  return {
    merchantId,
    payment,
    key: { applicationId, operation: 'createPayment', key },
    requestHash: hashSecret(key),
    movement: toChargeMovement(ids, payment),
  };
}

/** Captures an approved payment, or voids a forgotten one after the time limit (decision 0024), unless that is in the future. */
function captureOrVoid(payment: Payment, now: Instant, isForgotten: boolean): Payment {
  const at = isForgotten ? delayedUntilOf(payment) : instant(payment.createdAt + CAPTURE_DELAY_MS);
  if (at > now) return payment;
  const moved = { ...payment, updatedAt: at, delayedUntil: null };
  if (isForgotten) return { ...moved, status: 'CANCELED' };
  return { ...moved, status: 'COMPLETED', capturedAt: at, fee: processingFee(payment) };
}
