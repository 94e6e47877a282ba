/** Claims of work and their release, stopped while another worker claims the work. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { realIds } from '../../src/base/ids.js';
import { type Instant, instant, MINUTE_MS } from '../../src/base/time.js';
import type { DueWork } from '../../src/business/due-work/model.js';
import { updateDueWorkToClaimed } from '../../src/business/due-work/queries.js';
import { dueWork } from '../../src/business/due-work/table.js';
import { insertActionCall, updateClaimToReleased } from '../../src/business/payments/call-queries.js';
import { type Database, openDatabase, type Tx } from '../../src/database/database.js';
import { runDueWork } from '../../src/worker/due-work.js';
import { showTime } from '../support/clock.js';
import { createFaultyProcessor } from '../support/faulty-processor.js';
import { changeIn, holdLock, interleave } from '../support/interleaving.js';
import { approve, getPayment } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const FIRST: Instant = instant(realNow() + 10 * MINUTE_MS);
const SECOND: Instant = instant(realNow() + 20 * MINUTE_MS);

const processor = createFaultyProcessor();

let server: TestServer;
/** Connections of their own, as two workers have them. */
let one: Database;
let other: Database;

beforeAll(async () => {
  server = await startTestServer({ processor });
  [one, other] = [openDatabase(server.databaseUrl), openDatabase(server.databaseUrl)];
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await server.stop();
});

const claim = (tx: Tx, { id }: TestMerchant, work: DueWork, until: Instant) =>
  changeIn(tx, id, async (change) => {
    await change.read(dueWork, { kind: work.kind, subjectId: work.subjectId });
    updateDueWorkToClaimed(change, work, until);
  });

/** The work that expires a payment, claimed with a call to the processor. */
async function claimWork(merchant: TestMerchant): Promise<DueWork> {
  const { id } = await approve(server, merchant);
  const work: DueWork = { kind: 'EXPIRE_PAYMENT', subjectId: id, dueAt: FIRST };
  await server.database.transaction(async (tx) => {
    await claim(tx, merchant, work, FIRST);
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

it('a release of a claim releases the work and its call', async () => {
  const merchant = await server.createMerchant();
  const work = await claimWork(merchant);
  expect(await leasesOf(merchant)).toEqual([FIRST, FIRST]);
  await server.database.statement((tx) => release(tx, merchant, work));
  expect(await leasesOf(merchant)).toEqual([null, null]);
});

it('a release of a claim leaves work alone that was claimed again while it waited', async () => {
  const merchant = await server.createMerchant();
  const work = await claimWork(merchant);
  await interleave(server, {
    hold: (tx) => claim(tx, merchant, work, SECOND),
    work: () => server.database.statement((tx) => release(tx, merchant, work)),
  });
  expect(await leasesOf(merchant)).toEqual([SECOND, null]);
});

it('two workers that find the same work do each work once', async () => {
  // The worker of the server leaves a frozen clock alone.
  const merchant = await server.createMerchant({ clock: { now: '2020-02-21T15:00:00Z', frozen: true } });
  const payments = [await approve(server, merchant), await approve(server, merchant)];
  const held = await holdLock(
    server,
    (tx) => tx`select from due_work where merchant_id = ${merchant.id} and kind = 'EXPIRE_PAYMENT' for update`,
  );
  const until = instant(Date.parse('2020-02-28T15:00:00Z'));
  await showTime(server, merchant.id, until);
  const worker = { signal: new AbortController().signal };
  const both = Promise.all(
    [one, other].map((database) => runDueWork({ database, processor, ids: realIds }, merchant.id, until, worker)),
  );
  await held.untilWaiting(2);
  await held.release();
  await both;
  expect(processor.asked(merchant.id, 'void')).toBe(2);
  const found = await Promise.all(payments.map(({ id }) => getPayment(server, merchant, id)));
  expect(found.map(({ status }) => status)).toEqual(['CANCELED', 'CANCELED']);
});
