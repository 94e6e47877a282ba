/**
 * The interface of a payment processor. Every call has a key, and a retry with the same key has no further effect. No lock and no
 * transaction is open during a call of a remote processor.
 */
import type { DeclineCode } from '../base/errors.js';
import type { Amount } from '../base/money.js';
import type { Instant } from '../base/time.js';

export const CARD_BRANDS = [
  'VISA',
  'MASTERCARD',
  'AMERICAN_EXPRESS',
  'DISCOVER',
  'DISCOVER_DINERS',
  'JCB',
  'CHINA_UNIONPAY',
  'SQUARE_GIFT_CARD',
  'SQUARE_CAPITAL_CARD',
  'OTHER_BRAND',
] as const;

/** A gift card is a card with a brand of its own. Null: no card. */
export function isGiftCard(brand: string | null): boolean {
  return brand === 'SQUARE_GIFT_CARD';
}

/** How a present card was read. */
export const PRESENT_ENTRY_METHODS = ['SWIPED', 'EMV', 'CONTACTLESS'] as const;

/** The data of a card that a processor returns. It never contains the card number. */
export interface Card {
  readonly brand: (typeof CARD_BRANDS)[number];
  readonly last4: string;
  /** Absent if the processor does not report it, like the fingerprint and the bin. */
  readonly expMonth?: number;
  readonly expYear?: number;
  readonly fingerprint?: string;
  readonly type: 'CREDIT' | 'DEBIT' | 'UNKNOWN_CARD_TYPE';
  readonly prepaidType: 'NOT_PREPAID' | 'PREPAID' | 'UNKNOWN_PREPAID_TYPE';
  readonly bin?: string;
  /** Only for cards on file. */
  readonly id?: string;
  readonly entryMethod: 'KEYED' | 'ON_FILE' | (typeof PRESENT_ENTRY_METHODS)[number];
  readonly cvvStatus: 'CVV_ACCEPTED' | 'CVV_REJECTED' | 'CVV_NOT_CHECKED';
  readonly avsStatus: 'AVS_ACCEPTED' | 'AVS_REJECTED' | 'AVS_NOT_CHECKED';
  readonly authResultCode?: string;
}

/** Whether the card was present when it was charged. */
export function isPresent({ entryMethod }: Pick<Card, 'entryMethod'>): boolean {
  return entryMethod !== 'KEYED' && entryMethod !== 'ON_FILE';
}

/** The merchant of a call. `hasRules`: the operator has set processor rules for it. */
export interface ProcessorMerchant {
  readonly id: string;
  readonly hasRules: boolean;
}

/** Every call names its payment. `processorId`: the processor of the merchant that has the payment; null: that of the server. */
export interface CallRequest {
  readonly key: string;
  readonly merchant: ProcessorMerchant;
  readonly paymentId: string;
  readonly processorId: string | null;
  /** The id of the request for which the call is made. Absent in calls of the worker. */
  readonly requestId?: string | undefined;
}

export interface AuthorizeRequest extends CallRequest {
  readonly sourceId: string;
  readonly verificationToken: string | undefined;
  readonly amount: Amount;
  readonly currency: string;
  /** Whether a partial amount may be approved: the balance of a gift card. */
  readonly acceptPartial: boolean;
  /** Whether to capture at once. Otherwise the amount is reserved until it is captured or voided. */
  readonly capture: boolean;
}

export interface RefundRequest extends CallRequest {
  readonly amount: Amount;
  readonly currency: string;
  /** Whether the payment counts as canceled in our books, whatever the processor responds. */
  readonly isReversal?: boolean;
}

/** What the processor charges the merchant for a capture. Undefined: the customary fee (decision 0030). */
export interface Charged {
  readonly fee?: Amount;
}

export type AuthorizeOutcome =
  | ({ readonly kind: 'approved'; readonly amount: Amount; readonly card: Card } & Charged)
  | {
      readonly kind: 'declined';
      readonly code: DeclineCode;
      /** The balance of a gift card. */
      readonly availableAmount?: Amount;
      readonly card: Card;
    }
  /** The source cannot be used, and no charge was tried. */
  | {
      readonly kind: 'unusable';
      readonly why: 'UNKNOWN_SOURCE' | 'NOT_A_SOURCE' | 'CARD_NUMBER' | 'ALREADY_USED';
      /** A source that works, of a processor that knows one. */
      readonly working?: string;
    };

/** `refused`: the reserved amount can no longer be captured. The processor has released it. */
export type CaptureOutcome = ({ readonly kind: 'captured' } & Charged) | { readonly kind: 'refused' };

/** The processor did not respond. The outcome of the call is unknown. */
export class ProcessorUnavailable extends Error {}

/** For the log: a call without an outcome, or with one that needs the attention of the operator. */
export interface Trouble {
  readonly action: 'authorize' | 'capture' | 'void' | 'refund';
  readonly call: Pick<CallRequest, 'key' | 'merchant' | 'paymentId' | 'requestId'>;
  readonly reason: string;
  /** Whether the call has an outcome, so that it is not repeated. */
  readonly isFinal?: boolean;
}

export interface Processor {
  /** Whether it runs in this process and never loses a response. If so, the intent need not be recorded before the call. */
  isCertain(merchant: ProcessorMerchant, processorId: string | null): boolean;
  authorize(request: AuthorizeRequest): Promise<AuthorizeOutcome>;
  capture(request: CallRequest): Promise<CaptureOutcome>;
  void(request: CallRequest): Promise<void>;
  /** Returns false if the refund fails. */
  refund(request: RefundRequest): Promise<boolean>;
}

/** A change that a processor reports by an event, with the state that it has there now. */
export type ReportedChange = { readonly merchantId: string; readonly paymentId: string } & (
  | {
      readonly kind: 'dispute';
      /** The processor's id of the dispute. */
      readonly id: string;
      /** Whether the processor has taken the money back, at least until the dispute is decided. */
      readonly isHeld: boolean;
      readonly amount: Amount;
      readonly currency: string;
    }
  | { readonly kind: 'refund'; readonly key: string; readonly hasFailed: boolean }
);

/** The events that a processor sends. */
export interface ProcessorEventSource {
  /** The last part of the path at which the server receives the events, and the header with their signature. */
  readonly name: string;
  readonly signatureHeader: string;
  /** Checks the signature of an event. Undefined if this server does not use events of its type. */
  open(body: Buffer, signature: string): ReportedEvent | undefined;
}

export interface ReportedEvent {
  readonly id: string;
  readonly type: string;
  /**
   * Asks the processor for the current state: events may arrive late, twice and in any order. Empty if the event is about nothing that this
   * server has made. A failed refund comes with the disputes of its payment, because they may hold what the refund puts back.
   */
  read(): Promise<readonly ReportedChange[]>;
}

/** The signature of an event is wrong. */
export class UnsignedEvent extends Error {}

/** The states of a payment and of a refund in the books of a processor. */
export const RECORD_STATES = {
  payment: ['authorized', 'captured', 'voided'],
  refund: ['refunded', 'failed'],
} as const;

/** A payment or a refund in the books of a processor, as it is now. */
export type ProcessorRecord = {
  /** The processor's own id. */
  readonly id: string;
  /** The key of the call that made it. Undefined, like the merchant and the payment, if it was no call of this server. */
  readonly key: string | undefined;
  readonly merchantId: string | undefined;
  readonly paymentId: string | undefined;
  readonly amount: Amount;
  readonly currency: string;
  readonly fee: Amount;
} & (
  | { readonly type: 'payment'; readonly state: (typeof RECORD_STATES.payment)[number] }
  | { readonly type: 'refund'; readonly state: (typeof RECORD_STATES.refund)[number] }
);

/** Which records: those that were made in a range of time, or all of one payment. */
export type RecordSelection =
  | { readonly begin: Instant; readonly end: Instant }
  | { readonly merchantId: string; readonly paymentId: string };

/** The books of a processor, page by page. */
export interface ProcessorBooks {
  list(selection: RecordSelection): AsyncIterable<readonly ProcessorRecord[]>;
}

/** The processor lists no records, or they could not be read. */
export class BooksUnavailable extends Error {}
