/** The whole server: health and readiness, accepted hosts, operations missing in production, and shutdown. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.js';
import { pollUntil } from '../../support/clock.js';
import { newOwnerEmail, PASSWORD, signIn } from '../../support/dashboard.js';
import { createEmployee } from '../../support/employees.js';
import { callApi } from '../../support/http.js';
import { holdLock } from '../../support/interleaving.js';
import {
  cloneDatabase,
  OPERATOR_KEY,
  type ProductionPair,
  startProduction,
  startTestServer,
  type TestServer,
} from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('/healthz and /readyz', () => {
  it('respond to every caller', async () => {
    const [health, ready] = [await server.call('GET', '/healthz'), await server.call('GET', '/readyz')];
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready' }]);
  });

  it('distinguish a running server from one whose database is unavailable', async () => {
    const database = await cloneDatabase();
    const lost = await startTestServer({ databaseUrl: database.url });
    try {
      expect((await lost.call('GET', '/readyz')).status).toBe(200);
      await database.drop(); // with force, which closes connections
      const ready = await lost.call('GET', '/readyz');
      expect(ready.status).toBe(503);
      expect(ready.body.errors[0]).toMatchObject({ category: 'API_ERROR', code: 'SERVICE_UNAVAILABLE' });
      const health = await lost.call('GET', '/healthz');
      expect([health.status, health.body]).toEqual([200, { status: 'ok' }]);
    } finally {
      await lost.stop();
    }
  });
});

describe('the Host header on loopback (decision 0053)', () => {
  const ask = (host: string, path = '/healthz') => server.call('GET', path, { headers: { host } });

  it.each([
    'localhost',
    'localhost:4000',
    'LOCALHOST:4000',
    'till.localhost',
    '127.0.0.1',
    '127.0.0.1:1',
    '127.8.9.10',
    '[::1]:4000',
  ])('is accepted as %s', async (host) => {
    expect((await ask(host)).status).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:4000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evillocalhost',
    '10.0.0.1',
    '[::2]',
    'till.example',
    'localhost:99999999',
    'localhost:65536',
    '127.0.0.1:0',
    '127.999.1.1',
    '..localhost',
    '-.localhost',
  ])('is refused as %s with 403, for every request', async (host) => {
    for (const path of ['/healthz', '/docs', '/v2/employees', '/api/sandbox/merchants', '/nowhere']) {
      const answer = await ask(host, path);
      expect([answer.status, answer.body.errors[0].code]).toEqual([403, 'FORBIDDEN']);
    }
    const v1 = await ask(host, '/v1/me');
    expect([v1.status, v1.body.type]).toEqual([403, 'forbidden']);
  });

  it('may also be that of --public-url', async () => {
    const probe = await startTestServer(); // only to find a free port
    const port = Number(new URL(probe.baseUrl).port);
    await probe.stop();
    const behind = await startTestServer({ config: { port, publicUrl: 'https://till.example' } });
    try {
      const at = (host: string) => callApi(`http://127.0.0.1:${port}`, 'GET', '/healthz', { headers: { host } });
      expect((await at('till.example')).status).toBe(200);
      expect((await at('TILL.example:443')).status).toBe(200);
      expect((await at('other.example')).status).toBe(403);
    } finally {
      await behind.stop();
    }
  });
});

describe('production mode (decision 0050)', () => {
  let pair: ProductionPair;
  let production: TestServer;
  beforeAll(async () => {
    pair = await startProduction();
    production = pair.production;
  });
  afterAll(() => pair.stop());

  it.each([
    ['POST', '/api/sandbox/merchants'],
    ['GET', '/api/sandbox/merchants/M000000000000'],
    ['PUT', '/api/sandbox/merchants/M000000000000/approval'],
    ['GET', '/api/sandbox/merchants/M000000000000/clock'],
    ['POST', '/api/sandbox/merchants/M000000000000/clock'],
    ['POST', '/api/sandbox/merchants/M000000000000/tokens'],
    ['POST', '/api/sandbox/tokens/expire'],
    ['PATCH', '/api/sandbox/merchants'],
  ])('returns 404 for %s %s, also with the operator key', async (method, path) => {
    for (const token of [undefined, OPERATOR_KEY]) {
      const answer = await production.call(method, path, { ...(token && { token }), body: {} });
      expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('serves the API and the dashboard', async () => {
    const email = newOwnerEmail();
    const merchant = await pair.sandbox.createMerchant({ owner: { email, password: PASSWORD } });
    const employee = await createEmployee(production, merchant);
    const { body } = await production.call('GET', `/v2/employees/${employee.id}`, { token: merchant.token });
    expect(body.employee.id).toBe(employee.id);
    const answer = await signIn(production, email);
    expect(answer.status).toBe(200);
    expect(String(answer.headers['set-cookie'])).toMatch(/; Secure$/);
  });

  it('documents no sandbox operations', async () => {
    const paths = Object.keys((await production.call('GET', '/openapi.json')).body.paths);
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => path.startsWith('/api/sandbox'))).toEqual([]);
  });
});

describe('stopping', () => {
  it('finishes a request in flight, accepts no new one, and then ends', async () => {
    const database = await cloneDatabase();
    const stopping = await startTestServer({ databaseUrl: database.url });
    const behind = openDatabase(database.url, { maxConnections: 2 });
    try {
      const merchant = await stopping.createMerchant();
      const { id } = await createEmployee(stopping, merchant);

      // The employee row is locked, so that its update has to wait.
      const held = await holdLock(
        stopping,
        (tx) => tx`select 1 from employees where merchant_id = ${merchant.id} and employee_id = ${id} for update`,
      );
      const change = stopping.call('PUT', `/v1/me/employees/${id}`, {
        token: merchant.token,
        body: { first_name: 'Last' },
      });
      await held.untilWaiting(1);

      let ended = false;
      const stop = stopping.stop().then(() => {
        ended = true;
      });
      const refused = await pollUntil(
        () =>
          stopping.call('GET', '/healthz').then(
            ({ status }) => status,
            (error: NodeJS.ErrnoException) => error.code,
          ),
        (outcome) => outcome !== 200,
        5000,
      );
      expect(['ECONNREFUSED', 'ECONNRESET', 503]).toContain(refused);
      expect(ended).toBe(false);

      await held.release();
      const answer = await change;
      expect([answer.status, answer.body.first_name]).toEqual([200, 'Last']);
      await stop;
      const [row] = await behind.sql<
        { firstName: string }[]
      >`select first_name from employees where employee_id = ${id}`;
      expect(row?.firstName).toBe('Last');
    } finally {
      await behind.close();
      await database.drop();
    }
  });

  it('finishes a request whose body is still arriving', async () => {
    const database = await cloneDatabase();
    const stopping = await startTestServer({ databaseUrl: database.url });
    try {
      const merchant = await stopping.createMerchant();
      const body = JSON.stringify({ first_name: 'Last', last_name: 'One' });
      const outgoing = request(`${stopping.baseUrl}/v1/me/employees`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${merchant.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          expect: '100-continue', // the interim response shows that the server has started on the request
        },
      });
      outgoing.flushHeaders();
      await once(outgoing, 'continue');
      outgoing.write(body.slice(0, 10));
      const stop = stopping.stop();
      await pollUntil(
        () =>
          stopping.call('GET', '/healthz').then(
            () => 'answered',
            () => 'refused',
          ),
        (outcome) => outcome === 'refused',
        5000,
      );
      outgoing.end(body.slice(10));
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      expect(response.statusCode).toBe(200);
      expect(JSON.parse(Buffer.concat(chunks).toString()).first_name).toBe('Last');
      await stop;
    } finally {
      await database.drop();
    }
  });
});
