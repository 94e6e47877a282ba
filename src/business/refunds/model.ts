/** When a payment can be refunded, by whom and how much of it. */
import { Refusal } from '../../base/errors.js';
import { type Amount, amount, ZERO } from '../../base/money.js';
import { addYears, DAY_MS, type Instant, instant, SECOND_MS } from '../../base/time.js';
import { type Payment, type Refund, type RefundType, refundable } from '../payments/model.js';

export {
  REFUND_STATUSES,
  REFUND_TYPES,
  type Refund,
  type RefundOrigin,
  type RefundStatus,
  type RefundType,
} from '../payments/model.js';

/** With what v1 says of it besides: what it calls the sale, and what its payment cost. */
export interface SaleRefund extends Refund {
  readonly v1Id: string;
  readonly fee: Amount | null;
  readonly total: Amount;
}

/** A refund is settled with the processor this long after it was asked for. */
export const REFUND_DELAY_MS = 3 * SECOND_MS;

const MAX_REFUNDS = 20;

/** Until when refunds are possible, and how that is said. */
export interface RefundWindow {
  readonly until: Instant;
  readonly length: string;
}

/** Decision 0029: a year through v2. */
export function oneYearWindow(createdAt: Instant): RefundWindow {
  return { until: addYears(createdAt, 1), length: 'a year' };
}

/** Contract 4.2 rule 4: 60 days through v1 and at the register. */
export function sixtyDayWindow(createdAt: Instant): RefundWindow {
  return { until: instant(createdAt + 60 * DAY_MS), length: '60 days' };
}

export interface RefundAttempt {
  readonly now: Instant;
  readonly window: RefundWindow;
  /** What the caller calls the amount. */
  readonly field: string;
}

/** Refusals in a fixed order: the payment's state, its age, how often, how much. */
export function requireRefundable(payment: Payment, requested: Amount, { now, window, field }: RefundAttempt): void {
  requireCaptured(payment);
  if (payment.refundsBlocked) throw refuse(`A refund of payment ${payment.id} failed, so no further one is possible.`);
  if (now > window.until) throw refuse(`Payment ${payment.id} is more than ${window.length} old.`);
  if (payment.refundIds.length >= MAX_REFUNDS)
    throw refuse(`Payment ${payment.id} has ${MAX_REFUNDS} refunds already.`);
  requireAvailable(payment, requested, field);
}

/** Goods may come back whenever the merchant takes them, and no card is needed for it. */
export function requireExchangeable(payment: Payment, requested: Amount, field: string): void {
  requireCaptured(payment);
  requireAvailable(payment, requested, field);
}

function refuse(detail: string): Refusal {
  return new Refusal('PAYMENT_NOT_REFUNDABLE', { field: 'payment_id', detail });
}

function requireCaptured({ id, status }: Payment): void {
  if (status !== 'COMPLETED') throw refuse(`Payment ${id} is ${status}; only COMPLETED ones can be refunded.`);
}

function requireAvailable(payment: Payment, requested: Amount, field: string): void {
  if (requested <= refundable(payment)) return;
  throw new Refusal('REFUND_AMOUNT_INVALID', {
    field,
    detail: `The amount ${requested} is more than what is left of payment ${payment.id}: ${refundable(payment)}.`,
  });
}

/**
 * The tenders that an id means (decision 0014). The sale's own id and its first tender's mean the whole sale, except that a
 * PARTIAL refund by the first tender's id is of that tender alone. Any other tender's id means that tender.
 */
export function resolveTenderIds(
  { id, tenders }: { readonly id: string; readonly tenders: readonly { readonly id: string }[] },
  paymentId: string,
  refundScope: RefundType | 'GOODS',
): readonly string[] {
  const namesSale = id === paymentId || (tenders[0]?.id === paymentId && refundScope !== 'PARTIAL');
  return namesSale ? tenders.map((tender) => tender.id) : [paymentId];
}

/** A part of one tender. */
export interface TenderPart {
  readonly payment: Payment;
  readonly part: Amount;
}

/** What is asked of the tenders that an id means. */
interface RequestedPart {
  readonly paymentId: string;
  /** Missing where the request does not say it. */
  readonly amount: Amount | undefined;
}

/** Contract 4.2 rule 4: a part is an amount of one tender. */
export function requirePart(tenders: readonly Payment[], { paymentId, amount: part }: RequestedPart): TenderPart {
  if (part === undefined) {
    throw new Refusal('MISSING_REQUIRED_PARAMETER', {
      field: 'refunded_money',
      detail: 'refunded_money is required for a PARTIAL refund.',
    });
  }
  const [payment, ...others] = tenders;
  if (payment && others.length === 0) return { payment, part };
  throw new Refusal('INVALID_VALUE', {
    field: 'payment_id',
    detail: `Payment ${paymentId} was paid by several tenders: give the id of one of them as payment_id to refund a part.`,
  });
}

/** What a request means, in one form: the same however its sale is named (decision 0027). */
export function toCanonicalRequest(
  tenders: readonly Payment[],
  requested: RequestedPart & { readonly type: RefundType; readonly isWhole: boolean },
): string {
  if (requested.type === 'FULL') return requested.isWhole ? 'FULL' : `FULL:${tenders.map(({ id }) => id).join()}`;
  const { payment, part } = requirePart(tenders, requested);
  return `PARTIAL:${payment.id}:${part}`;
}

/** A refund that is asked for again: its first record, unless money of it did not go back. */
export function requireNotFailed(records: readonly SaleRefund[]): SaleRefund {
  const [first] = records;
  if (!first) throw new Error('a refund has a record');
  const lost = records.filter(({ status }) => status === 'FAILED' || status === 'REJECTED');
  if (lost.length === 0) return first;
  const others = records.filter((record) => !lost.includes(record));
  throw refuse(
    `The refund that this request_idempotence_key made failed: the money of ` +
      `${lost.map(({ paymentId }) => paymentId).join(', ')} did not go back.` +
      others.map(({ paymentId, status }) => ` The refund of ${paymentId} is ${status}.`).join(''),
  );
}

/** All that is left of every tender; those of which nothing is left are done with. */
export function toRemainingParts(tenders: readonly Payment[]): TenderPart[] {
  return tenders.map((payment) => ({ payment, part: refundable(payment) })).filter(({ part }) => part > ZERO);
}

/** An amount out of several tenders, in the order of taking; what is too much falls on the last. */
export function allocateToTenders(tenders: readonly Payment[], wanted: Amount): TenderPart[] {
  const parts: TenderPart[] = [];
  let missing: number = wanted;
  for (const [index, payment] of tenders.entries()) {
    const isLast = index === tenders.length - 1;
    const part = amount(isLast ? missing : Math.min(missing, refundable(payment)));
    missing -= part;
    if (part > ZERO) parts.push({ payment, part });
  }
  return parts;
}

/** An application gives back at most what it has left of what it took, and at most what is refunded. */
export function requireAppFeeShare(
  appFee: Amount,
  { amount: refunded, left }: { readonly amount: Amount; readonly left: Amount | null },
): void {
  if (left === null || appFee > refunded || appFee > left) {
    throw new Refusal('INVALID_FEES', {
      field: 'app_fee_money.amount',
      detail: 'app_fee_money must not exceed the refunded amount nor what the application still has of its fee.',
    });
  }
}
