/** A database from before there were sales: what was refunded and reversed then is what v1 shows now. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../src/database/database.js';
import { cloneDatabase, type TestDatabase } from './support/server.js';

const FOLDER = fileURLToPath(new URL('../migrations/', import.meta.url));
const NAMES = readdirSync(FOLDER).sort();

let disposable: TestDatabase;
let database: Database;

const apply = async (names: readonly string[]) => {
  for (const name of names) await database.sql.unsafe(readFileSync(join(FOLDER, name), 'utf8'));
};

/** 1000 with a tip of 101: 333 were refunded and 1 is pending, another refund failed, and the rest was reversed. */
beforeAll(async () => {
  disposable = await cloneDatabase({ empty: true });
  database = openDatabase(disposable.url, { maxConnections: 1 });
  await apply(NAMES.filter((name) => name < '0009'));
  await database.sql.unsafe(`
    insert into payments (merchant_id, payment_id, sale_id, location_id, application_id, status, source_type, created_at,
      updated_at, captured_at, currency, amount, tip, total, fee, refunded, returned, refund_ids, details)
    values ('M', 'P', 'P', 'L', 'A', 'CANCELED', 'CARD', '2020-01-01Z', '2020-01-01Z', '2020-01-01Z', 'USD', 1000, 101, 1101,
      62, 334, 1100, '{P_1,P_2,P_3}', '{}');
    insert into refunds (merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at,
      currency, amount, order_id)
    values ('M', 'P_1', 'P', 'L', 'COMPLETED', 'CARD', '2020-01-02Z', '2020-01-02Z', 'USD', 333, 'O'),
      ('M', 'P_2', 'P', 'L', 'FAILED', 'CARD', '2020-01-03Z', '2020-01-03Z', 'USD', 500, 'O'),
      ('M', 'P_3', 'P', 'L', 'PENDING', 'CARD', '2020-01-04Z', '2020-01-04Z', 'USD', 1, 'O');
    insert into movements (merchant_id, movement_id, location_id, payment_id, kind, currency, amount, fee, occurred_at)
    values ('M', 'R', 'L', 'P', 'REVERSAL', 'USD', -767, 43, '2020-01-05Z');`);
  await apply(NAMES.filter((name) => name >= '0009'));
});
afterAll(async () => {
  await database.close();
  await disposable.drop();
});

describe('a database from before there were sales', () => {
  it('has its reversals as refunds, and the tips of all refunds add up', async () => {
    const rows = await database.sql<{ id: string; origin: string; type: string; amount: number; tip: number | null }[]>`
      select refund_id as id, origin, type, amount, (breakdown -> 'refunded_tip_money' ->> 'amount')::bigint as tip
      from refunds order by created_at`;
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { id: 'P_1', origin: 'API', type: 'PARTIAL', amount: 333, tip: -31 },
      { id: 'P_2', origin: 'API', type: 'PARTIAL', amount: 500, tip: null },
      { id: 'P_3', origin: 'API', type: 'PARTIAL', amount: 1, tip: 0 },
      { id: 'P_R', origin: 'REVERSAL', type: 'FULL', amount: 767, tip: -70 },
    ]);
    const [movement] = await database.sql`select refund_id from movements where movement_id = 'R'`;
    expect(movement).toEqual({ refundId: 'P_R' });
  });

  it('shows in v2 what came back of the fee of a payment that was reversed', async () => {
    const [row] = await database.sql<{ fees: object }[]>`
      select shown::json -> 'processing_fee' as fees from payments where payment_id = 'P'`;
    const fee = (type: string, amount: number, effective_at: string) => ({
      effective_at,
      type,
      amount_money: { amount, currency: 'USD' },
    });
    expect(row?.fees).toEqual([
      fee('INITIAL', 62, '2020-01-01T02:00:00.000Z'),
      fee('ADJUSTMENT', -43, '2020-01-05T02:00:00.000Z'),
    ]);
  });

  it('says what they are made of in the words of v1, every one of them', async () => {
    const [row] = await database.sql<{ breakdown: object }[]>`select breakdown from refunds where refund_id = 'P_1'`;
    const nothing = { amount: 0, currency_code: 'USD' };
    expect(row?.breakdown).toEqual({
      ...{ refunded_tax_money: nothing, refunded_additive_tax_money: nothing, refunded_inclusive_tax_money: nothing },
      ...{ refunded_additive_tax: [], refunded_inclusive_tax: [], refunded_surcharges: [] },
      ...{ refunded_discount_money: nothing, refunded_surcharge_money: nothing },
      refunded_tip_money: { amount: -31, currency_code: 'USD' },
    });
  });
});
