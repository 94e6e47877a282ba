/** Rows that the database examines to record and claim deliveries: few, however many subscriptions there are and deliveries wait. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { instant } from '../src/base/time.js';
import { listReceivers, updateDeliveriesToClaimed } from '../src/events/delivery-queries.js';
import { publish } from '../src/events/publishing.js';
import { deleteOldEvents, listMerchantsWithOldEvents } from '../src/events/retention-queries.js';
import { findNextDue } from '../src/worker/agenda-queries.js';
import { changeIn } from './support/interleaving.js';
import { type Examiner, openExaminer } from './support/plans.js';
import { subscribe } from './support/receiver.js';
import { startTestServer, type TestServer } from './support/server.js';

const WAITING = 30_000;
const OTHER_SUBSCRIPTIONS = 2_000;
const UNDER_WAY = 128;
const LIMIT = 64;
const NOW = instant(Date.now());
const LATER = instant(NOW + 30_000);

let server: TestServer;
let examiner: Examiner;
let receiver: { merchantId: string; subscriptionId: string };

beforeAll(async () => {
  server = await startTestServer();
  const merchant = await server.createMerchant();
  const { id } = await subscribe(server, merchant, 'http://127.0.0.1:9/nobody', { enabled: false });
  receiver = { merchantId: merchant.id, subscriptionId: id };
  await subscribeOthers();
  await fill();
  await server.database.sql.unsafe('vacuum analyze');
  examiner = await openExaminer(server);
});
afterAll(async () => {
  await examiner.close();
  await server.stop();
});

/** Subscriptions of the same application to events of other merchants. */
async function subscribeOthers(): Promise<void> {
  await server.database.sql`
    insert into webhook_subscriptions
    select (
      jsonb_populate_record(s, jsonb_build_object('subscription_id', 'S' || n, 'merchant_id', 'M' || n, 'idempotency_key', null))
    ).*
    from webhook_subscriptions s, generate_series(1, ${OTHER_SUBSCRIPTIONS}::int) as n`;
}

/** One event a second. All deliveries wait, and the first ones are claimed. */
async function fill(): Promise<void> {
  const { merchantId, subscriptionId } = receiver;
  const first = new Date(NOW - WAITING * 1000).toISOString();
  await server.database.sql`
    with made as materialized (
      select gen_random_uuid() as event_id, n, ${first}::text::timestamptz + n * interval '1 second' as at
      from generate_series(0, ${WAITING - 1}::int) as n
    ),
    event as (
      insert into webhook_events (merchant_id, event_id, kind, entity_id, body, created_at)
      select ${merchantId}, event_id, 'payment.created', 'P' || n, '{}', at from made
    )
    insert into webhook_deliveries (
      merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, leased_until, created_at, ordinal
    )
    select
      ${merchantId}, gen_random_uuid(), event_id, ${subscriptionId}, 'P' || n, 'WAITING', at,
      case when n < ${UNDER_WAY} then '2100-01-01'::timestamptz end, at, n
    from made
    order by n`;
}

it('claiming a round skips claimed deliveries and examines little more than it claims', async () => {
  const rows = await examiner.examineFunction(async (tx) => {
    // Only in this transaction, which is rolled back: the server's own worker finds nothing to do.
    await tx`update webhook_subscriptions set enabled = true where subscription_id = ${receiver.subscriptionId}`;
    return updateDeliveriesToClaimed(tx, receiver, { now: NOW, until: LATER, limit: LIMIT });
  });
  expect(rows['webhook_deliveries']).toBeLessThanOrEqual(UNDER_WAY + 3 * LIMIT);
  expect(rows['webhook_events']).toBe(LIMIT);
  // Enabled here, read for its permissions, to see that it is enabled, and for its URL.
  expect(rows['webhook_subscriptions']).toBe(4);
});

it("recording an event examines only the merchant's own subscriptions", async () => {
  const event = { kind: 'TIMECARD_UPDATED', locationId: null, entityId: randomUUID(), happenedAt: NOW } as const;
  const rows = await examiner.examineFunction((tx) =>
    changeIn(tx, receiver.merchantId, (change) => publish(change, event)),
  );
  // Once to find out that there is one, and once to read it.
  expect(rows['webhook_subscriptions']).toBe(2);
});

it('deleting old events examines only the events that it deletes', async () => {
  const before = instant(NOW - (WAITING - 100) * 1000);
  const merchants = await examiner.examineFunction((tx) => listMerchantsWithOldEvents(tx, '', before));
  expect(merchants['webhook_events']).toBeLessThanOrEqual(101);
  const rows = await examiner.examineFunction((tx) =>
    deleteOldEvents(tx, receiver.merchantId, { before, limit: 1000 }),
  );
  // Found, and deleted.
  expect(rows['webhook_events']).toBeLessThanOrEqual(2 * 101);
  // Before and after the lock, locked, deleted, and with their attempts.
  expect(rows['webhook_deliveries']).toBeLessThanOrEqual(5 * 101);
});

it('finding receivers with due deliveries examines a few deliveries of each receiver', async () => {
  // For the server's own worker all deliveries are claimed. The statement below uses a later time, at which the claims have expired.
  const later = instant(Date.parse('2100-01-02T00:00:00Z'));
  await server.database.sql`update webhook_deliveries set leased_until = '2100-01-01' where leased_until is null`;
  await server.database.sql`
    update webhook_subscriptions set enabled = true where subscription_id = ${receiver.subscriptionId}`;
  const rows = await examiner.examine((tx) => listReceivers(tx, { now: later, except: [], limit: 16 }));
  // One more to find the receiver.
  expect(rows['webhook_deliveries']).toBeLessThanOrEqual(17);
});

it('finding when the next delivery is due examines a few deliveries', async () => {
  const rows = await examiner.examine((tx) => findNextDue(tx));
  expect(rows['webhook_deliveries']).toBeGreaterThan(0);
  expect(rows['webhook_deliveries']).toBeLessThanOrEqual(3);
});
