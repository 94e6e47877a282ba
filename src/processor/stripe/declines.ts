/** Converts Stripe's decline codes into ours. Reasons that a buyer must not be told, such as fraud, become a generic decline. */
import type { DeclineCode } from '../../base/errors.js';

const CODES: Readonly<Record<string, DeclineCode>> = {
  amount_too_large: 'TRANSACTION_LIMIT',
  amount_too_small: 'TRANSACTION_LIMIT',
  authentication_not_handled: 'CARD_DECLINED_VERIFICATION_REQUIRED',
  authentication_required: 'CARD_DECLINED_VERIFICATION_REQUIRED',
  call_issuer: 'CARD_DECLINED_CALL_ISSUER',
  card_not_supported: 'CARD_NOT_SUPPORTED',
  card_velocity_exceeded: 'PAYMENT_LIMIT_EXCEEDED',
  currency_not_supported: 'CARD_NOT_SUPPORTED',
  do_not_honor: 'CARD_DECLINED_CALL_ISSUER',
  expired_card: 'CARD_EXPIRED',
  incorrect_address: 'ADDRESS_VERIFICATION_FAILURE',
  incorrect_cvc: 'CVV_FAILURE',
  incorrect_number: 'PAN_FAILURE',
  incorrect_pin: 'INVALID_PIN',
  incorrect_zip: 'ADDRESS_VERIFICATION_FAILURE',
  insufficient_funds: 'INSUFFICIENT_FUNDS',
  invalid_account: 'INVALID_ACCOUNT',
  invalid_amount: 'TRANSACTION_LIMIT',
  invalid_card_type: 'UNSUPPORTED_CARD_BRAND',
  invalid_cvc: 'CVV_FAILURE',
  invalid_expiry_month: 'INVALID_EXPIRATION',
  invalid_expiry_year: 'INVALID_EXPIRATION',
  invalid_number: 'PAN_FAILURE',
  invalid_pin: 'INVALID_PIN',
  issuer_not_available: 'CARD_DECLINED_CALL_ISSUER',
  new_account_information_available: 'INVALID_ACCOUNT',
  no_action_taken: 'CARD_DECLINED_CALL_ISSUER',
  not_permitted: 'CARDHOLDER_INSUFFICIENT_PERMISSIONS',
  offline_pin_required: 'CHIP_INSERTION_REQUIRED',
  online_or_offline_pin_required: 'CHIP_INSERTION_REQUIRED',
  payment_intent_authentication_failure: 'CARD_DECLINED_VERIFICATION_REQUIRED',
  pin_try_exceeded: 'ALLOWABLE_PIN_TRIES_EXCEEDED',
  restricted_card: 'CARD_NOT_SUPPORTED',
  service_not_allowed: 'CARD_NOT_SUPPORTED',
  transaction_not_allowed: 'CARD_NOT_SUPPORTED',
  withdrawal_count_limit_exceeded: 'PAYMENT_LIMIT_EXCEEDED',
};

/** The reason of the bank says more than the code of the error. */
export function toDeclineCode({
  code,
  decline_code,
}: {
  readonly code?: string | null | undefined;
  readonly decline_code?: string | null | undefined;
}): DeclineCode {
  return CODES[decline_code ?? ''] ?? CODES[code ?? ''] ?? 'GENERIC_DECLINE';
}
