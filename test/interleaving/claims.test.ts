/** The release of a claim, stopped while another worker claims the work. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { type Instant, instant, MINUTE_MS } from '../../src/base/time.js';
import type { DueWork } from '../../src/business/due-work/model.js';
import { updateDueWorkToClaimed } from '../../src/business/due-work/queries.js';
import { insertActionCall, updateClaimToReleased } from '../../src/business/payments/call-queries.js';
import type { Tx } from '../../src/database/database.js';
import { interleave } from '../support/interleaving.js';
import { approve } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const FIRST: Instant = instant(realNow() + 10 * MINUTE_MS);
const SECOND: Instant = instant(realNow() + 20 * MINUTE_MS);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** The work that expires a payment, claimed with a call to the processor. */
async function claimWork(merchant: TestMerchant): Promise<DueWork> {
  const { id } = await approve(server, merchant);
  const work: DueWork = { kind: 'EXPIRE_PAYMENT', subjectId: id, dueAt: FIRST };
  await server.database.transaction(async (tx) => {
    await updateDueWorkToClaimed(tx, merchant.id, work, FIRST);
    await insertActionCall(tx, { merchantId: merchant.id, paymentId: id, action: 'CANCEL', retryAt: FIRST });
  });
  return work;
}

const release = (tx: Tx, { id }: TestMerchant, work: DueWork) =>
  updateClaimToReleased(tx, id, { ...work, leasedUntil: FIRST }, SECOND);

async function leasesOf({ id }: TestMerchant): Promise<(Instant | null)[]> {
  const rows = await server.database.sql<{ leasedUntil: Instant | null }[]>`
    select leased_until
    from due_work
    where merchant_id = ${id} and kind = 'EXPIRE_PAYMENT'
    union all
    select leased_until
    from processor_calls
    where merchant_id = ${id}`;
  return rows.map(({ leasedUntil }) => leasedUntil);
}

it('releases the work and its call', async () => {
  const merchant = await server.createMerchant();
  const work = await claimWork(merchant);
  expect(await leasesOf(merchant)).toEqual([FIRST, FIRST]);
  await server.database.statement((tx) => release(tx, merchant, work));
  expect(await leasesOf(merchant)).toEqual([null, null]);
});

it('leaves work alone that was claimed again while it waited', async () => {
  const merchant = await server.createMerchant();
  const work = await claimWork(merchant);
  await interleave(server, {
    hold: (tx) => updateDueWorkToClaimed(tx, merchant.id, work, SECOND),
    work: () => server.database.statement((tx) => release(tx, merchant, work)),
  });
  expect(await leasesOf(merchant)).toEqual([SECOND, null]);
});
