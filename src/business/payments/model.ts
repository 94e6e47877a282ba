/** What a payment is, what it costs, and what may become of it: the state table of contract 3 as data. */
import { Refusal } from '../../base/errors.js';
import type { JsonText } from '../../base/json.js';
import { type Amount, add, amount, negate, portion, shareOfPart, subtract, ZERO } from '../../base/money.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import type { Breakdown } from '../receipts/model.js';
import type { SaleKind } from '../sales/model.js';

/** What callers see. */
export const PAYMENT_STATUSES = ['APPROVED', 'COMPLETED', 'CANCELED', 'FAILED'] as const;
export type VisibleStatus = (typeof PAYMENT_STATUSES)[number];
/** PENDING: the processor was asked and its answer is not known; nobody sees it (decision 0031). */
export type PaymentStatus = VisibleStatus | 'PENDING';
export type PaymentAction = 'COMPLETE' | 'CANCEL' | 'EXPIRE' | 'CANCEL_BY_KEY';

/** What each action makes of each state; `refused` names the state to the caller, `nothing` leaves it as it is. */
export const PAYMENT_TRANSITIONS: Readonly<
  Record<VisibleStatus, Readonly<Record<PaymentAction, VisibleStatus | 'refused' | 'nothing'>>>
> = {
  APPROVED: { COMPLETE: 'COMPLETED', CANCEL: 'CANCELED', EXPIRE: 'CANCELED', CANCEL_BY_KEY: 'CANCELED' },
  // Decision 0028: cancelling by key reverses even what was captured.
  COMPLETED: { COMPLETE: 'refused', CANCEL: 'refused', EXPIRE: 'nothing', CANCEL_BY_KEY: 'CANCELED' },
  CANCELED: { COMPLETE: 'refused', CANCEL: 'refused', EXPIRE: 'nothing', CANCEL_BY_KEY: 'nothing' },
  FAILED: { COMPLETE: 'refused', CANCEL: 'refused', EXPIRE: 'nothing', CANCEL_BY_KEY: 'nothing' },
};

export function wrongState({ id, status }: Pick<Payment, 'id' | 'status'>, action: PaymentAction): Refusal {
  return new Refusal('WRONG_STATE', {
    detail: `Payment ${id} is ${status}, so ${action.toLowerCase()} is not possible.`,
  });
}

/** v2 shows cards, gift cards among them; the others are v1's (decision 0025). */
export type SourceType = 'CARD' | 'CASH' | 'OTHER';

/** How a card came, in v1's words: it was there, or it was typed in at a register; null, through the API, is WEB_FORM. */
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
  /** That of its sale. */
  readonly channel: SaleKind;
  /** Of the API; null of the others. */
  readonly applicationId: string | null;
  readonly status: Status;
  readonly sourceType: SourceType;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly capturedAt: Instant | null;
  readonly delayedUntil: Instant | null;
  readonly currency: string;
  readonly amount: Amount;
  readonly tip: Amount | null;
  readonly total: Amount;
  readonly appFee: Amount | null;
  readonly fee: Amount | null;
  /** Reserved by refunds, pending ones too. */
  readonly refunded: Amount;
  /** Given back for good. */
  readonly returned: Amount;
  readonly refundIds: readonly string[];
  readonly refundsBlocked: boolean;
  /** The value of its goods that went into another sale: gone, but not refunded. */
  readonly exchanged: Amount;
  /** What a register says besides; an application says none of it. */
  readonly employeeId: string | null;
  readonly registerTenderId: string | null;
  readonly entryMethod: EntryMethod | null;
  /** The cash that was handed over: the change is what is above the total. */
  readonly tendered: Amount | null;
  readonly tenderName: string | null;
  /** It is the value of goods that were returned, not money. */
  readonly isExchange: boolean;
  readonly drawerShiftId: string | null;
  readonly cardBrand: string | null;
  readonly last4: string | null;
  /** What is known of the card and what the application said, as v2 shows it: only ever copied out. */
  readonly cardDetails: JsonText<object> | null;
  readonly details: JsonText<object>;
  readonly errors: readonly PaymentError[] | null;
}

/** With what v2 shows of it, printed. */
export interface ShownPayment extends Payment {
  readonly shown: string;
}

export type PendingPayment = Payment<'PENDING'>;

/**
 * A payment before the processor has answered, with nothing that only some of them have. To be spread behind what all
 * have: spread first, what follows gives every single object a shape of its own, and takes 40 times as long.
 */
export const UNANSWERED = {
  status: 'PENDING',
  capturedAt: null,
  delayedUntil: null,
  tip: null,
  appFee: null,
  fee: null,
  refunded: ZERO,
  returned: ZERO,
  refundIds: [],
  refundsBlocked: false,
  exchanged: ZERO,
  employeeId: null,
  registerTenderId: null,
  entryMethod: null,
  tendered: null,
  tenderName: null,
  isExchange: false,
  drawerShiftId: null,
  cardBrand: null,
  last4: null,
  cardDetails: null,
  errors: null,
} as const satisfies Partial<PendingPayment>;

/** Decision 0024. */
export function delayEnd(createdAt: Instant): Instant {
  return instant(createdAt + 7 * DAY_MS);
}

/** What a card costs by how it came, in thousandths and minor units (decision 0030). */
const FEES: Readonly<Record<EntryMethod | 'API', { thousandths: number; fixed: number }>> = {
  API: { thousandths: 29, fixed: 30 },
  SWIPED: { thousandths: 26, fixed: 10 },
  MANUAL: { thousandths: 35, fixed: 15 },
};

export function processingFee({ total, entryMethod }: Pick<Payment, 'total' | 'entryMethod'>): Amount {
  const { thousandths, fixed } = FEES[entryMethod ?? 'API'];
  return add(portion(total, thousandths, 1000), amount(fixed));
}

/** The least that can be charged, by currency. */
export function leastAmount(currency: string): number {
  return ['AUD', 'GBP', 'JPY'].includes(currency) ? 100 : 1;
}

/** An application may take 90 % of the total at the most; what is not a whole unit of that is not its. */
export function requireAppFee(appFee: Amount | null, total: Amount): void {
  const most = Math.floor((total * 9) / 10);
  if (appFee !== null && appFee > most) {
    throw new Refusal('INVALID_FEES', {
      field: 'app_fee_money.amount',
      detail: `app_fee_money.amount must not exceed 90 % of the total, which is ${most}.`,
    });
  }
}

/** What of it went back, in money or in goods. */
export function givenBack({ refunded, exchanged }: Pick<Payment, 'refunded' | 'exchanged'>): Amount {
  return add(refunded, exchanged);
}

/** What is still there to be given back. */
export function refundable(payment: Pick<Payment, 'total' | 'refunded' | 'exchanged'>): Amount {
  return subtract(payment.total, givenBack(payment));
}

/**
 * What the application has neither given back of its fee nor promised to; null where it took none. A refund may name its
 * share, so that is not always in proportion; the processor's part of all the fees that came back is.
 */
export function appFeeLeft(
  { appFee, fee, total, returned }: Pick<Payment, 'appFee' | 'fee' | 'total' | 'returned'>,
  { returnedFees, promised }: { readonly returnedFees: Amount; readonly promised: Amount },
): Amount | null {
  if (appFee === null) return null;
  const fromApplication = subtract(returnedFees, shareOfPart(fee ?? ZERO, { total, before: ZERO, part: returned }));
  return subtract(appFee, add(fromApplication, promised));
}

/** All fees of a payment, as its charge shows them. */
export function chargedFees({ fee, appFee }: Pick<Payment, 'fee' | 'appFee'>): Amount {
  return negate(add(fee ?? ZERO, appFee ?? ZERO));
}

export const REFUND_STATUSES = ['PENDING', 'COMPLETED', 'REJECTED', 'FAILED'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** As the first generation asks for it: all that is left, or an amount. */
export const REFUND_TYPES = ['FULL', 'PARTIAL'] as const;
export type RefundType = (typeof REFUND_TYPES)[number];

/**
 * EXCHANGE: goods were returned for other goods, and no money went back. REVERSAL: a captured payment was cancelled. v2
 * shows neither; v1 shows both.
 */
export type RefundOrigin = 'API' | 'REGISTER' | 'EXCHANGE' | 'REVERSAL';

/** What went back of one payment. It stands here because cancelling a captured payment makes one. */
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
  /** Of a refund over several tenders: its first record, with which this one is listed. */
  readonly leaderId: string | null;
  /** Null where it is made of nothing but its amount. */
  readonly breakdown: Breakdown | null;
  readonly employeeId: string | null;
}
