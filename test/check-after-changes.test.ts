/** An incremental check finds what a full one finds, whatever somebody changes by hand, one row or several (decision 0259). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Breach } from '../src/check/law.js';
import { type Database, openDatabase } from '../src/database/database.js';
import { openBusiness } from './contract/business.js';
import { createOrderRecords } from './support/broken-orders.js';
import { createSaleRecords } from './support/broken-sales.js';
import { isLong } from './support/long.js';
import { createRefundRecords } from './support/refund-breaks.js';
import { isCluster, startTestServer, type TestServer } from './support/server.js';
import { createSettlementRecords } from './support/settlement-breaks.js';
import { bothAfter, undone } from './support/undone-changes.js';

const ROUNDS = isLong ? 200 : 12;

let server: TestServer;
let database: Database;

beforeAll(async () => {
  server = await startTestServer();
  const business = await openBusiness(server);
  await createSettlementRecords(server, business.merchant);
  await createRefundRecords(server, business);
  await createSaleRecords(server, business);
  await createOrderRecords(server, business);
  database = openDatabase(server.databaseUrl, { maxConnections: 1, hasLongTimeouts: true });
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

/** A row of the table that is chosen by a number. */
const chosen = (table: string, key: string) =>
  `(merchant_id, ${key}) = (select merchant_id, ${key} from ${table} order by hashtext(${key}::text || $1::text) limit 1)`;
/** A value of another row of the same table. */
const another = (table: string, column: string) =>
  `(select ${column} from ${table} where ${column} is not null order by hashtext(${column}::text || $1::text || 'other') limit 1)`;

const set = (table: string, key: string, column: string, value: string) =>
  `update ${table} set ${column} = ${value} where ${chosen(table, key)}`;

/** What somebody may do by hand. Deleting takes the rows with it that a foreign key protects. */
const ACTS: readonly string[] = [
  set('payments', 'payment_id', 'sale_id', another('sales', 'sale_id')),
  set('payments', 'payment_id', 'returned', '0'),
  set('payments', 'payment_id', 'status', "case status when 'COMPLETED' then 'CANCELED' else 'COMPLETED' end"),
  set('payments', 'payment_id', 'captured_at', 'null'),
  set('payments', 'payment_id', 'updated_at', "created_at - interval '1 second'"),
  set('refunds', 'refund_id', 'payment_id', another('payments', 'payment_id')),
  set('refunds', 'refund_id', 'amount', 'amount + 1'),
  set('refunds', 'refund_id', 'status', "'COMPLETED'"),
  set('refunds', 'refund_id', 'leader_id', another('refunds', 'refund_id')),
  set('refunds', 'refund_id', 'returned_to', another('payments', 'payment_id')),
  set('refunds', 'refund_id', 'created_at', "created_at - interval '40 days'"),
  `delete from refunds where ${chosen('refunds', 'refund_id')}`,
  set('movements', 'movement_id', 'payment_id', another('payments', 'payment_id')),
  set('movements', 'movement_id', 'refund_id', another('refunds', 'refund_id')),
  set('movements', 'movement_id', 'fee', 'fee + 1'),
  `delete from movements where ${chosen('movements', 'movement_id')}`,
  set('cash_drawer_events', 'event_id', 'subject_id', another('payments', 'payment_id')),
  `delete from cash_drawer_events where ${chosen('cash_drawer_events', 'event_id')}`,
  set('sales', 'sale_id', 'sale_id', "'MOVED' || $1::text"),
  set('sales', 'sale_id', 'created_at', "created_at - interval '3 days'"),
  set('sales', 'sale_id', 'location_id', "'elsewhere'"),
  `delete from sales where ${chosen('sales', 'sale_id')}`,
  set('idempotency_keys', 'key', 'made_id', another('refunds', 'refund_id')),
  set('idempotency_keys', 'key', 'made_id', another('payments', 'payment_id')),
  `delete from holds where ${chosen('holds', 'hold_id')}`,
  set('orders', 'order_id', 'total', 'total + 1'),
  set('orders', 'order_id', 'state', "'CANCELED'"),
  `delete from payments p where ${chosen('payments', 'payment_id')}
    and not exists (select from refunds r where r.merchant_id = p.merchant_id and r.payment_id = p.payment_id)
    and not exists (select from holds h where h.merchant_id = p.merchant_id and h.payment_id = p.payment_id)`,
  `delete from merchant_processors where ${chosen('merchant_processors', 'processor_id')}`,
];

/** Runs the acts, and undoes them. Those that a constraint refuses are left out. */
async function compare(acts: readonly string[], number: number): Promise<{ incremental: Breach[]; full: Breach[] }> {
  return undone(database, (tx) =>
    bothAfter(database, tx, async () => {
      for (const act of acts) {
        await tx.unsafe('savepoint act');
        const parameters = act.includes('$1') ? [String(number)] : [];
        await tx.unsafe(act, parameters).catch(() => tx.unsafe('rollback to savepoint act'));
      }
    }),
  );
}

const sorted = (breaches: readonly Breach[]): string[] =>
  breaches.map((breach) => Object.values(breach).join(' | ')).sort();

/** The same choice in each run: a failure can be repeated. */
const pick = (number: number, place: number) =>
  ACTS[(number * 7919 + place * 104_729 + ((number * number * 31) % 1009)) % ACTS.length] ?? '';

describe.skipIf(isCluster)('an incremental check after changes by hand finds what a full one finds', () => {
  it('for each of them', async () => {
    const found = new Set<string>();
    for (const [index, act] of ACTS.entries()) {
      const { incremental, full } = await compare([act], index);
      expect(sorted(incremental), act).toEqual(sorted(full));
      for (const { law } of full) found.add(law);
    }
    // The changes are no trifles.
    expect(found.size).toBeGreaterThan(15);
  }, 300_000);

  it.each(Array.from({ length: ROUNDS }, (_, number) => number))(
    'for several of them, %i',
    async (number) => {
      const acts = Array.from({ length: 1 + (number % 5) }, (_, place) => pick(number, place));
      const { incremental, full } = await compare(acts, number);
      expect(sorted(incremental), acts.join('\n')).toEqual(sorted(full));
    },
    60_000,
  );
});
