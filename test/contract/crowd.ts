/** More records of every kind than any page holds, inserted directly into the tables. */
import type { Sql } from '../../src/database/database.js';
import type { TestServer } from '../support/server.js';
import type { Business } from './business.js';

/** More than any page holds. */
export const CROWD = 1005;

/** Copies the business's own records, each a second older than the previous one. Only the columns that must differ change. */
export async function addCrowd({ database: { sql } }: TestServer, { merchant, ids }: Business): Promise<void> {
  const [uncaptured] = await sql<{ id: string }[]>`
    select payment_id as id from payments
    where merchant_id = ${merchant.id} and captured_at is null and source_type = 'CARD' and status <> 'PENDING'
      and channel <> 'REGISTER'
    limit 1`;
  const [outside] = await sql<{ id: string }[]>`
    select payment_id as id from payments
    where merchant_id = ${merchant.id} and source_type = 'CASH' and status = 'COMPLETED' and drawer_shift_id is null
    limit 1`;
  const copies = [
    { table: 'employees', id: 'employee_id', own: ids['employee_id'], at: 'created_at' },
    { table: 'roles', id: 'role_id', own: ids['role_id'], at: 'created_at' },
    { table: 'timecards', id: 'timecard_id', own: ids['timecard_id'], at: 'created_at' },
    { table: 'cash_drawer_shifts', id: 'shift_id', own: ids['shift_id'], at: 'opened_at' },
    { table: 'cash_drawer_events', id: 'event_id', own: undefined, at: 'created_at' },
    { table: 'payments', id: 'payment_id', own: ids['payment_id'], at: 'created_at' },
    { table: 'payments', id: 'payment_id', own: uncaptured?.id, at: 'created_at' },
    { table: 'payments', id: 'payment_id', own: outside?.id, at: 'created_at' },
    { table: 'sales', id: 'sale_id', own: ids['payment_id'], at: 'created_at' },
    { table: 'refunds', id: 'refund_id', own: ids['refund_id'], at: 'created_at' },
    { table: 'holds', id: 'hold_id', own: undefined, at: 'placed_at' },
    { table: 'settlements', id: 'settlement_id', own: ids['settlement_id'], at: 'initiated_at' },
    { table: 'orders', id: 'order_id', own: ids['order_id'], at: 'created_at' },
    { table: 'bank_accounts', id: 'bank_account_id', own: ids['bank_account_id'], at: 'linked_at' },
    { table: 'webhook_deliveries', id: 'delivery_id', own: ids['delivery_id'], at: 'created_at' },
    { table: 'audit_events', id: 'audit_event_id', own: undefined, at: 'occurred_at' },
    { table: 'register_flags', id: 'client_id', own: undefined, at: 'arrived_at' },
    { table: 'merchants', id: 'merchant_id', own: undefined, at: 'created_at' },
    { table: 'applications', id: 'application_id', own: undefined, at: 'created_at' },
    { table: 'webhook_subscriptions', id: 'subscription_id', own: ids['subscription_id'], at: 'created_at' },
  ];
  await addSales(sql, merchant.id);
  for (const { table, id, own: original, at } of copies) {
    const columns = await sql<{ name: string }[]>`
      select column_name as name
      from information_schema.columns
      where table_name = ${table} and is_generated = 'NEVER' and is_identity = 'NO'
      order by ordinal_position`;
    const names = columns.map(({ name }) => name);
    const values = names.map((name) => {
      if (name === id)
        return `gen_random_uuid()${/^(?:role|payment|sale|refund|hold|settlement|order|bank_account|merchant|application|subscription|audit_event|client)_id$/.test(id) ? '::text' : ''}`;
      const own = OWN[table]?.[name];
      if (own !== undefined) return own;
      return name === at ? `${at} - n * interval '1 second'` : name;
    });
    await sql.unsafe(
      `insert into ${table} (${names.join()})
       select ${values.join()}
       from (select * from ${table} where merchant_id = $1 ${original === undefined ? '' : `and ${id} = $2`} limit 1) own,
         generate_series(1, ${CROWD}) n`,
      original === undefined ? [merchant.id] : [merchant.id, original],
    );
  }
  // Half of its subscriptions belong to the owner's application instead.
  await sql`
    update webhook_subscriptions
    set merchant_id = null, application_id = ${ids['application_id'] ?? ''}
    where merchant_id = ${merchant.id} and extract(second from created_at)::integer % 2 = 0
      and subscription_id <> ${ids['subscription_id'] ?? ''}`;
  await sql`analyze`; // as autovacuum does elsewhere: a report of so many new rows took ten seconds
}

/** These columns are unique in their table, or are copies of the others. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payments: {
    v2_json: 'null',
    v2_json_version: 'null',
    v2_json_printer: 'null',
    register_tender_id: 'register_tender_id || n',
  },
  orders: { token_hash: 'sha256(n::text::bytea)', client_id: 'n::text', sale_id: "'of order ' || n" },
  holds: { released_at: 'placed_at' }, // a payment has at most one active hold
  applications: { secret_hash: "sha256(('application ' || n)::bytea)" },
  bank_accounts: { number_hash: 'sha256(n::text::bytea)', in_force: 'false' },
};

/** Inserts a sale for each order of the crowd. */
async function addSales(sql: Sql, merchantId: string): Promise<void> {
  await sql`
    insert into sales (merchant_id, sale_id, location_id, kind, state, rung_up_at, due, receipt, tender_ids)
    select ${merchantId}, 'of order ' || n, 'nowhere', 'ONLINE_STORE', 'CANCELED', timestamptz 'epoch', 0, '{}', '{}'
    from generate_series(1, ${CROWD}) n`;
}
