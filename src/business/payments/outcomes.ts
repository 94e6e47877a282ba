/** Applies the processor's response to a payment, and computes movements and reversals. Pure. */
import { Refusal, type RefusalName } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, add, amount, negate, shareOfPart, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { type AuthorizeOutcome, isPresent } from '../../processor/contract.js';
import { invalidSourceReason } from '../../processor/sources.js';
import type { Movement } from '../movements/model.js';
import { newOrderId } from '../sales/model.js';
import { delayedUntilOf } from './delay-model.js';
import { withCard, withDeclinedCard } from './details.js';
import {
  chargedFees,
  type Payment,
  type PaymentError,
  type PendingPayment,
  payerOf,
  processingFee,
  type Refund,
} from './model.js';

export const ID_LENGTH = 27;

/** A refund's id contains the id of its payment (decision 0014). */
export function newRefundId(ids: Ids, paymentId: string): string {
  return `${paymentId}_${ids.newId(43)}`;
}

type AppliedOutcome = Exclude<AuthorizeOutcome, { kind: 'unusable' }>;

export function applyOutcome(
  pending: PendingPayment,
  outcome: AppliedOutcome,
  { autocomplete, at, receivedAt = at }: { autocomplete: boolean; at: Instant; receivedAt?: Instant },
): Payment {
  const approved = outcome.kind === 'approved';
  // A partial authorization reduces the amount, never the tip: a payment with a tip does not accept one.
  const amount = approved ? subtract(outcome.amount, pending.tip ?? ZERO) : pending.amount;
  const total = add(amount, pending.tip ?? ZERO);
  const captured = approved && autocomplete;
  // A card that is present has the same fee through every channel (decision 0030).
  const entryMethod = pending.entryMethod ?? (isPresent(outcome.card) ? 'SWIPED' : null);
  return {
    ...pending,
    status: approved ? (captured ? 'COMPLETED' : 'APPROVED') : 'FAILED',
    // Not the time at the register: a client that lists by updated_at would miss payments that arrive late (decision 0103).
    updatedAt: receivedAt,
    capturedAt: captured ? at : null,
    delayedUntil: approved && !captured ? delayedUntilOf(pending) : null,
    amount,
    total,
    fee: captured ? (outcome.fee ?? processingFee({ total, entryMethod })) : null,
    entryMethod,
    cardBrand: outcome.card.brand,
    last4: outcome.card.last4,
    cardDetails: (approved ? withCard : withDeclinedCard)(pending.cardDetails, outcome.card, pending.entryMethod),
    errors: approved ? null : declineErrors(outcome),
  };
}

function declineErrors({ code, availableAmount }: Extract<AuthorizeOutcome, { kind: 'declined' }>): PaymentError[] {
  const errors = [declineError(code, `Authorization error: '${code}'`)];
  if (availableAmount !== undefined) errors.push(declineError('GIFT_CARD_AVAILABLE_AMOUNT', String(availableAmount)));
  return errors;
}

function declineError(code: RefusalName, detail: string): PaymentError {
  return { category: 'PAYMENT_METHOD_ERROR', code, detail };
}

/** The error response to a decline: all its errors, with the failed payment `beside` them (decision 0024). */
export function toDeclineRefusal(
  payment: Pick<Payment, 'errors'>,
  beside: Refusal['beside'],
  headers: Refusal['headers'] = {},
): Refusal {
  const [first, ...rest] = payment.errors ?? [];
  if (!first) throw new Error('a failed payment must have errors');
  const also = rest.map(({ code, detail }) => new Refusal(code as RefusalName, { detail }));
  return new Refusal(first.code as RefusalName, { detail: first.detail, also, beside, headers });
}

/** Refuses an invalid source before anything is stored, because the value could be a card number. */
export function requireSource(sourceId: string): void {
  const why = invalidSourceReason(sourceId);
  if (why) throw toSourceRefusal({ kind: 'unusable', why });
}

/** The refusal of a source that cannot be charged. */
export function toSourceRefusal({ why, working }: Extract<AuthorizeOutcome, { kind: 'unusable' }>): Refusal {
  const field = 'source_id';
  switch (why) {
    case 'ALREADY_USED':
      return new Refusal('CARD_TOKEN_USED', { field });
    case 'UNKNOWN_SOURCE':
      return new Refusal('NOT_FOUND', {
        field,
        detail: `There is no such payment source.${working === undefined ? '' : ` One that works is ${working}.`}`,
      });
    case 'CARD_NUMBER':
      return new Refusal('INVALID_VALUE', {
        field,
        detail:
          'Never send a card number. Send a card nonce (cnon:...), the id of a card on file (ccof:...) or a payment method (pm_...).',
      });
    case 'NOT_A_SOURCE':
      return new Refusal('INVALID_VALUE', {
        field,
        detail:
          'source_id must be a card nonce (cnon:...), the id of a card on file (ccof:...) or a payment method (pm_...).',
      });
  }
}

/** The charge movement of a captured card payment. Undefined for other states and other source types. */
export function toChargeMovement(
  ids: Ids,
  payment: Payment,
  at: Instant | null = payment.capturedAt,
): Movement | undefined {
  if (payment.status !== 'COMPLETED' || at === null || payment.sourceType !== 'CARD') return undefined;
  return {
    id: ids.newId(ID_LENGTH),
    locationId: payment.locationId,
    paymentId: payment.id,
    refundId: null,
    kind: 'CHARGE',
    currency: payment.currency,
    amount: payment.total,
    fee: chargedFees(payment),
    occurredAt: at,
  };
}

/** The movement of a refund or a reversal, with the share of the fees that the merchant gets back. */
export function toRefundMovement(
  ids: Ids,
  payment: Payment,
  {
    part,
    kind,
    refundId,
    at,
    appFeeShare,
    remainingAppFee,
  }: {
    readonly part: Amount;
    readonly kind: 'REFUND' | 'REVERSAL';
    readonly refundId: string;
    readonly at: Instant;
    /** The amount that the application returns. Its proportional share if it named none. */
    readonly appFeeShare?: Amount | null;
    /** The maximum of the proportional share. */
    readonly remainingAppFee: Amount | null;
  },
): { readonly movement: Movement; readonly returnedFee: Amount; readonly appFee: Amount | null } {
  const { total, returned } = payment;
  const returnedFee = shareOfPart(payment.fee ?? ZERO, { total, before: returned, part });
  const proportional = shareOfPart(payment.appFee ?? ZERO, { total, before: returned, part });
  const fromApplication = appFeeShare ?? amount(Math.min(proportional, remainingAppFee ?? ZERO));
  const movement: Movement = {
    id: ids.newId(ID_LENGTH),
    locationId: payment.locationId,
    paymentId: payment.id,
    refundId,
    kind,
    currency: payment.currency,
    amount: negate(part),
    fee: add(returnedFee, fromApplication),
    occurredAt: at,
  };
  return { movement, returnedFee, appFee: payment.appFee === null ? null : fromApplication };
}

/**
 * Takes back the movement of a completed refund. The share of the fee is computed for the last part of the returned amount, not for the
 * part of this refund. So the fee that stays returned is the exact share of the amount that stays returned, whichever refund fails.
 */
export function toFailedRefundMovement(
  ids: Ids,
  { fee, total, returned }: Payment,
  refund: Refund,
  at: Instant,
): Movement {
  const { amount: part, appFee } = refund;
  const share = shareOfPart(fee ?? ZERO, { total, before: subtract(returned, part), part });
  return {
    id: ids.newId(ID_LENGTH),
    locationId: refund.locationId,
    paymentId: payerOf(refund),
    refundId: refund.id,
    kind: 'REFUND',
    currency: refund.currency,
    amount: part,
    fee: negate(add(share, appFee ?? ZERO)),
    occurredAt: at,
  };
}

/** The reversal of the remaining amount of a captured payment. v1 shows it as a refund (decision 0026). */
export interface Reversal {
  readonly refund: Refund;
  /** Undefined for cash and other tenders: the merchant is owed for card payments only. */
  readonly movement: Movement | undefined;
}

export function toReversal(
  ids: Ids,
  payment: Payment,
  {
    part,
    at,
    remainingAppFee,
    breakdown,
  }: { part: Amount; at: Instant; remainingAppFee: Amount | null; breakdown: Refund['breakdown'] },
): Reversal {
  const refundId = newRefundId(ids, payment.id);
  const { movement, ...fees } = toRefundMovement(ids, payment, {
    part,
    kind: 'REVERSAL',
    refundId,
    at,
    remainingAppFee,
  });
  const refund: Refund = {
    id: refundId,
    paymentId: payment.id,
    locationId: payment.locationId,
    status: 'COMPLETED',
    sourceType: payment.sourceType,
    createdAt: at,
    updatedAt: at,
    currency: payment.currency,
    amount: part,
    ...fees,
    orderId: newOrderId(ids),
    reason: null,
    origin: 'REVERSAL',
    type: 'FULL',
    leaderId: null,
    breakdown,
    employeeId: null,
    accountId: null,
  };
  return { refund, movement: payment.sourceType === 'CARD' ? movement : undefined };
}
