/** Snapshot and reset of a merchant (decision 0171). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLACEMENTS } from '../../../src/database/placement.js';
import { operations } from '../../../src/operations.js';
import { LOCKED_TABLES, listCopiedTables } from '../../../src/sandbox/snapshot-tables.js';
import { type Business, createTimecard, endShift, made, openBusiness } from '../../contract/business.js';
import { credentialFor, nameOf, pathOf, requiredQuery } from '../../contract/requests.js';
import { changeClock, pollUntil, readClock } from '../../support/clock.js';
import { expectBooksInOrder, paymentBody, usd } from '../../support/payments.js';
import { Receiver, subscribe, untilDeliveriesFinal } from '../../support/receiver.js';
import { isCluster, startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const of = (id: string, what: 'snapshot' | 'reset') => `/api/sandbox/merchants/${id}/${what}`;
const take = (id: string) => server.operator('POST', of(id, 'snapshot'));
const reset = (id: string) => server.operator('POST', of(id, 'reset'));
const pay = ({ token }: Pick<TestMerchant, 'token'>, body = paymentBody()) =>
  server.call('POST', '/v2/payments', { token, body });
const paymentsOf = async ({ token }: TestMerchant): Promise<{ id: string }[]> =>
  made(await server.call('GET', '/v2/payments', { token })).payments;

/** Columns with real time, and with what follows from it. */
const REAL_TIMES: Readonly<Record<string, readonly string[]>> = {
  merchants: ['clock_moved_at'],
  due_work: ['run_at'],
};
/** Tables that are not placed by their merchant: what the operator and developers have set up stays. */
const SET_UP = ['applications', 'accounts', 'webhook_subscriptions', 'fault_rules', 'stubs', 'credential_directory'];
/** Tables that are not about the business, or that have secrets whose keys are rotated (decision 0183). */
const TECHNICAL = ['audit_events', 'merchant_snapshots', 'merchant_watches', 'merchant_processors'];

/** Tables that usually have no rows of a business. */
const SELDOM_FILLED = [
  ...['acknowledged_breaches', 'authorization_codes', 'pairing_codes', 'payment_copies', 'processor_calls'],
  ...['processor_references', 'processor_troubles'],
  ...['register_approvals', 'register_keys', 'report_days', 'report_progress', 'v1_webhooks'],
];

/** All rows of the merchant in all tables that the database has, found without the list of the program. */
async function dump(merchantId: string): Promise<Record<string, string[]>> {
  const { sql } = server.database;
  const tables = await sql<{ name: string }[]>`
    select c.relname as name
    from pg_attribute
    join pg_class c on c.oid = attrelid
    where attname = 'merchant_id' and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    order by c.relname`;
  const records: Record<string, string[]> = {};
  for (const { name } of tables.filter((each) => ![...SET_UP, ...TECHNICAL].includes(each.name))) {
    const rows = await sql<{ row: string }[]>`
      select (to_jsonb(t) - ${[...(REAL_TIMES[name] ?? [])]}::text[])::text as row
      from ${sql(name)} t
      where merchant_id = ${merchantId}
      order by 1`;
    records[name] = rows.map(({ row }) => row);
  }
  return records;
}

/** Which version of a record an editor saw. What was opened before a reset cannot be saved after it. */
const EDITED_VERSION = /"version":"\d+",?/g;

/** The responses of all operations that only read and need nothing but ids. */
async function read(business: Business): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const changing = [
    ...['sandbox.retrieveSnapshot', 'sandbox.listRequests', 'sandbox.retrieveRequest'],
    'dashboard.listAuditEvents', // what happened stays
  ];
  for (const operation of operations) {
    if (operation.method !== 'GET' || changing.includes(nameOf(operation)) || requiredQuery(operation).length > 0)
      continue;
    const { status, body } = await server.call(
      'GET',
      pathOf(operation, business.ids),
      credentialFor(operation, business),
    );
    answers[nameOf(operation)] = { status, body: JSON.stringify(body).replaceAll(EDITED_VERSION, '') };
  }
  return answers;
}

describe('the tables of a snapshot', () => {
  it('are all tables of merchants, also a new one', () => {
    const all = Object.keys(PLACEMENTS).filter((table) => PLACEMENTS[table] === 'merchant');
    expect([...listCopiedTables(), ...TECHNICAL].sort()).toEqual(all.sort());
    expect([...LOCKED_TABLES].sort()).toEqual([...listCopiedTables(), 'merchant_snapshots'].sort());
    expect(listCopiedTables({ ...PLACEMENTS, notes: 'merchant' })).toContain('notes');
  });
});

describe.runIf(isCluster)('a distributed database', () => {
  it('refuses snapshots with a sentence', async () => {
    const { id } = await server.createMerchant();
    const { status, body } = await take(id);
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('not distributed')]);
  });
});

describe.skipIf(isCluster)('sandbox.resetMerchant', () => {
  it('puts back all records and the clock, and the merchant can continue', async () => {
    const business = await openBusiness(server);
    const { merchant, ids } = business;
    await changeClock(server, merchant.id, { frozen: true, advance: 'P2D' });
    const rule = { effect: 'DELAY', delay_ms: 1, times: 3 };
    made(await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/processor-rules`, rule));
    const receiver = await Receiver.open();
    await subscribe(server, merchant, receiver.url);
    const kept = (await pay(merchant)).body.payment;
    await untilDeliveriesFinal(server, merchant.id, 500);
    const answers = await read(business);
    const { snapshot } = made(await take(merchant.id));
    const records = await dump(merchant.id);
    expect(Object.values(records).flat()).toHaveLength(snapshot.records);
    expect(Object.keys(records).filter((table) => records[table]?.length === 0)).toEqual(SELDOM_FILLED);

    const laterToken = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    expect((await server.call('GET', '/v2/payments', { token: laterToken })).status).toBe(200);
    const lost = (await pay(merchant)).body.payment;
    const refund = { idempotency_key: randomUUID(), payment_id: kept.id, amount_money: usd(300) };
    made(await server.call('POST', '/v2/refunds', { token: merchant.token, body: refund }));
    await createTimecard(server, business, { clockout_time: '2020-02-25T19:00:00Z' });
    await endShift(server, business);
    await changeClock(server, merchant.id, { advance: 'P40D' });
    const name = { first_name: 'Changed', last_name: 'Since' };
    made(await server.call('PUT', `/v1/me/employees/${ids['employee_id']}`, { token: merchant.token, body: name }));
    expect(await dump(merchant.id)).not.toEqual(records);

    const answer = made(await reset(merchant.id));
    expect(answer).toMatchObject({ snapshot, clock: { now: snapshot.now, frozen: true } });
    expect(await dump(merchant.id)).toEqual(records);
    expect(await read(business)).toEqual(answers);
    expect((await server.call('GET', '/v2/payments', { token: laterToken })).status).toBe(401);
    expect((await server.call('GET', `/v2/payments/${lost.id}`, { token: merchant.token })).status).toBe(404);
    const { requests } = made(
      await server.operator('GET', `/api/sandbox/requests?merchant_id=${merchant.id}&limit=200`),
    );
    const since = requests.filter(({ operation }: { operation: string }) => operation === 'v2.refundPayment');
    expect(since).toEqual([]);
    await expectBooksInOrder(server);

    receiver.received.length = 0;
    const next = (await pay(merchant)).body.payment;
    const [event] = await receiver.until(1);
    expect(event?.body).toMatchObject({ type: 'payment.created', data: { id: next.id } });
    made(await server.call('POST', '/v2/refunds', { token: merchant.token, body: refund })); // the key is new again
    const settlements = `/v1/${ids['location_id']}/settlements`;
    const before = made(await server.call('GET', settlements, { token: merchant.token })).length;
    await changeClock(server, merchant.id, { advance: 'P3D' });
    expect(made(await server.call('GET', settlements, { token: merchant.token })).length).toBeGreaterThan(before);
    made(await reset(merchant.id)); // as often as one likes
    expect(await dump(merchant.id)).toEqual(records);
    await receiver.close();
  });

  it('sets a running clock back, and its work becomes due again by that clock', async () => {
    const merchant = await server.createMerchant({ clock: { now: '2024-03-01T10:00:00Z' } });
    const { payment } = (await pay(merchant, paymentBody({ autocomplete: false }))).body;
    const { snapshot } = made(await take(merchant.id));
    await changeClock(server, merchant.id, { advance: 'P8D' });
    const state = async () =>
      made(await server.call('GET', `/v2/payments/${payment.id}`, { token: merchant.token })).payment.status;
    expect(await state()).toBe('CANCELED');
    made(await reset(merchant.id));
    const { now, frozen } = await readClock(server, merchant.id);
    expect(frozen).toBe(false);
    expect(Date.parse(now) - Date.parse(snapshot.now)).toBeLessThan(10_000);
    expect(await state()).toBe('APPROVED');
    await changeClock(server, merchant.id, { advance: 'P8D' });
    expect(await state()).toBe('CANCELED');
  });

  it('lets tokens work again that expired or were deleted since', async () => {
    const merchant = await server.createMerchant();
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    made(await take(merchant.id));
    await server.operator('POST', '/api/sandbox/tokens/expire', { access_token: token });
    await server.database.sql`delete from access_tokens where merchant_id = ${merchant.id} and expires_at is not null`;
    await server.database.sql`delete from credential_directory where merchant_id = ${merchant.id}`;
    made(await reset(merchant.id));
    expect((await server.call('GET', '/v2/payments', { token })).status).toBe(200);
  });

  it('happens before or after each concurrent write, and does not disturb other merchants', async () => {
    const [merchant, other] = [await server.createMerchant(), await server.createMerchant()];
    made(await pay(merchant));
    const [kept] = await paymentsOf(merchant);
    made(await take(merchant.id));
    let isOver = false;
    const write = async (who: TestMerchant): Promise<string[]> => {
      const made: string[] = [];
      while (!isOver) {
        const { status, body } = await pay(who);
        expect(status).toBe(200);
        made.push(body.payment.id);
        const refund = { idempotency_key: randomUUID(), payment_id: body.payment.id, amount_money: usd(100) };
        const refunded = await server.call('POST', '/v2/refunds', { token: who.token, body: refund });
        expect([200, 404]).toContain(refunded.status); // the payment may be gone
      }
      return made;
    };
    const writing = [merchant, merchant, merchant, other, other].map(write);
    const outcomes: number[] = [];
    for (let round = 0; round < 5; round++) outcomes.push((await reset(merchant.id)).status);
    isOver = true;
    await Promise.all(writing);
    expect(outcomes).toEqual([200, 200, 200, 200, 200]);
    await expectBooksInOrder(server);
    made(await reset(merchant.id));
    expect((await paymentsOf(merchant)).map(({ id }) => id)).toEqual([kept?.id]);
    const counted = (await Promise.all(writing)).slice(3).flat();
    const { sql } = server.database;
    const [row] = await sql<{ count: number }[]>`select count(*) from payments where merchant_id = ${other.id}`;
    expect(row?.count).toBe(counted.length);
  });

  it('keeps deliveries in flight in order', async () => {
    const merchant = await server.createMerchant();
    const receiver = await Receiver.open();
    await subscribe(server, merchant, receiver.url);
    made(await take(merchant.id));
    const held: (() => void)[] = [];
    receiver.answering = (response) => held.push(() => response.writeHead(200).end());
    made(await pay(merchant));
    await receiver.until(1);
    made(await reset(merchant.id)); // the event is gone before its receiver responds
    for (const respond of held) respond();
    receiver.answering = (response) => response.writeHead(200).end();
    const { payment } = made(await pay(merchant));
    await pollUntil(
      async () => receiver.received.some(({ body }) => body.data.id === payment.id),
      (came) => came,
      5000,
    );
    expect(receiver.received.at(-1)?.body.data.id).toBe(payment.id);
    await receiver.close();
  });
});

describe.skipIf(isCluster)('a snapshot', () => {
  it('is shown, replaced by the next, and missing at first', async () => {
    const merchant = await server.createMerchant();
    expect((await server.operator('GET', of(merchant.id, 'snapshot'))).status).toBe(404);
    expect((await reset(merchant.id)).status).toBe(404);
    const first = made(await take(merchant.id)).snapshot;
    await pay(merchant);
    const second = made(await take(merchant.id)).snapshot;
    expect(second.records).toBeGreaterThan(first.records);
    expect(made(await server.operator('GET', of(merchant.id, 'snapshot')))).toEqual({ snapshot: second });
    made(await reset(merchant.id));
    expect(await paymentsOf(merchant)).toHaveLength(1);
    for (const what of ['snapshot', 'reset'] as const) {
      expect((await server.operator('POST', of('MNOBODY', what))).status).toBe(404);
    }
  });

  it('of another schema is refused', async () => {
    const { id } = await server.createMerchant();
    made(await take(id));
    await server.database.sql`update merchant_snapshots set schema_version = 'old' where merchant_id = ${id}`;
    const { status, body } = await reset(id);
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('migrated')]);
  });

  it('of too many records is refused with the numbers', async () => {
    const { id } = await server.createMerchant();
    await server.database.sql`
      insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
      select ${id}, 'test', 'test', number::text, '', '' from generate_series(1, 100001) as number`;
    const { status, body } = await take(id);
    await server.database.sql`delete from idempotency_keys where merchant_id = ${id}`;
    expect([status, body.errors[0].detail]).toEqual([
      413,
      expect.stringMatching(/has 10000\d records .* at most 100000/),
    ]);
  });
});
