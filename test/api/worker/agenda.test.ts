/** The worker finds its work by the agenda, as on a distributed database, instead of asking the tables (decision 0133). */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import { createFaultyProcessor } from '../../support/faulty-processor.js';
import { approve, expectBooksInOrder, getPayment, getRefund, pay, refund, tryToPay } from '../../support/payments.js';
import { answer, makeDeliveriesDue, Receiver, subscribe } from '../../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer, withServer } from '../../support/server.js';

/** The time between sweeps. No test takes longer, so there is only the first. Retries after a minute are still written into the agenda. */
const SELDOM = { usesAgenda: true, lookIntervalMs: 40_000 };
const OFTEN = { usesAgenda: true, lookIntervalMs: 300 };
const PATIENCE_MS = 10_000;

let sent: string[] = [];
let server: TestServer;
let merchant: TestMerchant;
let receiver: Receiver;

beforeAll(async () => {
  server = await startTestServer({ dueWork: SELDOM, onStatement: (text) => sent.push(text) });
  await pollUntil(async () => sent.some((text) => text.includes('list_due_merchants')), Boolean, PATIENCE_MS);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});
beforeEach(async () => {
  [merchant, receiver] = [await server.createMerchant(), await Receiver.open()];
});
afterEach(async () => {
  await server.database.sql`update webhook_subscriptions set enabled = false`;
  await receiver.close();
});

function untilRefunded(of: TestMerchant, id: string) {
  return pollUntil(
    () => getRefund(server, of, id),
    ({ status }) => status === 'COMPLETED',
    PATIENCE_MS,
  );
}

/** Waits until that many deliveries of the merchant are recorded as delivered. */
async function untilDelivered(count: number): Promise<void> {
  const delivered = await pollUntil(
    () => server.database.sql`
      select from webhook_deliveries where merchant_id = ${merchant.id} and state = 'DELIVERED'`,
    ({ length }) => length === count,
    PATIENCE_MS,
  );
  expect(delivered).toHaveLength(count);
}

/** The agenda's entry for the merchant, as soon as there is one. */
async function findEntry(): Promise<{ dueAt: number } | undefined> {
  const [entry] = await pollUntil(
    () => server.database.sql<{ dueAt: number }[]>`
      select due_at from agenda where kind = 'MERCHANT' and subject_id = ${merchant.id}`,
    (rows) => rows.length > 0,
    PATIENCE_MS,
  );
  return entry;
}

describe('a worker without work', () => {
  it('sends one small statement in each poll', async () => {
    const isPoll = (text: string): boolean => text.trim().startsWith('delete from agenda');
    // What the creation of the merchant caused may take a while on a busy machine.
    const observe = async (): Promise<{ readonly polls: readonly boolean[]; readonly ms: number }> => {
      sent = [];
      const startedAt = performance.now();
      await sleep(1_000);
      return { polls: sent.map(isPoll), ms: performance.now() - startedAt };
    };
    const isQuiet = ({ polls }: Awaited<ReturnType<typeof observe>>) => polls.length > 3 && polls.every(Boolean);
    const observed = await pollUntil(observe, isQuiet, PATIENCE_MS);
    expect(isQuiet(observed)).toBe(true);
    expect(observed.polls.length).toBeLessThanOrEqual(observed.ms / 100 + 1);
  });
});

describe('a write', () => {
  it('that adds work has it done at once', async () => {
    const { id } = await refund(server, merchant, await pay(server, merchant));
    expect((await untilRefunded(merchant, id)).status).toBe('COMPLETED');
  });

  it('has its events delivered at once', async () => {
    await pay(server, merchant);
    await subscribe(server, merchant, receiver.url);
    await pay(server, merchant);
    expect(await receiver.until(1)).toHaveLength(1);
  });

  it('costs the worker nothing if it adds neither', async () => {
    await pay(server, merchant);
    await sleep(300);
    sent = [];
    await pay(server, merchant);
    await sleep(300);
    expect(sent.filter((text) => text.includes('find_due'))).toEqual([]);
  });
});

describe('work that becomes due soon', () => {
  it('is in the agenda with its time, from which any server takes it', async () => {
    merchant = await server.createMerchant({ clock: { frozen: true } }); // otherwise the close of its day could be due sooner
    await subscribe(server, merchant, receiver.url);
    receiver.answering = answer(500);
    await pay(server, merchant);
    await receiver.until(1);
    // Until the attempt is recorded, the entry has the time at which the lease of the delivery expires.
    const findTimes = async () => {
      const [delivery] = await server.database.sql<{ runAt: number }[]>`
        select run_at from webhook_deliveries where merchant_id = ${merchant.id}`;
      return { dueAt: (await findEntry())?.dueAt, runAt: delivery?.runAt };
    };
    const times = await pollUntil(findTimes, ({ dueAt, runAt }) => dueAt === runAt, PATIENCE_MS);
    expect(times.dueAt).toBe(times.runAt);
    expect(times.dueAt).toBeGreaterThan(Date.now());

    receiver.answering = answer(200);
    await makeDeliveriesDue(server);
    await server.database.sql`update agenda set due_at = now() where subject_id = ${merchant.id}`;
    expect(await receiver.until(2)).toHaveLength(2);
  });
});

describe('work without a hint', () => {
  it('is found by the sweep: a payment that expires, a delivery, a call without an outcome', async () => {
    const processor = createFaultyProcessor();
    await withServer({ databaseUrl: server.databaseUrl, dueWork: OFTEN, processor }, async (another) => {
      const { sql } = server.database;
      const expiring = await approve(another, merchant);
      await subscribe(another, merchant, receiver.url, { event_types: ['payment.created'] });
      receiver.answering = answer(500);
      await pay(another, merchant);
      await receiver.until(1);
      processor.failNext(merchant.id, 'authorize', { when: 'after it is done', how: 'says it is unavailable' });
      expect((await tryToPay(another, merchant)).status).toBeGreaterThanOrEqual(500);
      receiver.answering = answer(200);

      await sql`delete from agenda where kind = 'MERCHANT'`;
      await sql`update due_work set due_at = now(), run_at = now() where merchant_id = ${merchant.id} and kind = 'EXPIRE_PAYMENT'`;
      await sql`update processor_calls set retry_at = now(), leased_until = null where merchant_id = ${merchant.id}`;
      await makeDeliveriesDue(server);
      expect(await receiver.until(3)).toHaveLength(3);
      const expired = await pollUntil(
        () => getPayment(another, merchant, expiring.id),
        ({ status }) => status === 'CANCELED',
        PATIENCE_MS,
      );
      expect(expired.status).toBe('CANCELED');
      expect(await sql`select from processor_calls where merchant_id = ${merchant.id}`).toEqual([]);
    });
  });

  it('is left by a server that stops, and found by the next one when it starts', async () => {
    await withServer({ dueWork: SELDOM }, async (first) => {
      const owner = await first.createMerchant();
      await subscribe(first, owner, receiver.url);
      receiver.answering = answer(500);
      await pay(first, owner);
      await receiver.until(1);
      await first.stopServer();
      await makeDeliveriesDue(first);
      await first.database.sql`delete from agenda`;
      receiver.answering = answer(200);
      await withServer({ dueWork: SELDOM, databaseUrl: first.databaseUrl }, async () => {
        expect(await receiver.until(2)).toHaveLength(2);
      });
    });
  });
});

describe('a merchant whose node does not respond', () => {
  it('is looked at again later, and does not delay the others', async () => {
    const { sql } = server.database;
    const [{ schema } = { schema: '' }] = await sql<{ schema: string }[]>`
      select pronamespace::regnamespace::text as schema from pg_proc where proname = 'find_due'`;
    await sql.unsafe(`
      alter function ${schema}.find_due rename to find_due_there;
      create function ${schema}.find_due(p_merchant_id text) returns setof ${schema}.due_subject language plpgsql as $$
      begin
        if p_merchant_id = '${merchant.id}' then raise exception 'the node is down'; end if;
        return query select * from ${schema}.find_due_there(p_merchant_id);
      end $$`);
    try {
      const { id } = await refund(server, merchant, await pay(server, merchant));
      const other = await server.createMerchant();
      const { id: otherId } = await refund(server, other, await pay(server, other));
      expect((await untilRefunded(other, otherId)).status).toBe('COMPLETED');
      expect((await getRefund(server, merchant, id)).status).toBe('PENDING');
      expect(await findEntry()).toBeDefined();
      await sql.unsafe(`drop function ${schema}.find_due; alter function ${schema}.find_due_there rename to find_due`);
      expect((await untilRefunded(merchant, id)).status).toBe('COMPLETED');
    } finally {
      await sql.unsafe(`drop function if exists ${schema}.find_due_there`).catch(() => {});
    }
  });
});

describe('receivers', () => {
  it('that do not respond delay no others, and the merchants of one take turns', async () => {
    const silent = await Receiver.open();
    silent.answering = () => {};
    const busy = await server.createMerchant();
    await subscribe(server, busy, silent.url);
    for (let count = 0; count < 5; count++) await pay(server, busy);
    await silent.until(1);
    await subscribe(server, busy, receiver.url);
    await subscribe(server, merchant, receiver.url);
    await Promise.all([pay(server, busy), pay(server, merchant)]);
    const received = await receiver.until(2);
    expect(received.map(({ body }) => body.merchant_id).sort()).toEqual([busy.id, merchant.id].sort());
    await silent.close();
  });

  it('get new events while many deliveries are claimed by a server that crashed', async () => {
    const claimed = 201;
    await subscribe(server, merchant, receiver.url, { event_types: ['payment.created'] });
    await pay(server, merchant);
    await untilDelivered(1);
    await server.database.sql`
      insert into webhook_deliveries (
        merchant_id, delivery_id, event_id, subscription_id, entity_id, ordinal, state, run_at, leased_until, created_at
      )
      select
        merchant_id, gen_random_uuid(), event_id, subscription_id, entity_id, ordinal, 'WAITING', now() - interval '1 minute',
        now() + interval '1 hour', created_at
      from webhook_deliveries, generate_series(1, ${claimed}::integer)
      where merchant_id = ${merchant.id}`;
    await pay(server, merchant);
    await untilDelivered(2);
    expect(receiver.received).toHaveLength(2);
  });

  it('get the events of a payment in the order of its changes', async () => {
    await subscribe(server, merchant, receiver.url, { event_types: ['payment.created', 'payment.updated'] });
    const payments = await Promise.all(Array.from({ length: 10 }, () => approve(server, merchant)));
    await Promise.all(
      payments.map(async ({ id }) => {
        await server.call('POST', `/v2/payments/${id}/complete`, { token: merchant.token, body: {} });
        await refund(server, merchant, { id });
      }),
    );
    await receiver.until(30);
    for (const { id } of payments) {
      const recorded = await server.database.sql<{ body: string }[]>`
        select e.body
        from webhook_deliveries d
        join webhook_events e using (merchant_id, event_id)
        where merchant_id = ${merchant.id} and d.entity_id = ${id}
        order by d.ordinal`;
      const events = recorded.map(({ body }) => JSON.parse(body));
      const received = receiver.received.filter(({ body }) => body.data.id === id);
      expect(received.map(({ body }) => body.event_id)).toEqual(events.map(({ event_id }) => event_id));
      expect(events.map(({ data }) => data.object.payment.status)).toEqual(['APPROVED', 'COMPLETED', 'COMPLETED']);
    }
  });
});
