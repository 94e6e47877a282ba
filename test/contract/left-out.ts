/**
 * The fields and parameters of the published clients that we do not have, and why. Everything else must be present, and everything listed here
 * must be absent. `docs/compatibility.md` has this list.
 */

/** For a place such as `Payment.wallet_details`, or for all of a pattern such as `*.errors`. */
type Reasons = readonly (readonly [reason: string, places: readonly string[]])[];

const of = (model: string, ...names: string[]): string[] => names.map((name) => `${model}.${name}`);

export const RETURNED: Reasons = [
  [
    'a success has no errors, a refusal nothing else (contract 12.1). A declined payment has both, and is a refusal ([0024](decisions/0024-payment-states.md))',
    ['*.errors'],
  ],
  ['only for OpenID, which is not supported', of('ObtainTokenResponse', 'id_token')],
  [
    'only for subscriptions, which were discontinued (contract 11.4)',
    [
      ...of('ObtainTokenResponse', 'plan_id', 'subscription_id'),
      ...of('RenewTokenResponse', 'plan_id', 'subscription_id'),
    ],
  ],
  ["a register's own ids are returned to registers only", of('Transaction', 'client_id')],
  [
    'v2 payments show the application fee, and it has no other recipients',
    [
      ...['Tender.additional_recipients', 'Refund.additional_recipients'],
      ...['Payment.app_fee_allocations', 'PaymentRefund.app_fee_allocations'],
    ],
  ],
  ['shifts are updated as timecards, which have no version', of('Shift', 'version')],
  ['wages are not recorded', of('Shift', 'wage')],
  ['tips are part of payments, not of shifts', of('Shift', 'declared_cash_tip_money')],
  ['bitcoin is not supported', of('V1Order', 'btc_price_satoshi', 'btc_receive_address')],
  ['a token belongs to one merchant: there is never a second page', of('ListMerchantsResponse', 'cursor')],
  [
    'v2 shows card payments only ([0025](decisions/0025-what-v2-shows.md))',
    [
      ...of('Payment', 'bank_account_details', 'buy_now_pay_later_details', 'cash_details', 'electronic_money_details'),
      ...of('Payment', 'external_details', 'square_account_details', 'wallet_details'),
      ...of('Tender', 'bank_account_details', 'buy_now_pay_later_details', 'square_account_details'),
      ...of('PaymentRefund', 'destination_details', 'destination_type'),
    ],
  ],
  ['the register is in `card_details.device_details`', of('Payment', 'device_details')],
  ['a register has no installation that differs from it', of('DeviceDetails', 'device_installation_id')],
  [
    'a payment that a register took offline is a usual payment with the time of the sale',
    of('Payment', 'is_offline_payment', 'offline_payment_details'),
  ],
  ['the simulator and the processors report no risk', of('Payment', 'risk_evaluation')],
  ['a buyer pays in the currency of the business', of('Payment', 'buyer_currency_exchange')],
  [
    'there are no terminals: registers take cards themselves',
    [...of('Payment', 'terminal_checkout_id'), ...of('PaymentRefund', 'terminal_refund_id')],
  ],
  ['a refund without a payment is not possible', of('PaymentRefund', 'unlinked')],
  ['v2 refunds do not name the employee; v1 and the dashboard do', of('PaymentRefund', 'team_member_id')],
  [
    'cards on file are not kept: a card is what its payment was made with',
    [
      ...of('Card', 'created_at', 'customer_id', 'disabled_at', 'enabled', 'merchant_id', 'reference_id', 'version'),
      ...of('Card', 'card_co_brand', 'hsa_fsa', 'issuer_alert', 'issuer_alert_at'),
    ],
  ],
  ['there are no surcharges for cards', of('CardPaymentDetails', 'applied_card_surcharge_details')],
  ['any refund can be made without the card', of('CardPaymentDetails', 'refund_requires_card_presence')],
  ['a wallet is charged as its card', of('CardPaymentDetails', 'wallet_type')],
  [
    'a shift has the times at which it was opened, ended and closed, which are its only changes',
    [...of('CashDrawerShift', 'created_at', 'updated_at'), ...of('CashDrawerShiftSummary', 'created_at', 'updated_at')],
  ],
  [
    'the business does not record them',
    [
      ...of('Location', 'custom_receipt_text', 'full_format_logo_url', 'return_policy', 'tax_ids'),
      ...of('Merchant', 'created_at'),
    ],
  ],
  [
    'of a bank account, only what people recognize it by is returned',
    [
      ...of('BankAccount', 'customer_id', 'debit_mandate_reference_id', 'fingerprint', 'location_id', 'reference_id'),
      ...of('BankAccount', 'secondary_bank_identification_number'),
    ],
  ],
  ['the tax of an existing payment has no errors', of('V1PaymentTax', 'errors')],
];

export const READ_ONLY = 'read-only: clients send them back with the whole record (contract 12.2, 12.3, 22.1)';

export const SENT: Reasons = [
  [
    READ_ONLY,
    [
      ...of('V1Employee', 'id', 'status', 'created_at', 'updated_at', 'email'),
      ...of('V1EmployeeRole', 'id', 'created_at', 'updated_at'),
      ...of('V1Timecard', 'id', 'deleted', 'created_at', 'updated_at'),
      ...of('V1Timecard', 'regular_seconds_worked', 'overtime_seconds_worked', 'doubletime_seconds_worked'),
      ...of('WebhookSubscription', 'id', 'signature_key', 'created_at', 'updated_at'),
    ],
  ],
  ['there are no tokens from before refresh tokens (contract 11.3)', of('ObtainTokenRequest', 'migration_token')],
  ['tokens are opaque', of('ObtainTokenRequest', 'use_jwt')],
  [
    'an application fee has one recipient, the application',
    [...of('CreatePaymentRequest', 'app_fee_allocations'), ...of('RefundPaymentRequest', 'app_fee_allocations')],
  ],
  [
    'v2 takes and refunds card payments only ([0025](decisions/0025-what-v2-shows.md))',
    [
      ...of('CreatePaymentRequest', 'cash_details', 'external_details'),
      ...of('RefundPaymentRequest', 'cash_details', 'external_details'),
    ],
  ],
  [
    'a refund goes back to the card of its payment',
    of('RefundPaymentRequest', 'customer_id', 'destination_id', 'location_id', 'unlinked'),
  ],
  ['registers take payments offline, applications do not', of('CreatePaymentRequest', 'offline_payment_details')],
  [
    'no answer shows them, and nothing depends on them',
    of('CreatePaymentRequest', 'buyer_phone_number', 'customer_details'),
  ],
  [
    'an employee takes payments at a register, not through an application',
    [...of('CreatePaymentRequest', 'team_member_id'), ...of('RefundPaymentRequest', 'team_member_id')],
  ],
];

export const PARAMETERS: Reasons = [
  [
    'a payment that a register took offline is a usual payment with the time of the sale',
    ['is_offline_payment', 'offline_begin_time', 'offline_end_time'],
  ],
];

/** The reason for a place; undefined if it is not listed. */
export function reasonFor(reasons: Reasons, place: string): string | undefined {
  const isListed = ([, places]: Reasons[number]): boolean => places.includes(place);
  const isAmongAll = ([, places]: Reasons[number]): boolean =>
    places.some((each) => each.startsWith('*') && place.endsWith(each.slice(1)));
  return (reasons.find(isListed) ?? reasons.find(isAmongAll))?.[0];
}
