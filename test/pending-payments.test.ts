/** What a payment costs while its outcome is unknown: with a remote processor, every card payment begins like that (decision 0251). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFaultyProcessor, type FaultyProcessor } from './support/faulty-processor.js';
import { tryToPay } from './support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from './support/server.js';

let server: TestServer;
let processor: FaultyProcessor;
let merchant: TestMerchant;

beforeAll(async () => {
  processor = createFaultyProcessor();
  server = await startTestServer({ processor });
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

/** The indexes that have an entry for some payment: the condition of each is asked of the rows. */
async function listIndexesInUse(): Promise<string[]> {
  const { sql } = server.database;
  const indexes = await sql<{ name: string; condition: string | null }[]>`
    select indexrelid::regclass::text as name, pg_get_expr(indpred, indrelid) as condition
    from pg_index
    where indrelid = 'payments'::regclass
    order by 1`;
  const used: string[] = [];
  for (const { name, condition } of indexes) {
    const rows = await sql.unsafe(`select from payments where ${condition ?? 'true'} limit 1`);
    if (rows.length > 0) used.push(name);
  }
  return used;
}

it('has its key and nothing that only shown payments need, and is shown when the outcome is known', async () => {
  const held = processor.holdNext(merchant.id, 'authorize');
  const paying = tryToPay(server, merchant, { reference_id: 'R1' });
  await held.arrived;
  expect(await listIndexesInUse()).toEqual(['payments_pkey']);
  const [row] = await server.database.sql<{ status: string; v2Json: string | null }[]>`
    select status, v2_json from payments`;
  expect(row).toEqual({ status: 'PENDING', v2Json: null });

  held.release();
  expect((await paying).status).toBe(200);
  expect(await listIndexesInUse()).toEqual([
    'payments_pkey',
    'payments_shown_card_brand',
    'payments_shown_created',
    'payments_shown_last_4',
    'payments_shown_location',
    'payments_shown_order',
    'payments_shown_reference',
    'payments_shown_total',
    'payments_shown_updated',
  ]);
});
