/** Payments: their fields, their fees, and the state table of contract 3. Pure. */
import { Refusal } from '../../base/errors.js';
import type { JsonText } from '../../base/json.js';
import { type Amount, add, amount, negate, portion, shareOfPart, subtract, ZERO } from '../../base/money.js';
import { versionOfText } from '../../base/normalized-request.js';
import { type Instant, latest } from '../../base/time.js';
import type { Breakdown } from '../receipts/model.js';
import type { SaleKind } from '../sales/model.js';
import type { SourceType } from '../tenders/model.js';
import type { DelayAction } from './delay-model.js';

/** The statuses that callers see. */
export const PAYMENT_STATUSES = ['APPROVED', 'COMPLETED', 'CANCELED', 'FAILED'] as const;
export type VisibleStatus = (typeof PAYMENT_STATUSES)[number];
/** PENDING: the outcome at the processor is unknown. Callers never see such a payment (decision 0031). */
export type PaymentStatus = VisibleStatus | 'PENDING';

export type PaymentAction = 'COMPLETE' | 'CANCEL' | 'EXPIRE' | 'CANCEL_BY_KEY';

/** The next state for each state and action. `refused` is an error that names the state; `nothing` is a success without effect. */
export const PAYMENT_TRANSITIONS: Readonly<
  Record<VisibleStatus, Readonly<Record<PaymentAction, VisibleStatus | 'refused' | 'nothing'>>>
> = {
  APPROVED: { COMPLETE: 'COMPLETED', CANCEL: 'CANCELED', EXPIRE: 'CANCELED', CANCEL_BY_KEY: 'CANCELED' },
  // Canceling by key also reverses a captured payment (decision 0028).
  COMPLETED: { COMPLETE: 'refused', CANCEL: 'refused', EXPIRE: 'nothing', CANCEL_BY_KEY: 'CANCELED' },
  CANCELED: { COMPLETE: 'refused', CANCEL: 'refused', EXPIRE: 'nothing', CANCEL_BY_KEY: 'nothing' },
  FAILED: { COMPLETE: 'refused', CANCEL: 'refused', EXPIRE: 'nothing', CANCEL_BY_KEY: 'nothing' },
};

export function wrongState({ id, status }: Pick<Payment, 'id' | 'status'>, action: PaymentAction): Refusal {
  return new Refusal('WRONG_STATE', {
    detail: `Payment ${id} is ${status}, so ${action.toLowerCase()} is not possible.`,
  });
}

/**
 * SWIPED: the card was present. MANUAL: its number was typed in at a register. A payment has null for cards that were charged online, and
 * for tenders without a card.
 */
export type EntryMethod = 'SWIPED' | 'MANUAL';

export interface PaymentError {
  readonly category: string;
  readonly code: string;
  readonly detail: string;
}

export interface Payment<Status extends PaymentStatus = VisibleStatus> {
  readonly id: string;
  readonly saleId: string;
  readonly locationId: string;
  /** The kind of its sale. */
  readonly channel: SaleKind;
  /** Set for the channel API, null for the others. */
  readonly applicationId: string | null;
  readonly status: Status;
  readonly sourceType: SourceType;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly capturedAt: Instant | null;
  /** When it ends by itself. Null unless it is APPROVED. */
  readonly delayedUntil: Instant | null;
  /** What the application asked for; null: the default (`delay-model.ts`). */
  readonly delayDuration: string | null;
  readonly delayAction: DelayAction | null;
  readonly currency: string;
  readonly amount: Amount;
  readonly tip: Amount | null;
  readonly total: Amount;
  readonly appFee: Amount | null;
  readonly fee: Amount | null;
  /** The sum that refunds have reserved, including pending refunds. */
  readonly refunded: Amount;
  /** The sum of completed refunds and of the reversal. */
  readonly returned: Amount;
  readonly refundIds: readonly string[];
  readonly refundsBlocked: boolean;
  /** The value of returned goods that paid for another sale. It cannot be refunded any more. */
  readonly exchanged: Amount;
  /** The part of the processing fee that came back when a captured card payment was canceled (decision 0028), and when. */
  readonly reversedFee: Amount;
  readonly reversedAt: Instant | null;
  /** Only payments of a register have this and the fields below, up to `drawerShiftId`. Present cards have `entryMethod` too. */
  readonly employeeId: string | null;
  readonly registerTenderId: string | null;
  readonly entryMethod: EntryMethod | null;
  /** The cash that the buyer handed over. The change is the difference to the total. */
  readonly tendered: Amount | null;
  readonly tenderName: string | null;
  /** Whether returned goods pay instead of money. */
  readonly isExchange: boolean;
  readonly drawerShiftId: string | null;
  /** The processor of the merchant that has charged the card, and that captures, voids and refunds it; null: that of the server. */
  readonly processorId: string | null;
  readonly cardBrand: string | null;
  readonly last4: string | null;
  /**
   * The card, and the application's fields, as v2 shows them (`details.ts`). They are JSON text, because all writers and most readers pass
   * them on as a whole. Searches, lists and the erasure of a buyer read single fields in SQL.
   */
  readonly cardDetails: JsonText<object> | null;
  readonly details: JsonText<object>;
  readonly errors: readonly PaymentError[] | null;
}

export type PendingPayment = Payment<'PENDING'>;

/** A dispute that has not ended: the buyer's bank holds this amount of a payment. */
export interface ActiveDispute {
  readonly id: string;
  readonly amount: Amount;
  readonly placedAt: Instant;
}

/** A payment as it is read before money of it goes back. */
export type DisputablePayment<Status extends PaymentStatus = VisibleStatus> = Payment<Status> & {
  readonly dispute: ActiveDispute | null;
};

/**
 * While a dispute holds money of a payment, none of it is given back, because a lost dispute would give it back a second time. Only the
 * owner overrules that, by naming the dispute (decision 0225).
 */
export function requireUndisputed(
  { last4, dispute }: Pick<DisputablePayment<PaymentStatus>, 'last4' | 'dispute'>,
  overruled: readonly string[] = [],
): void {
  if (dispute === null || overruled.includes(dispute.id)) return;
  throw new Refusal('PAYMENT_NOT_REFUNDABLE', {
    field: 'payment_id',
    detail:
      `${last4 === null ? 'The payment' : `The payment by the card ending in ${last4}`} is disputed. If it was refunded and the ` +
      'dispute was lost, the money would go back twice. Wait for the end of the dispute, or let the owner refund it on the dashboard.',
  });
}

/**
 * Defaults of a payment before the processor responds. Spread them after the required fields: if they are spread first, V8
 * gives each object its own hidden class, and creating one takes 40 times as long.
 */
export const PENDING_DEFAULTS = {
  status: 'PENDING',
  capturedAt: null,
  delayedUntil: null,
  delayDuration: null,
  delayAction: null,
  tip: null,
  appFee: null,
  fee: null,
  refunded: ZERO,
  returned: ZERO,
  refundIds: [],
  refundsBlocked: false,
  exchanged: ZERO,
  reversedFee: ZERO,
  reversedAt: null,
  employeeId: null,
  registerTenderId: null,
  entryMethod: null,
  tendered: null,
  tenderName: null,
  isExchange: false,
  drawerShiftId: null,
  processorId: null,
  cardBrand: null,
  last4: null,
  cardDetails: null,
  errors: null,
} as const satisfies Partial<PendingPayment>;

/** A processing fee: thousandths of the total, plus minor units (decision 0030). */
interface FeeRate {
  readonly thousandths: number;
  readonly fixed: number;
}

const FEES: Readonly<Record<EntryMethod, FeeRate>> = {
  SWIPED: { thousandths: 26, fixed: 10 },
  MANUAL: { thousandths: 35, fixed: 15 },
};

/** Of a card without an entry method. */
const ONLINE_FEE: FeeRate = { thousandths: 29, fixed: 30 };

export function processingFee({ total, entryMethod }: Pick<Payment, 'total' | 'entryMethod'>): Amount {
  const { thousandths, fixed } = entryMethod === null ? ONLINE_FEE : FEES[entryMethod];
  return add(portion(total, thousandths, 1000), amount(fixed));
}

/**
 * Names the state of a payment, and is another text after every change of it. What the processor says later of the fee, and the erasure of
 * a buyer, are no changes.
 */
export function versionTokenOf(
  payment: Pick<Payment, 'id' | 'updatedAt' | 'total' | 'refunded' | 'returned'> & { status: PaymentStatus },
) {
  const { id, status, updatedAt, total, refunded, returned } = payment;
  return versionOfText(`${id} ${status} ${updatedAt} ${total} ${refunded} ${returned}`);
}

/** Refuses to change a payment that has changed since the caller has seen it. */
export function requireVersion(payment: Payment, versionToken: string, field: string): void {
  if (versionToken === versionTokenOf(payment)) return;
  const detail = `Payment ${payment.id} has changed since it was read with this ${field}. Read it again.`;
  throw new Refusal('VERSION_MISMATCH', { field, detail });
}

/** The minimum charge in minor units of the currency. */
export function minimumCharge(currency: string): number {
  return ['AUD', 'GBP', 'JPY'].includes(currency) ? 100 : 1;
}

/** An application fee must not exceed 90 % of the total, rounded down. */
export function requireAppFee(appFee: Amount | null, total: Amount): void {
  const maxAppFee = Math.floor((total * 9) / 10);
  if (appFee !== null && appFee > maxAppFee) {
    throw new Refusal('INVALID_FEES', {
      field: 'app_fee_money.amount',
      detail: `app_fee_money.amount must not exceed 90 % of the total, which is ${maxAppFee}.`,
    });
  }
}

/** The amount that is refunded or exchanged, including pending refunds. */
export function refundedOrExchanged({ refunded, exchanged }: Pick<Payment, 'refunded' | 'exchanged'>): Amount {
  return add(refunded, exchanged);
}

/** The amount that can still be refunded. */
export function refundable(payment: Pick<Payment, 'total' | 'refunded' | 'exchanged'>): Amount {
  return subtract(payment.total, refundedOrExchanged(payment));
}

/**
 * The part of the application fee that is neither returned nor promised to a pending refund. Null without an application
 * fee. A refund may name the application's share, so that share is not always proportional. The processor's share always
 * is, so the application's share is the returned fees minus the proportional processing fee.
 */
export function remainingAppFee(
  { appFee, fee, total, returned }: Pick<Payment, 'appFee' | 'fee' | 'total' | 'returned'>,
  { returnedFees, promised }: { readonly returnedFees: Amount; readonly promised: Amount },
): Amount | null {
  if (appFee === null) return null;
  const fromApplication = subtract(returnedFees, shareOfPart(fee ?? ZERO, { total, before: ZERO, part: returned }));
  return subtract(appFee, add(fromApplication, promised));
}

/** The sum of all fees, negative as in the charge movement. */
export function chargedFees({ fee, appFee }: Pick<Payment, 'fee' | 'appFee'>): Amount {
  return negate(add(fee ?? ZERO, appFee ?? ZERO));
}

export const REFUND_STATUSES = ['PENDING', 'COMPLETED', 'REJECTED', 'FAILED'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** The refund types of v1: the remaining amount, or a given amount. */
export const REFUND_TYPES = ['FULL', 'PARTIAL'] as const;
export type RefundType = (typeof REFUND_TYPES)[number];

/**
 * EXCHANGE: returned goods paid for another sale, and no money moved. REVERSAL: a captured payment was canceled. v1 shows
 * both, v2 neither.
 */
export type RefundOrigin = 'API' | 'REGISTER' | 'EXCHANGE' | 'REVERSAL';

/** A refund of one payment. It is declared here, because canceling a captured payment creates one. */
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
  readonly origin: RefundOrigin;
  readonly type: RefundType;
  /** For a refund of several tenders: the id of its first record. Null for the first record itself. */
  readonly leaderId: string | null;
  /** Null if every part of the breakdown is zero. */
  readonly breakdown: Breakdown | null;
  readonly employeeId: string | null;
  /** The account of the owner who made the refund on the dashboard. Null for all others. */
  readonly accountId: string | null;
  /** The register at which it was made. Null or absent for all others. */
  readonly deviceId?: string | null;
  /** If returned goods paid: the payment of an earlier sale that the money goes back to. Null or absent: `paymentId`. */
  readonly returnedTo?: string | null;
  /** The exchanges through which it goes back, if it does. */
  readonly exchangeIds?: readonly string[] | null;
  /** The dispute in spite of which the owner made it. Null or absent for all others. */
  readonly overruledDisputeId?: string | null;
}

/** The payment whose money a refund gives back. */
export function payerOf({ paymentId, returnedTo }: Pick<Refund, 'paymentId' | 'returnedTo'>): string {
  return returnedTo ?? paymentId;
}

/** APPROVED -> COMPLETED. */
export function capture(payment: Payment, { at, fee }: { readonly at: Instant; readonly fee: Amount }): Payment {
  requireTransition(payment, 'COMPLETE', 'COMPLETED');
  return {
    ...payment,
    status: 'COMPLETED',
    capturedAt: at,
    updatedAt: latest(payment.updatedAt, at),
    fee,
    delayedUntil: null,
  };
}

/** -> CANCELED. A captured payment has a reversal of all that can still be refunded, unless nothing is left. */
export function cancel(payment: Payment, at: Instant, reversal?: Refund): Payment {
  requireTransition(payment, 'CANCEL_BY_KEY', 'CANCELED');
  const canceled: Payment = {
    ...payment,
    status: 'CANCELED',
    updatedAt: latest(payment.updatedAt, at),
    delayedUntil: null,
  };
  return reversal ? withReversal(canceled, reversal) : canceled;
}

function requireTransition({ id, status }: Payment, action: PaymentAction, next: VisibleStatus): void {
  if (PAYMENT_TRANSITIONS[status][action] === next) return;
  throw new Error(`payment_state: payment ${id} is ${status}, so it does not become ${next}`);
}

/** Adds a reversal to the sums of its payment, and the returned part of the processing fee, which v2 shows for cards. */
export function withReversal(payment: Payment, { amount: part, sourceType, returnedFee, createdAt }: Refund): Payment {
  const fee = sourceType === 'CARD' ? (returnedFee ?? ZERO) : ZERO;
  return {
    ...payment,
    returned: add(payment.returned, part),
    reversedFee: add(payment.reversedFee, fee),
    reversedAt: createdAt,
  };
}

/**
 * Adds a new refund to a payment that it concerns: the one that is refunded, or the one whose money goes back. That one has counted it as
 * exchanged until then.
 */
export function withRefund(payment: Payment, refund: Refund): Payment {
  const { id, amount: part, origin, status, returnedTo, updatedAt } = refund;
  if (payment.status !== 'COMPLETED') throw new Error(`captured_payment: the payment is ${payment.status}`);
  const changed = { ...payment, updatedAt: latest(payment.updatedAt, updatedAt) };
  if (origin === 'EXCHANGE') return { ...changed, exchanged: add(payment.exchanged, part) };
  return {
    ...changed,
    refunded: add(payment.refunded, part),
    exchanged: returnedTo === payment.id ? subtract(payment.exchanged, part) : payment.exchanged,
    refundIds: [...payment.refundIds, id],
    returned: status === 'COMPLETED' ? add(payment.returned, part) : payment.returned,
  };
}

/** The money of a pending refund has gone back. */
export function withCompletedRefund(payment: Payment, { amount: part, updatedAt }: Refund): Payment {
  return {
    ...payment,
    returned: add(payment.returned, part),
    updatedAt: latest(payment.updatedAt, updatedAt),
  };
}

/** Releases what a refund that has failed had reserved. `was` is its status before. */
export function withFailedRefund(
  payment: Payment,
  { amount: part, returnedTo, updatedAt }: Refund,
  { was, blocks }: { readonly was: RefundStatus; readonly blocks: boolean },
): Payment {
  return {
    ...payment,
    refunded: subtract(payment.refunded, part),
    exchanged: returnedTo === payment.id ? add(payment.exchanged, part) : payment.exchanged,
    returned: was === 'COMPLETED' ? subtract(payment.returned, part) : payment.returned,
    refundsBlocked: payment.refundsBlocked || blocks,
    updatedAt: latest(payment.updatedAt, updatedAt),
  };
}

/** What was exchanged can be refunded or exchanged again. */
export function withoutExchange(payment: Payment, { amount: part }: Refund, at: Instant): Payment {
  return {
    ...payment,
    exchanged: subtract(payment.exchanged, part),
    updatedAt: latest(payment.updatedAt, at),
  };
}
