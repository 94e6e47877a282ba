/**
 * Where the rows of each table are in a distributed database. The list is in the order of the foreign keys: a table comes after those
 * to which it refers. A plain PostgreSQL ignores the list. Tests check there that the schema allows it (test/placement.test.ts).
 */

/** Rows with equal values of this column are on the same node. */
export interface ByColumn {
  readonly column: string;
}

export type Placement =
  /** With all other rows of the merchant, by `merchant_id`. Only such tables can be used together in one statement or function. */
  | 'merchant'
  /** By another column, for what is looked up before the merchant is known. */
  | ByColumn
  /** A full copy on every node: small, seldom written, and read together with the rows of any merchant. */
  | 'reference'
  /** On the coordinator only: never used together with the rows of merchants. */
  | 'local';

/** The table with which all tables of merchants are colocated. */
export const MERCHANTS = 'merchants';

export const PLACEMENTS: Readonly<Record<string, Placement>> = {
  schema_migrations: 'local',
  function_schemas: 'local',
  database_mode: 'local',
  hash_key: 'local',
  agenda: 'local',
  // Few rows, which only the check reads.
  acknowledged_breaches: 'local',
  // Three rows, which only commands and metrics use.
  last_runs: 'local',
  // One row, which only exports use.
  audit_numbering: 'local',
  // One row, which only the check uses.
  check_progress: 'local',

  applications: 'reference',
  accounts: 'reference',
  webhook_subscriptions: 'reference',
  fault_rules: 'reference',
  stubs: 'reference',

  credential_directory: { column: 'hash' },
  // Not by hash, so that owners and employees of merchants on other nodes can sign in while a node is down.
  sign_in_attempts: 'local',
  // Few rows, kept for minutes, and looked up by two hashes.
  pairing_codes: 'local',

  [MERCHANTS]: 'merchant',
  merchant_watches: 'merchant',
  merchant_snapshots: 'merchant',
  locations: 'merchant',
  roles: 'merchant',
  employees: 'merchant',
  audit_events: 'merchant',
  authorizations: 'merchant',
  authorization_codes: 'merchant',
  refresh_tokens: 'merchant',
  access_tokens: 'merchant',
  sessions: 'merchant',
  devices: 'merchant',
  device_tokens: 'merchant',
  employee_passcodes: 'merchant',
  register_sessions: 'merchant',
  register_keys: 'merchant',
  register_approvals: 'merchant',
  register_writes: 'merchant',
  register_flags: 'merchant',
  publishable_keys: 'merchant',
  processor_rules: 'merchant',
  merchant_processors: 'merchant',
  v1_webhooks: 'merchant',
  webhook_events: 'merchant',
  webhook_deliveries: 'merchant',
  webhook_attempts: 'merchant',
  idempotency_keys: 'merchant',
  movements: 'merchant',
  due_work: 'merchant',
  bank_accounts: 'merchant',
  settlements: 'merchant',
  adjustments: 'merchant',
  pictures: 'merchant',
  picture_uses: 'merchant',
  stores: 'merchant',
  catalogues: 'merchant',
  categories: 'merchant',
  taxes: 'merchant',
  modifier_lists: 'merchant',
  discounts: 'merchant',
  items: 'merchant',
  timecards: 'merchant',
  timecard_events: 'merchant',
  cash_drawer_shifts: 'merchant',
  cash_drawer_events: 'merchant',
  cash_drawer_reports: 'merchant',
  sales: 'merchant',
  payments: 'merchant',
  payment_copies: 'merchant',
  sale_copies: 'merchant',
  processor_calls: 'merchant',
  processor_references: 'merchant',
  processor_troubles: 'merchant',
  refunds: 'merchant',
  holds: 'merchant',
  orders: 'merchant',
  report_days: 'merchant',
  report_progress: 'merchant',
  report_late_days: 'merchant',
};

/** Tables that a migration has dropped. The database of an older version still has them. */
export const DROPPED_TABLES: readonly string[] = ['catalogue_items'];
