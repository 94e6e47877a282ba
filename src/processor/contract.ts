/**
 * What a payment processor does for us, whoever it is. Every call carries a key: asking again changes nothing. No lock and no
 * transaction of ours is open while one that is not certain is asked.
 */
import type { DeclineCode } from '../base/errors.js';
import type { Amount } from '../base/money.js';

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

/** How the card itself was read, where it was there. */
export const PRESENT_ENTRY_METHODS = ['SWIPED', 'EMV', 'CONTACTLESS'] as const;

/** What is known of a card once a processor has seen it; never its number. */
export interface Card {
  readonly brand: (typeof CARD_BRANDS)[number];
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly fingerprint: string;
  readonly type: 'CREDIT' | 'DEBIT' | 'UNKNOWN_CARD_TYPE';
  readonly prepaidType: 'NOT_PREPAID' | 'PREPAID' | 'UNKNOWN_PREPAID_TYPE';
  readonly bin: string;
  /** Only of cards on file. */
  readonly id?: string;
  readonly entryMethod: 'KEYED' | 'ON_FILE' | (typeof PRESENT_ENTRY_METHODS)[number];
  readonly cvvStatus: 'CVV_ACCEPTED' | 'CVV_REJECTED' | 'CVV_NOT_CHECKED';
  readonly avsStatus: 'AVS_ACCEPTED' | 'AVS_REJECTED' | 'AVS_NOT_CHECKED';
  readonly authResultCode?: string;
}

/** Whether the card itself was there when it was charged. */
export function isPresent({ entryMethod }: Pick<Card, 'entryMethod'>): boolean {
  return entryMethod !== 'KEYED' && entryMethod !== 'ON_FILE';
}

/** Whose money it is; `hasRules` where an operator wants something special to happen. */
export interface ProcessorMerchant {
  readonly id: string;
  readonly hasRules: boolean;
}

/** Which payment is meant is told in every call, from the first on. */
export interface CallRequest {
  readonly key: string;
  readonly merchant: ProcessorMerchant;
  readonly paymentId: string;
}

export interface AuthorizeRequest extends CallRequest {
  readonly sourceId: string;
  readonly verificationToken: string | undefined;
  readonly amount: Amount;
  /** Whether less than the amount is welcome: a gift card's balance. */
  readonly acceptPartial: boolean;
  /** Whether the money is taken at once; else it is held until it is captured or voided. */
  readonly capture: boolean;
}

export type AuthorizeOutcome =
  | { readonly kind: 'approved'; readonly amount: Amount; readonly card: Card }
  | {
      readonly kind: 'declined';
      readonly code: DeclineCode;
      /** What a gift card still holds. */
      readonly availableAmount?: Amount;
      readonly card: Card;
    }
  /** Nothing was tried: the source cannot be used at all. */
  | { readonly kind: 'unusable'; readonly why: 'UNKNOWN_SOURCE' | 'NOT_A_SOURCE' | 'CARD_NUMBER' | 'ALREADY_USED' };

/** The processor gave no answer: whether it did what it was asked for is not known. */
export class ProcessorUnavailable extends Error {}

export interface Processor {
  /** It answers in this process and never loses an answer, so that nothing needs to be noted before it is asked. */
  isCertain(merchant: ProcessorMerchant): boolean;
  authorize(request: AuthorizeRequest): Promise<AuthorizeOutcome>;
  capture(request: CallRequest): Promise<void>;
  void(request: CallRequest): Promise<void>;
  /** False: the money could not be secured, and the refund fails. */
  refund(request: CallRequest & { readonly amount: Amount }): Promise<boolean>;
}
