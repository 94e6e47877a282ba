/** Which records a file of a merchant has: those of the business, without credentials and without what is computed (decision 0276). */
import { MERCHANTS } from '../database/placement.js';
import { COPIED_TABLES } from './snapshot-tables.js';

/** Tables of merchants that are not in the file, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  authorizations: 'they are of applications, which belong to the server',
  authorization_codes: 'as above',
  refresh_tokens: 'a credential',
  access_tokens: 'a credential',
  sessions: 'a credential',
  device_tokens: 'a credential',
  employee_passcodes: 'a credential',
  register_sessions: 'a credential',
  publishable_keys: 'a credential',
  register_keys: 'keys of repeated requests',
  register_approvals: 'approvals of registers that are not paired',
  register_writes: 'what registers have sent, so that they may send it again',
  register_flags: 'about what registers have sent',
  idempotency_keys: 'keys of repeated requests',
  processor_rules: 'the set-up of a test',
  v1_webhooks: 'the set-up of a developer',
  webhook_events: 'nobody is told again',
  webhook_deliveries: 'as above',
  webhook_attempts: 'as above',
  processor_troubles: 'reports of a processor that is not this one',
  payment_copies: 'a queue of copies that are printed again',
  sale_copies: 'printed copies',
  report_days: 'sums, which are added up again',
  report_progress: 'as above',
  report_late_days: 'as above',
};

/** In the order of the foreign keys. */
export const FILE_TABLES = COPIED_TABLES.filter((table) => table !== MERCHANTS && !(table in LEFT_OUT));

/** Columns that are computed or belong to the server, besides `merchant_id`. */
export const LEFT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  sales: ['v1_receipt', 'v1_receipt_version', 'v1_receipt_printer'],
  payments: ['v2_json', 'v2_json_version', 'v2_json_printer', 'processor_id'],
  due_work: ['run_at', 'leased_until'],
  processor_calls: ['leased_until'],
};

/** What a file says about the merchant itself. */
export const MERCHANT_COLUMNS = [
  ...['business_name', 'owner_name', 'owner_email', 'country', 'language_code', 'currency', 'business_type'],
  ...['status', 'approved', 'restricts_discounts', 'offline_card_limit', 'created_at'],
] as const;

/** Records stand in the order of the first of these that they have, so that new ones are added at the end. */
export const ORDER_COLUMNS = [
  ...['ordinal', 'created_at', 'occurred_at', 'opened_at', 'initiated_at', 'linked_at', 'placed_at', 'due_at'],
] as const;
