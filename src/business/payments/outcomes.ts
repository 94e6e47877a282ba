/** What becomes of a payment when the processor has answered, and which movements that makes. Pure. */
import { Refusal, type RefusalName } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { toJson } from '../../base/json.js';
import { type Amount, add, amount, negate, shareOfPart, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { type AuthorizeOutcome, isPresent } from '../../processor/contract.js';
import { faultOf } from '../../processor/sources.js';
import type { Movement } from '../movements/model.js';
import { newOrderId } from '../sales/model.js';
import { toCardDetails } from './card-details.js';
import {
  chargedFees,
  delayEnd,
  type Payment,
  type PaymentError,
  type PendingPayment,
  processingFee,
  type Refund,
} from './model.js';

export const ID_LENGTH = 27;

/** Decision 0014: it tells which payment it is of. */
export function newRefundId(ids: Ids, paymentId: string): string {
  return `${paymentId}_${ids.newId(43)}`;
}

type Answer = Exclude<AuthorizeOutcome, { kind: 'unusable' }>;

export function applyOutcome(
  pending: PendingPayment,
  outcome: Answer,
  { autocomplete, at, heardAt = at }: { autocomplete: boolean; at: Instant; heardAt?: Instant },
): Payment {
  const approved = outcome.kind === 'approved';
  // What a gift card does not hold is missing from the amount, never from the tip: partial ones have none.
  const amount = approved ? subtract(outcome.amount, pending.tip ?? ZERO) : pending.amount;
  const total = add(amount, pending.tip ?? ZERO);
  const captured = approved && autocomplete;
  // Decision 0030: a card that was there costs the same wherever it was charged.
  const entryMethod = pending.entryMethod ?? (isPresent(outcome.card) ? 'SWIPED' : null);
  // What was said of the card's way already: by a register, or for the card's statement.
  const known = pending.cardDetails === null ? {} : JSON.parse(pending.cardDetails);
  return {
    ...pending,
    status: approved ? (captured ? 'COMPLETED' : 'APPROVED') : 'FAILED',
    // Not when a register took it: who asks for what changed would never see what it sends late (decision 0103).
    updatedAt: heardAt,
    capturedAt: captured ? at : null,
    delayedUntil: approved && !captured ? delayEnd(pending.createdAt) : null,
    amount,
    total,
    fee: captured ? processingFee({ total, entryMethod }) : null,
    entryMethod,
    cardBrand: outcome.card.brand,
    last4: outcome.card.last4,
    cardDetails: toJson({ ...toCardDetails(outcome.card, pending.entryMethod), ...known }),
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

/** The answer to a decline: its errors, with what failed beside them (decision 0024). */
export function declineOf(
  payment: Pick<Payment, 'errors'>,
  beside: Refusal['beside'],
  headers: Refusal['headers'] = {},
): Refusal {
  const [first, ...rest] = payment.errors ?? [];
  if (!first) throw new Error('a failed payment tells why');
  const also = rest.map(({ code, detail }) => new Refusal(code as RefusalName, { detail }));
  return new Refusal(first.code as RefusalName, { detail: first.detail, also, beside, headers });
}

/** Before anything is written down: what is no source may be a card number. */
export function requireSource(sourceId: string): void {
  const why = faultOf(sourceId);
  if (why) throw refuseSource({ kind: 'unusable', why });
}

/** Why a source cannot be charged at all. */
export function refuseSource({ why }: Extract<AuthorizeOutcome, { kind: 'unusable' }>): Refusal {
  const field = 'source_id';
  switch (why) {
    case 'ALREADY_USED':
      return new Refusal('CARD_TOKEN_USED', { field });
    case 'UNKNOWN_SOURCE':
      return new Refusal('NOT_FOUND', { field, detail: 'There is no such payment source.' });
    case 'CARD_NUMBER':
      return new Refusal('INVALID_VALUE', {
        field,
        detail: 'Never send a card number. Send a card nonce (cnon:...) or the id of a card on file (ccof:...).',
      });
    case 'NOT_A_SOURCE':
      return new Refusal('INVALID_VALUE', {
        field,
        detail: 'source_id must be a card nonce (cnon:...) or the id of a card on file (ccof:...).',
      });
  }
}

/** What the merchant is owed for a captured card; nothing for one that is not, or for cash. */
export function chargeOf(ids: Ids, payment: Payment, at: Instant | null = payment.capturedAt): Movement | undefined {
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

/** The movement of money that goes back to the buyer, with the share of the fees that comes back to the merchant. */
export function returnOf(
  ids: Ids,
  payment: Payment,
  {
    part,
    kind,
    refundId,
    at,
    appFeeShare,
    appFeeLeft,
  }: {
    readonly part: Amount;
    readonly kind: 'REFUND' | 'REVERSAL';
    readonly refundId: string;
    readonly at: Instant;
    /** What the application gives back; its proportional share where it did not say. */
    readonly appFeeShare?: Amount | null;
    /** No more than this of it can come back. */
    readonly appFeeLeft: Amount | null;
  },
): { readonly movement: Movement; readonly returnedFee: Amount; readonly appFee: Amount | null } {
  const { total, returned } = payment;
  const returnedFee = shareOfPart(payment.fee ?? ZERO, { total, before: returned, part });
  const proportional = shareOfPart(payment.appFee ?? ZERO, { total, before: returned, part });
  const fromApplication = appFeeShare ?? amount(Math.min(proportional, appFeeLeft ?? ZERO));
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

/** A captured payment, or what is left of it, that is taken back: v1 shows it as a refund (decision 0026). */
export interface Reversal {
  readonly refund: Refund;
  /** Only of what a processor took is the merchant owed anything. */
  readonly movement: Movement | undefined;
}

export function reversalOf(
  ids: Ids,
  payment: Payment,
  {
    part,
    at,
    appFeeLeft,
    breakdown,
  }: { part: Amount; at: Instant; appFeeLeft: Amount | null; breakdown: Refund['breakdown'] },
): Reversal {
  const refundId = newRefundId(ids, payment.id);
  const { movement, ...fees } = returnOf(ids, payment, { part, kind: 'REVERSAL', refundId, at, appFeeLeft });
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
  };
  return { refund, movement: payment.sourceType === 'CARD' ? movement : undefined };
}
