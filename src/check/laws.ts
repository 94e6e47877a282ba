/**
 * All laws. Each law is a statement that returns the rows that break it. The laws share no code with the code that writes
 * the records, so that a mistake there is not repeated here.
 */
import { COUNTER_LAWS } from './counter-laws.js';
import { DIRECTORY_LAWS } from './directory-laws.js';
import type { Law } from './law.js';
import { OAUTH_LAWS } from './oauth-laws.js';
import { ORDER_LAWS } from './order-laws.js';
import { PAYMENT_LAWS } from './payment-laws.js';
import { REFUND_LAWS } from './refund-laws.js';
import { REPORT_LAWS } from './report-laws.js';
import { SALE_LAWS } from './sale-laws.js';
import { SETTLEMENT_LAWS } from './settlement-laws.js';
import { WEBHOOK_LAWS } from './webhook-laws.js';

/** The slowest laws come first, so that no slow one runs alone at the end. */
export const LAWS: readonly Law[] = [
  ...SALE_LAWS,
  ...PAYMENT_LAWS,
  ...REPORT_LAWS,
  ...REFUND_LAWS,
  ...SETTLEMENT_LAWS,
  ...COUNTER_LAWS,
  ...ORDER_LAWS,
  ...OAUTH_LAWS,
  ...DIRECTORY_LAWS,
  ...WEBHOOK_LAWS,
];
