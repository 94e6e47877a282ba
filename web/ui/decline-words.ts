/** Why a card was declined, in words for buyers, for cashiers, who say them, and for the owner, who reads them in the dashboard. */
import type { DeclineCode } from '../../src/base/errors.js';

const UNEXPLAINED = 'The bank declined the card. It does not say why.';
const WRONG_DATE = 'The expiration date is wrong.';
const UNKNOWN_BRAND = 'This kind of card is not accepted here.';

const WORDS: Readonly<Record<DeclineCode, string>> = {
  CVV_FAILURE: 'The security code is wrong.',
  ADDRESS_VERIFICATION_FAILURE: 'The postal code does not match the card.',
  INVALID_EXPIRATION: WRONG_DATE,
  GENERIC_DECLINE: UNEXPLAINED,
  INSUFFICIENT_FUNDS: 'There is not enough money on the card.',
  INSUFFICIENT_PERMISSIONS: 'The bank does not allow this purchase with this card.',
  CARD_EXPIRED: 'The card has expired.',
  CARD_NOT_SUPPORTED: UNKNOWN_BRAND,
  CARDHOLDER_INSUFFICIENT_PERMISSIONS: 'The bank does not allow this purchase with this card.',
  EXPIRATION_FAILURE: WRONG_DATE,
  INVALID_ACCOUNT: 'The bank does not know this card.',
  INVALID_CARD: 'The card is not valid.',
  INVALID_CARD_DATA: 'The card could not be read. Try it again.',
  INVALID_PIN: 'The PIN is wrong.',
  INVALID_POSTAL_CODE: 'The postal code is not valid.',
  MANUALLY_ENTERED_PAYMENT_NOT_SUPPORTED: 'This card has to be tapped or inserted.',
  PAN_FAILURE: 'The card number is wrong.',
  PAYMENT_LIMIT_EXCEEDED: 'The amount is above what the bank allows for one payment.',
  TRANSACTION_LIMIT: 'The amount is above the limit of the card.',
  UNSUPPORTED_CARD_BRAND: UNKNOWN_BRAND,
  UNSUPPORTED_ENTRY_METHOD: 'The card has to be used in another way: tap it or insert it.',
  VOICE_FAILURE: 'The bank asks to be called before it approves this card.',
  ALLOWABLE_PIN_TRIES_EXCEEDED: 'The PIN was wrong too often. The card is blocked.',
  BAD_EXPIRATION: WRONG_DATE,
  CARD_DECLINED: UNEXPLAINED,
  CARD_DECLINED_CALL_ISSUER: 'The cardholder has to call the bank about this card.',
  CARD_DECLINED_VERIFICATION_REQUIRED: 'The bank wants to verify the cardholder first.',
  CHIP_INSERTION_REQUIRED: 'The chip has to be inserted.',
  VERIFY_AVS_FAILURE: 'The address could not be verified.',
  VERIFY_CVV_FAILURE: 'The security code could not be verified.',
};

export function explainDecline(code: string | undefined, detail?: string): string {
  return WORDS[code as DeclineCode] ?? detail ?? 'The card was declined.';
}
