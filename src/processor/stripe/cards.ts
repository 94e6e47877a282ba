/** Converts a card of Stripe into ours. */
import type { Card } from '../contract.js';

/** What both a payment method and a charge contain of a card. */
export interface StripeCard {
  readonly brand?: string | null;
  readonly last4?: string | null;
  readonly exp_month?: number | null;
  readonly exp_year?: number | null;
  readonly fingerprint?: string | null;
  readonly funding?: string | null;
  readonly checks?: {
    readonly cvc_check?: string | null;
    readonly address_postal_code_check?: string | null;
    readonly address_line1_check?: string | null;
  } | null;
  readonly authorization_code?: string | null;
}

const BRANDS: Readonly<Record<string, Card['brand']>> = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  amex: 'AMERICAN_EXPRESS',
  discover: 'DISCOVER',
  diners: 'DISCOVER_DINERS',
  jcb: 'JCB',
  unionpay: 'CHINA_UNIONPAY',
};

const TYPES: Readonly<Record<string, Pick<Card, 'type' | 'prepaidType'>>> = {
  credit: { type: 'CREDIT', prepaidType: 'NOT_PREPAID' },
  debit: { type: 'DEBIT', prepaidType: 'NOT_PREPAID' },
  prepaid: { type: 'UNKNOWN_CARD_TYPE', prepaidType: 'PREPAID' },
};

/** `onFile`: the source, if it belongs to a customer of Stripe. */
export function toCard(card: StripeCard | undefined, onFile: string | undefined): Card {
  const { brand, last4, exp_month, exp_year, fingerprint, funding, checks, authorization_code } = card ?? {};
  return {
    ...(onFile !== undefined && { id: onFile }),
    brand: BRANDS[brand ?? ''] ?? 'OTHER_BRAND',
    last4: last4 ?? '0000',
    ...(exp_month && { expMonth: exp_month }),
    ...(exp_year && { expYear: exp_year }),
    ...(fingerprint && { fingerprint }),
    ...(TYPES[funding ?? ''] ?? { type: 'UNKNOWN_CARD_TYPE', prepaidType: 'UNKNOWN_PREPAID_TYPE' }),
    entryMethod: onFile === undefined ? 'KEYED' : 'ON_FILE',
    cvvStatus: `CVV_${toStatus(checks?.cvc_check)}`,
    avsStatus: `AVS_${toStatus(checks?.address_postal_code_check ?? checks?.address_line1_check)}`,
    ...(authorization_code && { authResultCode: authorization_code }),
  };
}

function toStatus(check: string | null | undefined): 'ACCEPTED' | 'REJECTED' | 'NOT_CHECKED' {
  if (check === 'pass') return 'ACCEPTED';
  return check === 'fail' ? 'REJECTED' : 'NOT_CHECKED';
}
