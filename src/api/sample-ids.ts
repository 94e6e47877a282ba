/**
 * The ids in examples of requests. They have the form of real ids, but no record has them: the page of the API reference replaces them by
 * ids of the demo business, the console by those of the chosen merchant, and a test by ids of the records that it created.
 */
export const SAMPLE_IDS = {
  merchant_id: 'M4TXE9K2V7QBD',
  location_id: 'LQ5V6Y5D2BHYQ',
  role_id: '0VkQ7rJx3fB9wLm2Zt8p',
  employee_id: '019cade8-5a40-7c15-8f2b-6d0e4a917c35',
  timecard_id: '019cade8-9f11-7d08-a3c4-1b7f52e0d986',
  shift_id: '019cade7-c2d3-7e90-b1a5-84f6c3d27e1b',
  payment_id: '0VkQ8Tz1cR5nHs7Yd3Wf9KpX2mGb',
  refund_id: '0VkQ8Tz1cR5nHs7Yd3Wf9KpX2mGb_0VkQ9Bq4hL6vJt8Na1Ce5RyZ7uXw2SdFgPk3MoVi0TcQ4hE',
  order_id: '0VkQ6Lp8sD2xCv4Bn7Mq',
  settlement_id: '0VkQ5Hj3gF9rTy6Ui1Op4AsD8zXc',
  bank_account_id: '0VkQ2Wn5bV8kLm3Xc7Zq',
  subscription_id: 'wbhk_7d2f9c4b1e8a4f6390c5d7b2a1e4f803',
  item_id: '0VkQ3Rt7nY5wEx9Jd1Gh',
  variation_id: '0VkQ3Rt9pK2sFz6Lc4Vb',
  sale_id: '0VkQ8Sw6tM1jXq9Ar3Ny',
  client_id: 'sandbox-sq0idb-kT5vX9bQ2mN7rL4wJ8dHzA',
  delivery_id: '019cade9-1b62-7f4d-92c8-5e0a7d36b41f',
  event_id: '019cade9-1b60-7a83-b5d7-c94f20e86a13',
  token_id: '5b8e1f60c2d7a394',
  fault_id: '0VkQ4Nd6yT8gKs2Wv5Rm',
  stub_id: '0VkQ5Pz3bH7nLw4Xc9Td',
  rule_id: '0VkQ4Pf3bH7jLx9Qc1Zt',
  request_id: '019cadea-7e05-7c94-8d1b-36f2a0b9c58e',
  device_id: '0VkQ2Dm9rS5wKx7Jb3Np',
  session_id: '9c41e7d05ab3f826e14d70b9',
  key_id: '0VkQ3Bs8mW4tQy6Fn2Hd',
  category_id: '019cade5-1c38-7d69-84b0-7f25e91ca63d',
  modifier_list_id: '019cade5-2e94-7a10-b7f6-3c8d50e4912a',
  discount_id: '019cade5-3f0d-7e83-a259-b60c17d8f4e5',
  tax_id: '019cade5-50b6-7c47-9d1e-e48a2f73b06c',
} as const;

/** Secrets in examples. */
export const SAMPLE_SECRETS = {
  client_secret: 'sandbox-sq0csb-YOUR-APPLICATION-SECRET',
  access_token: 'EAAA-AN-ACCESS-TOKEN-OF-YOUR-APPLICATION',
  refresh_token: 'EQAA-A-REFRESH-TOKEN-OF-YOUR-APPLICATION',
  device_token: 'dev_THE-TOKEN-THAT-CAME-WITH-THE-CODE',
  order_token: 'THE-TOKEN-THAT-CAME-WITH-THE-ORDER',
  operator_key: 'THE-OPERATOR-KEY-OF-YOUR-SERVER',
  owner_password: 'THE-PASSWORD-OF-THE-OWNER',
} as const;

/** Other values in examples that are replaced like ids. */
export const SAMPLE_VALUES = {
  /** The version of what is edited. */
  version: '7f3a90c2d14be658',
  /** The id that a register gave to a write which it kept. */
  kept_write_id: 'till-7-0043',
  /** The time on the clock of the merchant. */
  now: '2026-03-02T18:05:00Z',
  /** The digits that a register shows. */
  pairing_code: '402913',
  /** The address with which the owner signs in. */
  owner_email: 'owner@example.com',
} as const;

/** The passcode in examples. The tests and the console give it to the employee of the examples. */
export const SAMPLE_PASSCODE = '2468';

/** Parameters of paths that have another name than their sample, or that name no record. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  application_id: SAMPLE_IDS.client_id,
  order_token: SAMPLE_SECRETS.order_token,
  receiver: 'accepting',
  id: SAMPLE_IDS.employee_id,
  transaction_id: SAMPLE_IDS.payment_id,
  v1_bank_account_id: SAMPLE_IDS.bank_account_id,
};

/** The id that an example has for a parameter of a path. */
export function sampleIdFor(parameter: string): string | undefined {
  return (SAMPLE_IDS as Readonly<Record<string, string>>)[parameter] ?? OTHER_NAMES[parameter];
}

/** Whether a text is one of the samples: then no record was found that could take its place. */
export function isSample(text: string): boolean {
  const samples: string[] = [SAMPLE_IDS, SAMPLE_SECRETS, SAMPLE_VALUES].flatMap(Object.values);
  return samples.includes(text);
}
