/** Two servers on one database: each sees the other's changes within a second, and both may start at the same time. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { moveTokenToRevoked } from '../../../src/access/token-queries.js';
import { realNow } from '../../../src/base/clock.js';
import { hashSecret } from '../../../src/base/secrets.js';
import { changeClock, pollUntil } from '../../support/clock.js';
import { createOwner, newOwnerEmail, PASSWORD, signIn } from '../../support/dashboard.js';
import { createEmployee } from '../../support/employees.js';
import { idsOf } from '../../support/lists.js';
import {
  cloneDatabase,
  startTestServer,
  type TestDatabase,
  type TestMerchant,
  type TestServer,
} from '../../support/server.js';

/** The longest time for which a credential is accepted after a change (architecture 6). */
const DEADLINE_MS = 1000;

let one: TestServer;
let two: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  one = await startTestServer();
  two = await startTestServer({ databaseUrl: one.databaseUrl });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

/** A merchant whose token both servers have just used and keep using, so that both cache it. */
async function warmUp(body: Record<string, unknown> = {}): Promise<void> {
  merchant = await one.createMerchant(body);
  for (const server of [one, two, one, two]) {
    expect((await server.call('GET', '/v2/employees', { token: merchant.token })).status).toBe(200);
  }
}

const ask = (server: TestServer, path: string) => () => server.call('GET', path, { token: merchant.token });

describe('two servers on one database', () => {
  it('see the same employees immediately', async () => {
    await warmUp();
    const employee = await createEmployee(one, merchant);
    const answer = await ask(two, `/v1/me/employees/${employee.id}`)();
    expect([answer.status, answer.body]).toEqual([200, employee]);
  });

  it('refuse within a second a token that the other expired', async () => {
    await warmUp();
    await one.operator('POST', '/api/sandbox/tokens/expire', { access_token: merchant.token });
    const answer = await pollUntil(ask(two, '/v2/employees'), ({ status }) => status === 401, DEADLINE_MS);
    expect([answer.status, answer.body.errors?.[0].code]).toEqual([401, 'ACCESS_TOKEN_EXPIRED']);
    expect((await ask(one, '/v2/employees')()).status).toBe(401);
  });

  it('refuse within a second a token that the command line revoked in the database', async () => {
    await warmUp();
    await one.database.statement((tx) => moveTokenToRevoked(tx, merchant.id, hashSecret(merchant.token), realNow()));
    const answers = await Promise.all(
      [one, two].map((server) => pollUntil(ask(server, '/v1/me'), ({ status }) => status === 401, DEADLINE_MS)),
    );
    expect(answers.map(({ status, body }) => [status, body.type])).toEqual([
      [401, 'oauth.revoked'],
      [401, 'oauth.revoked'],
    ]);
  });

  it('see within a second that the other removed and restored the approval', async () => {
    await warmUp();
    for (const [approved, expected] of [
      [false, 403],
      [true, 200],
    ] as const) {
      await one.operator('PUT', `/api/sandbox/merchants/${merchant.id}/approval`, { approved });
      const answer = await pollUntil(ask(two, '/v1/me/employees'), ({ status }) => status === expected, DEADLINE_MS);
      expect(answer.status).toBe(expected);
    }
  });

  it('see within a second that the other moved a clock', async () => {
    await warmUp({ clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
    expect((await createEmployee(two, merchant)).created_at).toBe('2020-02-26T10:00:00Z');
    await changeClock(one, merchant.id, { advance: 'P61D' });
    const employee = await pollUntil(
      () => createEmployee(two, merchant),
      ({ created_at }) => created_at === '2020-04-27T10:00:00Z',
      DEADLINE_MS,
    );
    expect(employee.created_at).toBe('2020-04-27T10:00:00Z');
  });

  it('accept a new token immediately', async () => {
    await warmUp();
    const token = await one.createToken(merchant.id, ['EMPLOYEES_READ']);
    expect((await two.call('GET', '/v2/employees', { token })).status).toBe(200);
  });

  it('share sessions: signed in through one, accepted by the other, signed out within a second', async () => {
    const owner = await createOwner(one);
    const headers = { cookie: owner.cookie };
    const show = () => two.call('GET', '/api/dashboard/session', { headers });
    expect((await show()).body).toEqual({ merchant_id: owner.merchant.id, email: owner.email });
    await owner.call('DELETE', '/api/dashboard/session');
    expect((await pollUntil(show, ({ status }) => status === 401, DEADLINE_MS)).status).toBe(401);
  });

  it('count wrong passwords together', async () => {
    const email = newOwnerEmail();
    await one.createMerchant({ owner: { email, password: PASSWORD } });
    for (const server of [one, two, one, two, one]) expect((await signIn(server, email, 'wrong')).status).toBe(401);
    expect((await signIn(two, email)).status).toBe(429);
    expect((await signIn(one, email)).status).toBe(429);
  });

  it('continue the pages that the other began', async () => {
    await warmUp();
    const made = [await createEmployee(one, merchant), await createEmployee(two, merchant)];
    const first = await one.call('GET', '/v2/employees?limit=1', { token: merchant.token });
    const second = await two.call('GET', `/v2/employees?cursor=${first.body.cursor}`, { token: merchant.token });
    expect(idsOf([...first.body.employees, ...second.body.employees]).sort()).toEqual(idsOf(made).sort());
  });
});

describe('two servers that start at the same time on an empty database', () => {
  let database: TestDatabase;
  let servers: TestServer[] = [];

  afterEach(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    await database.drop();
  });

  /** Starts both. If one fails, the test fails with its reason, and the other is stopped. */
  async function startTogether(demo: boolean | undefined): Promise<readonly [TestServer, TestServer]> {
    database = await cloneDatabase({ empty: true });
    const start = () => startTestServer({ databaseUrl: database.url, config: { demo } });
    const [first, second] = await Promise.allSettled([start(), start()]);
    servers = [first, second].flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    if (first.status === 'rejected') throw first.reason;
    if (second.status === 'rejected') throw second.reason;
    return [first.value, second.value];
  }

  it('both start, with one schema, and serve the same merchants', async () => {
    const [first, second] = await startTogether(undefined);
    for (const server of servers) expect((await server.call('GET', '/readyz')).status).toBe(200);
    const own = await first.createMerchant();
    expect((await second.call('GET', '/v1/me', { token: own.token })).body.id).toBe(own.id);
    const applied = await first.database.sql<{ name: string }[]>`select name from schema_migrations`;
    expect(applied.length).toBeGreaterThanOrEqual(3);
    expect(new Set(applied.map(({ name }) => name)).size).toBe(applied.length);
  });

  it('share one demo business if both create it', async () => {
    const [first, second] = await startTogether(true);
    const { sql } = first.database;
    const demos = await sql<{ businessName: string }[]>`select business_name from merchants where is_demo`;
    expect(demos).toEqual([{ businessName: 'Juniper & Rye' }]);
    const [staff] = await sql<{ count: number }[]>`select count(*) from employees`;
    expect(staff?.count).toBe(13);
    const [accounts] = await sql<{ count: number }[]>`select count(*) from accounts`;
    expect(accounts?.count).toBe(1);
    for (const server of [first, second]) expect((await server.call('GET', '/readyz')).status).toBe(200);
  });
});
