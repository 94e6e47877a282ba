/** What a refund is, and when a payment can be refunded. */
import { Refusal } from '../../base/errors.js';
import type { Amount } from '../../base/money.js';
import { addYears, type Instant, SECOND_MS } from '../../base/time.js';
import { type Payment, refundable, type SourceType } from '../payments/model.js';

export const REFUND_STATUSES = ['PENDING', 'COMPLETED', 'REJECTED', 'FAILED'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

export interface Refund {
  readonly id: string;
  readonly paymentId: string;
  readonly locationId: string;
  readonly status: RefundStatus;
  readonly sourceType: SourceType;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly currency: string;
  readonly amount: Amount;
  readonly appFee: Amount | null;
  readonly returnedFee: Amount | null;
  readonly orderId: string;
  readonly reason: string | null;
}

export const REFUND_TYPES = ['FULL', 'PARTIAL'] as const;

/** With what v1 says of it besides: how its sale was paid, and what its payment cost. */
export interface SaleRefund extends Refund {
  readonly type: (typeof REFUND_TYPES)[number];
  readonly origin: 'API' | 'REGISTER' | 'EXCHANGE' | 'REVERSAL';
  /** In the words of v1; null where it is made of nothing but its amount. */
  readonly breakdown: object | null;
  readonly saleId: string;
  /** The sale was paid by several tenders, so that a refund names its own. */
  readonly isSplit: boolean;
  readonly fee: Amount | null;
  readonly total: Amount;
}

/** A refund is settled with the processor this long after it was asked for. */
export const REFUND_DELAY_MS = 3 * SECOND_MS;

const MOST_REFUNDS = 20;

/** Refusals in a fixed order: the payment's state, its age, how often, how much. */
export function requireRefundable(payment: Payment, amount: Amount, now: Instant): void {
  const refuse = (detail: string): Refusal => new Refusal('PAYMENT_NOT_REFUNDABLE', { field: 'payment_id', detail });
  if (payment.status !== 'COMPLETED')
    throw refuse(`Payment ${payment.id} is ${payment.status}; only COMPLETED ones can be refunded.`);
  if (payment.refundsBlocked) throw refuse(`A refund of payment ${payment.id} failed, so no further one is possible.`);
  if (now > addYears(payment.createdAt, 1)) throw refuse(`Payment ${payment.id} is more than a year old.`);
  if (payment.refundIds.length >= MOST_REFUNDS)
    throw refuse(`Payment ${payment.id} has ${MOST_REFUNDS} refunds already.`);
  if (amount > refundable(payment)) {
    throw new Refusal('REFUND_AMOUNT_INVALID', {
      field: 'amount_money.amount',
      detail: `The amount ${amount} is more than what is left of payment ${payment.id}: ${refundable(payment)}.`,
    });
  }
}

/** An application gives back at most what it has left of what it took, and at most what is refunded. */
export function requireAppFeeShare(
  appFee: Amount,
  { amount, left }: { readonly amount: Amount; readonly left: Amount | null },
): void {
  if (left === null || appFee > amount || appFee > left) {
    throw new Refusal('INVALID_FEES', {
      field: 'app_fee_money.amount',
      detail: 'app_fee_money must not exceed the refunded amount nor what the application still has of its fee.',
    });
  }
}
