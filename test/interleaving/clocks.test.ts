/** Moves of a clock and added work, stopped in the middle while the other one is committed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { DAY_MS, type Instant, instant } from '../../src/base/time.js';
import type { DueWork } from '../../src/business/due-work/model.js';
import { insertScheduledWork } from '../../src/business/due-work/queries.js';
import { updateClock } from '../../src/business/merchants/queries.js';
import type { Tx } from '../../src/database/database.js';
import { interleave } from '../support/interleaving.js';
import { approve } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const OFFSET_MS = 3 * DAY_MS;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const moveClock = (tx: Tx, { id }: TestMerchant): Promise<void> =>
  updateClock(tx, id, {
    clock: { offsetMs: OFFSET_MS, frozenAt: null },
    movedAt: realNow(),
    works: [],
    overdueRunAt: realNow(),
  });

/** How much later work runs by real time than by the merchant's clock. */
async function listOffsets({ id }: TestMerchant): Promise<number[]> {
  const rows = await server.database.sql<{ dueAt: Instant; runAt: Instant }[]>`
    select due_at, run_at
    from due_work
    where merchant_id = ${id}`;
  return rows.map(({ dueAt, runAt }) => dueAt - runAt);
}

it('work that waited for a move of the clock runs by the new clock', async () => {
  const merchant = await server.createMerchant();
  await interleave(server, {
    hold: (tx) => moveClock(tx, merchant),
    work: () => approve(server, merchant),
  });
  // The close of the day, the roll-up, and the end of the payment.
  expect(await listOffsets(merchant)).toEqual([OFFSET_MS, OFFSET_MS, OFFSET_MS]);
});

it('a move of the clock includes the work that it waited for', async () => {
  const merchant = await server.createMerchant();
  const work: DueWork = { kind: 'EXPIRE_ORDER', subjectId: 'NEW', dueAt: instant(realNow() + 9 * DAY_MS) };
  await interleave(server, {
    hold: (tx) => insertScheduledWork(tx, merchant.id, [work]),
    work: () => server.database.statement((tx) => moveClock(tx, merchant)),
  });
  expect(await listOffsets(merchant)).toEqual([OFFSET_MS, OFFSET_MS, OFFSET_MS]);
});
