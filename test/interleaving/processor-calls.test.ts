/** Calls of a remote processor, and changes of their payments that are stopped while the other one commits. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { realNow } from '../../src/base/clock.js';
import { realIds } from '../../src/base/ids.js';
import { instant, MINUTE_MS } from '../../src/base/time.js';
import { findCall, insertActionCall } from '../../src/business/payments/call-queries.js';
import {
  cancelWhenResolved,
  resolveCall,
  resolveCreate,
  toProcessorMerchant,
} from '../../src/business/payments/calls.js';
import { voidApproved } from '../../src/business/payments/capture.js';
import { readPayment } from '../../src/business/payments/queries.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { createFaultyProcessor } from '../support/faulty-processor.js';
import { changeIn, holdLock, interleave } from '../support/interleaving.js';
import { approve, cancelByKey, expectBooksInOrder, getPayment, movementsOf, tryToPay } from '../support/payments.js';
import { ensureDefined } from '../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const processor = createFaultyProcessor();

let server: TestServer;
let merchant: TestMerchant;
/** Connections of their own, so that two statements can wait at the same time. */
let one: Database;
let other: Database;

beforeAll(async () => {
  server = await startTestServer({ processor });
  [one, other] = [openDatabase(server.databaseUrl), openDatabase(server.databaseUrl)];
});
beforeEach(async () => {
  merchant = await server.createMerchant();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await Promise.all([one.close(), other.close()]);
  await server.stop();
});

const context = (database: Database) => ({
  database,
  processor,
  ids: realIds,
  merchant: toProcessorMerchant(merchant.id),
  now: realNow(),
});

/** The id of a payment whose call to the processor got no response. */
async function leaveUnresolved(): Promise<string> {
  processor.failNext(merchant.id, 'authorize', { when: 'before it is done', how: 'says it is unavailable' });
  expect((await tryToPay(server, merchant)).status).toBe(503);
  const [pending] = await server.database.sql<{ id: string }[]>`
    select payment_id as id from payments where merchant_id = ${merchant.id} and status = 'PENDING'`;
  return ensureDefined(pending).id;
}

const kindsOf = async (id: string) => (await movementsOf(server, id)).map(({ kind }) => kind).sort();

it('an outcome that two callers get is recorded once', async () => {
  const id = await leaveUnresolved();
  const held = await holdLock(
    server,
    (tx) => tx`select from payments where merchant_id = ${merchant.id} and payment_id = ${id} for update`,
  );
  const both = Promise.all([one, other].map((database) => resolveCreate(context(database), id)));
  await held.untilWaiting(2);
  await held.release();
  expect((await both).map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
  expect(await movementsOf(server, id)).toHaveLength(1);
});

it('an outcome that a request gets which began before the payment was created has the later time', async () => {
  const id = await leaveUnresolved();
  const early = { ...context(one), now: instant(realNow() - MINUTE_MS) };
  expect((await resolveCreate(early, id)).status).toBe('COMPLETED');
  const { created_at, updated_at } = await getPayment(server, merchant, id);
  expect(updated_at).toBe(created_at);
  expect((await movementsOf(server, id)).map(({ occurredAt }) => occurredAt)).toEqual([Date.parse(created_at)]);
});

it('a payment that is canceled by its key while its completion is being recorded is canceled after the call', async () => {
  const key = randomUUID();
  const { id } = await approve(server, merchant, { idempotency_key: key });
  const retryAt = instant(realNow() + MINUTE_MS);
  const canceled = await interleave(server, {
    hold: (tx) => insertActionCall(tx, { merchantId: merchant.id, paymentId: id, action: 'COMPLETE', retryAt }),
    work: () => cancelByKey(server, merchant, key),
  });
  expect(canceled.status).toBe(200);
  expect((await getPayment(server, merchant, id)).status).toBe('APPROVED');
  const call = ensureDefined(await findCall(one.sql, merchant.id, id));
  expect(call).toMatchObject({ action: 'COMPLETE', cancelAfter: true });
  await resolveCall(context(one), call);
  expect((await getPayment(server, merchant, id)).status).toBe('CANCELED');
  expect(await kindsOf(id)).toEqual(['CHARGE', 'REVERSAL']);
});

it('a payment that is voided while its completion waits is not captured at the processor', async () => {
  const { id } = await approve(server, merchant);
  const completed = await interleave(server, {
    hold: (tx) =>
      changeIn(tx, merchant.id, async (change) =>
        voidApproved(change, ensureDefined(await readPayment(change, id)), realNow()),
      ),
    work: () => server.call('POST', `/v2/payments/${id}/complete`, { token: merchant.token }),
  });
  expect(completed.status).toBe(400);
  expect(processor.asked(merchant.id, 'capture')).toBe(0);
  expect((await getPayment(server, merchant, id)).status).toBe('CANCELED');
});

it('a payment that is canceled by its key while its outcome waits is canceled with it', async () => {
  const id = await leaveUnresolved();
  const resolved = await interleave(server, {
    hold: (tx) => changeIn(tx, merchant.id, (change) => cancelWhenResolved(change, id)),
    work: () => resolveCreate(context(one), id),
  });
  expect(resolved.status).toBe('CANCELED');
  expect(await kindsOf(id)).toEqual(['CHARGE', 'REVERSAL']);
});
