/** The rules of refunds: which payments can be refunded, until when, and how much. Pure. */
import { Refusal } from '../../base/errors.js';
import { type Amount, add, amount, subtract, ZERO } from '../../base/money.js';
import { DAY_MS, type Instant, instant, SECOND_MS, yearAfter } from '../../base/time.js';
import type { TenderEvent } from '../cash-drawers/model.js';
import {
  type DisputablePayment,
  type Payment,
  type Refund,
  type RefundType,
  refundable,
  requireUndisputed,
} from '../payments/model.js';

export {
  REFUND_STATUSES,
  REFUND_TYPES,
  type Refund,
  type RefundOrigin,
  type RefundStatus,
  type RefundType,
} from '../payments/model.js';

/** What a person has to know of the payment of an earlier sale that the money goes back to. */
export type Payer = Pick<Payment, 'saleId' | 'sourceType' | 'tenderName' | 'cardBrand' | 'last4'>;

/** What v2 shows of a refund, and when the payment was captured whose money goes back. */
export type PrintableRefund = Omit<
  Refund,
  | 'origin'
  | 'type'
  | 'leaderId'
  | 'breakdown'
  | 'employeeId'
  | 'accountId'
  | 'deviceId'
  | 'exchangeIds'
  | 'overruledDisputeId'
> & { readonly capturedAt: Instant | null };

/** A refund as the owner sees it. */
export interface OwnerRefundRecord extends Refund {
  /** Null: the money goes back to the refunded tender itself. */
  readonly payer: Payer | null;
}

/** A refund with what v1 also shows: the v1 id of the sale, and the fee and the total of the payment whose money goes back. */
export interface SaleRefund extends OwnerRefundRecord {
  readonly v1Id: string;
  readonly fee: Amount | null;
  readonly total: Amount;
}

/** The delay between the request of a refund and the call to the processor (decision 0029). */
export const REFUND_DELAY_MS = 3 * SECOND_MS;

const MAX_REFUNDS = 20;

/** The end of the time for refunds, and its length in words for error details. */
export interface RefundWindow {
  readonly until: Instant;
  readonly length: string;
}

/** The window of v2 (decision 0029). */
export function oneYearWindow(createdAt: Instant): RefundWindow {
  return { until: yearAfter(createdAt), length: 'a year' };
}

/** The window of v1 and of registers (contract 4.2 rule 4). */
export function sixtyDayWindow(createdAt: Instant): RefundWindow {
  return { until: instant(createdAt + 60 * DAY_MS), length: '60 days' };
}

export interface RefundAttempt {
  readonly now: Instant;
  readonly window: RefundWindow;
  /** The request field that holds the amount. */
  readonly field: string;
  /** The disputes in spite of which the owner refunds. */
  readonly overruled?: readonly string[] | undefined;
}

/** Checks in a fixed order: the state of the payment, a dispute, an earlier failure, the age, the number of refunds, the amount. */
export function requireRefundable(
  payment: DisputablePayment,
  requested: Amount,
  { now, window, field, overruled }: RefundAttempt,
): void {
  requireCaptured(payment);
  requireUndisputed(payment, overruled);
  if (payment.refundsBlocked)
    throw refuse(`A refund of payment ${payment.id} failed, so no further refund is possible.`);
  if (now > window.until) throw refuse(`Payment ${payment.id} is more than ${window.length} old.`);
  if (payment.refundIds.length >= MAX_REFUNDS)
    throw refuse(`Payment ${payment.id} already has ${MAX_REFUNDS} refunds, which is the maximum.`);
  requireAvailable(payment, requested, field);
}

/**
 * An exchange moves no money, so it has no time window and no maximum number, and a failed refund does not block it. A dispute does: goods
 * would be handed out for money that the bank takes back.
 */
export function requireExchangeable(payment: DisputablePayment, requested: Amount, field: string): void {
  requireCaptured(payment);
  requireUndisputed(payment);
  requireAvailable(payment, requested, field);
}

function refuse(detail: string): Refusal {
  return new Refusal('PAYMENT_NOT_REFUNDABLE', { field: 'payment_id', detail });
}

function requireCaptured({ id, status }: Payment): void {
  if (status !== 'COMPLETED') throw refuse(`Payment ${id} is ${status}. Only COMPLETED payments can be refunded.`);
}

function requireAvailable(payment: Payment, requested: Amount, field: string): void {
  if (requested <= refundable(payment)) return;
  throw new Refusal('REFUND_AMOUNT_INVALID', {
    field,
    detail: `The amount ${requested} exceeds the remaining amount of payment ${payment.id}, which is ${refundable(payment)}.`,
  });
}

/** What an id in a request can refer to. NAMED: the sale or the tender that has it. SALE: the whole sale, also by the id of a tender. */
export type RefundScope = 'NAMED' | 'SALE';

/** The tenders that an id refers to (decision 0014): the id of a sale to all of them, the id of a tender to that tender. */
export function resolveTenderIds(
  { id, tenders }: { readonly id: string; readonly tenders: readonly { readonly id: string }[] },
  paymentId: string,
  refundScope: RefundScope,
): readonly string[] {
  return refundScope === 'SALE' || id === paymentId ? tenders.map((tender) => tender.id) : [paymentId];
}

/** An amount of one tender. */
export interface TenderPart {
  readonly payment: DisputablePayment;
  readonly part: Amount;
  /** Absent: the origin of the whole refund. */
  readonly origin?: Refund['origin'];
  /** If returned goods paid: the payment of an earlier sale that gives the money back, and the exchanges that lead there. */
  readonly payer?: { readonly payment: DisputablePayment; readonly exchangeIds: readonly string[] };
}

interface RequestedPart {
  readonly paymentId: string;
  readonly amount: Amount | undefined;
}

/** A PARTIAL refund needs an amount, and is of one tender (contract 4.2 rule 4). */
export function requirePart(
  tenders: readonly DisputablePayment[],
  { paymentId, amount: part }: RequestedPart,
): TenderPart {
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
    detail: `Payment ${paymentId} has several tenders. To refund a part, send the id of one tender as payment_id.`,
  });
}

/** The canonical form of a request: equal for all ids that refer to the same tenders (decision 0027). */
export function toCanonicalRequest(
  tenders: readonly DisputablePayment[],
  requested: RequestedPart & { readonly type: RefundType; readonly isWhole: boolean },
): string {
  if (requested.type === 'FULL') return requested.isWhole ? 'FULL' : `FULL:${tenders.map(({ id }) => id).join()}`;
  const { payment, part } = requirePart(tenders, requested);
  return `PARTIAL:${payment.id}:${part}`;
}

/** The replay of a refund: its first record, or a refusal if one of its records failed. */
export function requireNotFailed(records: readonly SaleRefund[]): SaleRefund {
  const [first] = records;
  if (!first) throw new Error('a refund must have a record');
  const failed = records.filter(({ status }) => status === 'FAILED' || status === 'REJECTED');
  if (failed.length === 0) return first;
  const others = records.filter((record) => !failed.includes(record));
  throw refuse(
    `The refund that was created with this request_idempotence_key failed: the money of ` +
      `${failed.map(({ paymentId }) => paymentId).join(', ')} was not refunded.` +
      others.map(({ paymentId, status }) => ` The refund of ${paymentId} is ${status}.`).join(''),
  );
}

/** The remaining amounts of all tenders that have one. */
export function toRemainingParts(tenders: readonly DisputablePayment[]): TenderPart[] {
  return tenders.map((payment) => ({ payment, part: refundable(payment) })).filter(({ part }) => part > ZERO);
}

/** Takes an amount from the tenders in their order. An excess is added to the last part, whose check then refuses it. */
export function allocateToTenders(tenders: readonly DisputablePayment[], wanted: Amount): TenderPart[] {
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

/**
 * Divides returned goods that are worth more than the new ones: the first `exchanged` of their value pays for the new goods, the rest goes
 * back as money. A tender may have a share in both.
 */
export function divideExchange(parts: readonly TenderPart[], exchanged: Amount): TenderPart[] {
  let left = exchanged;
  return parts.flatMap(({ payment, part }) => {
    const goods = amount(Math.min(left, part));
    const money = subtract(part, goods);
    left = subtract(left, goods);
    const afterGoods = { ...payment, exchanged: add(payment.exchanged, goods) };
    return [
      ...(goods > ZERO ? [{ payment, part: goods, origin: 'EXCHANGE' } as const] : []),
      ...(money > ZERO ? [{ payment: afterGoods, part: money, origin: 'REGISTER' } as const] : []),
    ];
  });
}

/** The application's share must not exceed its remaining fee, nor the refunded amount. */
export function requireAppFeeShare(
  appFee: Amount,
  { amount: refunded, left }: { readonly amount: Amount; readonly left: Amount | null },
): void {
  if (left === null || appFee > refunded || appFee > left) {
    throw new Refusal('INVALID_FEES', {
      field: 'app_fee_money.amount',
      detail: 'app_fee_money must not exceed the refunded amount, nor the remaining application fee.',
    });
  }
}

/** The drawer event of a refund. Card refunds have none. */
export function toRefundDrawerEvent({ id: subjectId, sourceType, amount }: Refund): TenderEvent | undefined {
  switch (sourceType) {
    case 'CASH':
      return { kind: 'CASH_TENDER_REFUND', amount, subjectId };
    case 'OTHER':
      return { kind: 'OTHER_TENDER_REFUND', amount: ZERO, subjectId };
    case 'CARD':
      return undefined;
  }
}
