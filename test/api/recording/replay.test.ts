/** A session of the published client, recorded at one server, replayed at another one, and served by stubs at a third. */
import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SquareClient, type SquareError } from 'square';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, readFixture } from '../../../src/recording/fixture.js';
import { startRecorder } from '../../../src/recording/recorder.js';
import { Recording } from '../../../src/recording/recording.js';
import { type Result, replay } from '../../../src/recording/replay.js';
import { openReplayMerchant } from '../../../src/recording/replay-merchant.js';
import { callApi } from '../../support/http.js';
import { newFolder } from '../../support/process.js';
import { OPERATOR_KEY, startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const RECORDED_AT = '2020-02-26T10:15:30.154Z';

let first: TestServer;
let second: TestServer;
let merchant: TestMerchant;
let folder: string;
let session: Session;
let fixture: Fixture;

beforeAll(async () => {
  [first, second, folder] = await Promise.all([startTestServer(), startTestServer(), newFolder()]);
  merchant = await first.createMerchant({
    business_name: 'Two rooms',
    country: 'FR',
    currency: 'EUR',
    locations: [{ name: 'One' }, { name: 'Two', timezone: 'Europe/Paris' }],
  });
  session = await record();
  fixture = await readFixture(folder);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await rm(folder, { recursive: true });
});

interface Session {
  readonly paymentId: string | undefined;
  readonly seen: unknown;
}

async function record(): Promise<Session> {
  const recording = await Recording.start(folder, { target: first.baseUrl, overwrite: false });
  const recorder = await startRecorder({
    target: new URL(first.baseUrl),
    port: 0,
    onExchange: (exchange) => recording.add(exchange),
    onProblem: (line) => expect.unreachable(line),
  });
  const done = await visit(recorder.url, merchant.token);
  await recorder.stop();
  const { leftOut } = await recording.save();
  expect(leftOut).toEqual([]);
  return done;
}

/** What an integration does: it finds the location, charges, refunds, pages through lists, and is refused. */
async function visit(baseUrl: string, token: string): Promise<Session> {
  const client = new SquareClient({ baseUrl, token, maxRetries: 0 });
  const { locations = [] } = await client.locations.list();
  const locationId = locations[1]?.id ?? '';
  const money = { amount: 1000n, currency: 'EUR' as const };
  const own = { locationId, amountMoney: money, sourceId: 'cnon:card-nonce-ok' };
  const { payment } = await client.payments.create({ ...own, idempotencyKey: randomUUID(), referenceId: 'A-17' });
  const held = await client.payments.create({ ...own, idempotencyKey: randomUUID(), autocomplete: false });
  const paymentId = payment?.id ?? '';
  const completed = await client.payments.complete({ paymentId: held.payment?.id ?? '' });
  const half = { amountMoney: { ...money, amount: 500n }, idempotencyKey: randomUUID() };
  const { refund } = await client.refunds.refundPayment({ ...half, paymentId });
  const listed: unknown[] = [];
  const all = { beginTime: payment?.createdAt ?? '', limit: 1, sortOrder: 'ASC' as const };
  for await (const each of await client.payments.list(all)) listed.push(each);
  const got = await client.payments.get({ paymentId });
  const refusal = await client.payments.get({ paymentId: 'none' }).catch(statusOf);
  const unknown = new SquareClient({ baseUrl, token: 'wrong-token', maxRetries: 0 });
  const denied = await unknown.payments.get({ paymentId }).catch(statusOf);
  const call = (path: string, body?: unknown) =>
    callApi(baseUrl, body === undefined ? 'GET' : 'POST', path, { token, ...(body !== undefined && { body }) });
  const hired = await call('/v1/me/employees', { first_name: 'Ana', last_name: 'Ruiz' });
  await call('/v1/me/timecards', { employee_id: hired.body.id, clockin_time: '2020-02-25T08:00:00Z' });
  await call('/v1/me/employees', { first_name: 'Ben', last_name: 'Okri' });
  const page = await call('/v1/me/employees?limit=1');
  const link = /<([^>]+)>/.exec(String(page.headers['link']))?.[1] ?? '';
  const next = await callApi(baseUrl, 'GET', link.replace(baseUrl, ''), { token });
  const seen = [
    payment,
    completed.payment,
    refund,
    listed,
    got.payment,
    refusal,
    denied,
    hired.body,
    page.body,
    next.body,
  ];
  const printed = JSON.stringify(seen, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
  return { paymentId, seen: JSON.parse(printed.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')) };
}

const statusOf = (error: unknown) => (error as SquareError).statusCode;

async function replayAt(server: TestServer, given: Fixture): Promise<Result[]> {
  const target = await openReplayMerchant(
    {
      url: server.baseUrl,
      operatorKey: OPERATOR_KEY,
      call: async <Body>(method: 'POST', path: string, body: unknown) => {
        const answer = await server.operator(method, `/api/sandbox/${path}`, body);
        expect(answer.status).toBe(200);
        return answer.body as Body;
      },
    },
    given,
  );
  const results: Result[] = [];
  for await (const each of replay(given, target)) results.push(each);
  return results;
}

/** The fixture with a change. */
function changed(change: (exchanges: Mutable[]) => void): Fixture {
  const copy = structuredClone(fixture) as unknown as { exchanges: Mutable[] };
  change(copy.exchanges);
  return copy as unknown as Fixture;
}

// biome-ignore lint/suspicious/noExplicitAny: tests change any member
type Mutable = { at: string; request: any; response: any };

const notSame = (results: readonly Result[]) => results.filter(({ outcome }) => outcome !== 'same');
/** As the pages of the list show them. */
const paymentsIn = (exchanges: readonly Mutable[]) =>
  exchanges
    .filter(({ request }) => request.method === 'GET' && request.path.startsWith('/v2/payments?'))
    .flatMap(({ response }) => response.body.payments ?? []);
const find = (exchanges: readonly Mutable[], method: string, path: RegExp) =>
  exchanges.find(({ request }) => request.method === method && path.test(request.path)) ?? expect.unreachable();

describe('a fixture', () => {
  it('has all exchanges in order, without the token and without the address of the server', async () => {
    const text = await readFile(join(folder, 'fixture.json'), 'utf8');
    expect(text).not.toContain(merchant.token);
    expect(text.replace(/"target": .*/, '')).not.toContain(first.baseUrl);
    expect(fixture.exchanges.map(({ request: { method, path } }) => `${method} ${path.split('?', 1)[0]}`)).toEqual(
      expect.arrayContaining(['GET /v2/locations', 'POST /v2/payments', 'POST /v2/refunds', 'POST /v1/me/timecards']),
    );
    const [{ request, response } = expect.unreachable()] = fixture.exchanges;
    expect(request.headers['authorization']).toMatch(/^Bearer \*{4}.{4}$/);
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  });
});

describe('a replay at another server', () => {
  it('finds no difference: ids, times, cursors and keys are those of the other server', async () => {
    expect(notSame(await replayAt(second, fixture))).toEqual([]);
  });

  it('finds none at the same server either, and again', async () => {
    expect(notSame(await replayAt(first, fixture))).toEqual([]);
    expect(notSame(await replayAt(first, fixture))).toEqual([]);
  });

  it('names what has changed by its place', async () => {
    const other = changed((exchanges) => {
      const { payment } = find(exchanges, 'POST', /^\/v2\/payments$/).response.body;
      payment.amount_money.amount = 999;
      payment.note = 'was here';
      delete payment.status;
      payment.created_at = payment.created_at.replace(/\.\d+/, '');
      payment.card_details.card.last_4 = '9999';
    });
    const [{ number, ...difference } = expect.unreachable(), ...more] = notSame(await replayAt(second, other));
    expect(more).toEqual([]);
    expect(difference).toMatchObject({ method: 'POST', path: '/v2/payments', outcome: 'different' });
    const { differences = [] } = difference as { differences?: readonly { place: string }[] };
    expect(differences.toSorted((one, two) => (one.place < two.place ? -1 : 1))).toEqual([
      { place: 'body.payment.amount_money.amount', recorded: 999, now: 1000 },
      { place: 'body.payment.card_details.card.last_4', recorded: '9999', now: '5858' },
      expect.objectContaining({ place: 'body.payment.created_at' }),
      { place: 'body.payment.note', recorded: 'was here' },
      { place: 'body.payment.status', now: 'COMPLETED' },
    ]);
  });

  it('says what a refusal is now, and leaves out what needs the record that is missing', async () => {
    const other = changed((exchanges) => {
      find(exchanges, 'POST', /^\/v2\/payments$/).request.body.source_id = 'cnon:card-nonce-declined';
    });
    const results = notSame(await replayAt(second, other));
    expect(results[0]).toMatchObject({
      outcome: 'different',
      differences: [
        { place: 'status', recorded: 200, now: 400 },
        { place: 'body', now: { errors: [{ code: 'GENERIC_DECLINE' }] } },
      ],
    });
    const refund = results.find(({ path }) => path === '/v2/refunds');
    const reason = `it needs ${session.paymentId}, and request ${results[0]?.number} was answered differently`;
    expect(refund).toMatchObject({ outcome: 'skipped', reason });
  });

  it('notices that two records are one now, that a list has another order, and that what was sent comes back otherwise', async () => {
    const twice = changed((exchanges) => {
      const [one, two] = exchanges.filter(
        ({ request }) => request.path === '/v2/payments' && request.method === 'POST',
      );
      if (one && two) two.request = one.request;
    });
    expect(notSame(await replayAt(second, twice))[0]).toMatchObject({
      differences: expect.arrayContaining([expect.objectContaining({ place: 'body.payment.id' })]),
    });
    const turned = changed((exchanges) => {
      const list = find(exchanges, 'GET', /^\/v2\/payments\?.*ASC/);
      list.request.path = list.request.path.replace('limit=1', 'limit=100');
      list.response.body = { payments: [...paymentsIn(exchanges)].reverse() };
    });
    expect(JSON.stringify(notSame(await replayAt(second, turned)))).toContain('in another order');
    const said = changed((exchanges) => {
      find(exchanges, 'POST', /^\/v1\/me\/timecards/).response.body.clockin_time = '2020-02-24T08:00:00Z';
    });
    expect(notSame(await replayAt(second, said))).toMatchObject([
      { differences: [{ place: 'body.clockin_time', now: '2020-02-25T08:00:00Z' }] },
    ]);
  });

  it('needs no card and no secret of the recording, and leaves out what it cannot send', async () => {
    const other = changed((exchanges) => {
      find(exchanges, 'POST', /^\/v2\/payments$/).request.body.source_id = 'cnon:****';
      find(exchanges, 'POST', /^\/v2\/payments$/).request.body.verification_token = '****abcd';
      exchanges.push({
        at: RECORDED_AT,
        request: { method: 'POST', path: '/oauth2/token', headers: {}, body: { client_secret: '****abcd' } },
        response: { status: 200, headers: {}, body: {} },
      });
    });
    expect(notSame(await replayAt(second, other))).toMatchObject([
      { path: '/oauth2/token', outcome: 'skipped', reason: 'its client_secret is masked in the fixture' },
    ]);
  });
});

describe('the stubs of a recording', () => {
  it('answer the same session at a third server as it was, with the ids of the recording', async () => {
    const third = await startTestServer({ config: { stubs: join(folder, 'stubs') } });
    try {
      const own = await third.createMerchant();
      expect(await visit(third.baseUrl, own.token)).toEqual(session);
      const { body } = await third.call('GET', '/v1/me/employees', { token: own.token });
      expect(body).toEqual([]); // nothing but stubs has answered; this path without a query is none of them
    } finally {
      await third.stop();
    }
  });
});
