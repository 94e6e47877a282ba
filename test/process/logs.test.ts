/** What a server writes to its log, and what it must not write. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
import { shareEmbedded } from '../../src/database/embedded/embedded.js';
import { Browser } from '../support/browser.js';
import type { ApiResponse, CallOptions } from '../support/http.js';
import { killPostmaster, Server, until, usedDataDir } from '../support/process.js';
import { StripeDouble } from '../support/stripe.js';
import { STRIPE_KEY, WEBHOOK_SECRET } from '../support/stripe-server.js';

/** A marker for the content of requests: a log that contains it contains what people sent. */
const SENT = {
  token: 'EAAAzqforeigntoken',
  operatorKey: 'opk_zqforeignkey',
  password: 'zq-wrong-password',
  newPassword: 'zq-new-password',
  name: 'zq-first-name',
  query: 'zq-query',
  path: 'zq-path',
  garbage: 'zq-garbage',
  cursor: 'zq-cursor',
  header: 'zq-header',
  // In digits, since an account number has only digits.
  accountNumber: '90817263540',
  badAccountNumber: '918273645546372819',
};

interface Line {
  readonly level: number;
  readonly request_id?: string;
  readonly operation?: string;
  readonly method?: string;
  readonly status?: number;
  readonly duration_ms?: number;
  readonly path?: string;
  readonly merchant_id?: string;
  readonly application_id?: string;
  readonly address?: string;
  readonly time: number;
  readonly err?: object;
  readonly msg: string;
}

describe('--log-level info', () => {
  it('writes a line of JSON for each request, without secrets and without the content of requests', async () => {
    const server = await Server.start({ args: ['--log-level', 'info'] });
    const demo = await server.demo();
    const { access_token: token, operator_key: operatorKey, dashboard } = demo;
    const banner = server.program.stdout;
    const answered: { request_id: unknown; operation: string; method: string; status: number }[] = [];
    const ask = async (operation: string, method: string, path: string, options?: CallOptions) => {
      const answer = await server.call(method, path, options);
      answered.push({ request_id: answer.headers['x-request-id'], operation, method, status: answer.status });
      return answer;
    };

    await ask('v2.listEmployees', 'GET', `/v2/employees?status=ACTIVE&unknown=${SENT.query}`, { token });
    await ask('v2.listEmployees', 'GET', `/v2/employees?cursor=${SENT.cursor}`, { token });
    await ask('v2.listEmployees', 'GET', '/v2/employees', { token: SENT.token });
    await ask('v2.listEmployees', 'GET', '/v2/employees', { token, headers: { 'square-version': SENT.header } });
    await ask('v2.retrieveEmployee', 'GET', `/v2/employees/${SENT.path}`, { token });
    await ask('none', 'GET', `/v2/${SENT.path}`, { token });
    const named = { first_name: SENT.name, last_name: SENT.name, email: `${SENT.name}@example.com` };
    await ask('v1.createEmployee', 'POST', '/v1/me/employees', { token, body: named });
    await ask('v1.createEmployee', 'POST', '/v1/me/employees', { token, body: { ...named, role_ids: [SENT.name] } });
    await ask('v1.createEmployee', 'POST', '/v1/me/employees', { token, body: { first_name: [SENT.name] } });
    await ask('v1.createEmployee', 'POST', '/v1/me/employees', { token, body: `{"first_name": "${SENT.name}` });
    await ask('v1.createEmployee', 'POST', '/v1/me/employees', { token, body: SENT.name.repeat(100_000) });
    await ask('dashboard.signIn', 'POST', '/api/dashboard/session', {
      body: { ...dashboard, password: SENT.password },
    });
    const { headers } = await ask('dashboard.signIn', 'POST', '/api/dashboard/session', { body: dashboard });
    const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? '';
    await ask('dashboard.listEmployees', 'GET', '/api/dashboard/employees', { headers: { cookie } });
    const bank = { bank_name: SENT.name, name: SENT.name, routing_number: '021000021', type: 'CHECKING' };
    for (const account_number of [SENT.accountNumber, SENT.accountNumber, SENT.badAccountNumber]) {
      const body = { ...bank, account_number };
      await ask('dashboard.linkBankAccount', 'POST', '/api/dashboard/bank-accounts', { headers: { cookie }, body });
    }
    await ask('sandbox.createMerchant', 'POST', '/api/sandbox/merchants', { token: SENT.operatorKey, body: {} });
    const owner = { email: `${SENT.name}@example.com`, password: SENT.newPassword };
    const made = await ask('sandbox.createMerchant', 'POST', '/api/sandbox/merchants', {
      token: operatorKey,
      body: { owner },
    });
    await ask('sandbox.createMerchant', 'POST', '/api/sandbox/merchants', { token: operatorKey, body: { owner } });
    expect(answered.map(({ status }) => status)).toEqual([
      200, 400, 401, 400, 404, 404, 200, 400, 400, 400, 413, 401, 200, 200, 200, 409, 400, 401, 200, 409,
    ]);

    const raw = connect(server.port, '127.0.0.1');
    raw.end(`${SENT.garbage}\r\n\r\n`);
    raw.resume();
    await once(raw, 'close');

    // An internal error occurs, too.
    await killPostmaster(server.dataDir);
    const failed = await server.call('GET', `/v1/me/employees?external_id=${SENT.query}`, { token });
    expect([200, 503]).toContain(failed.status);
    await until(async () => (await server.call('GET', '/readyz')).status === 200);
    await server.stop();

    const { stdout, stderr } = server.program;
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    for (const each of answered) {
      const line = lines.find(({ request_id, status }) => request_id === each.request_id && status !== undefined);
      expect(line, `${each.operation} ${each.status}`).toMatchObject({ level: 30, ...each, address: '127.0.0.1' });
      expect(line?.duration_ms).toBeGreaterThan(0);
    }

    expect(lines.filter(({ time, level, msg }) => !(time > 0 && level >= 20 && msg.length > 0))).toEqual([]);

    const lineOf = (index: number) => lines.find(({ request_id }) => request_id === answered[index]?.request_id);
    const { merchant_id } = demo;
    expect(lineOf(4)).toMatchObject({ path: '/v2/employees/{id}', merchant_id, application_id: expect.any(String) });
    expect(lineOf(5)).toMatchObject({ path: 'none' });
    expect(lineOf(13)).toMatchObject({ path: '/api/dashboard/employees', merchant_id });
    expect(lineOf(2)).not.toHaveProperty('merchant_id');
    const life = lines.map(({ msg }) => msg).filter((msg) => /^server: |migrated$/.test(msg));
    expect(life).toEqual([
      'server: starting',
      'database: migrated',
      'server: ready',
      'server: stopping',
      'server: stopped',
    ]);

    const accountKey = (await readFile(join(server.dataDir, 'account-key'), 'utf8')).trim();
    const postgresPassword = (await readFile(join(server.dataDir, 'postgres-password'), 'utf8')).trim();
    const secrets = {
      ...SENT,
      token,
      operatorKey,
      password: dashboard.password,
      session: cookie.slice(cookie.indexOf('=') + 1),
      newToken: made.body.access_token,
      postgresPassword,
      accountKey,
      authorization: 'Bearer',
    };
    for (const [what, secret] of Object.entries({ ...secrets, ...prefixed(SENT) })) {
      expect(secret.length, what).toBeGreaterThan(5);
      expect(stderr.includes(secret), `the log has ${what}`).toBe(false);
    }
    expect(stdout).toBe(banner);
  });
});

function prefixed(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`sent ${name}`, text]));
}

/** One server at the lowest level, with a proxy before it and Stripe behind it. The tests read its log after it has stopped. */
describe('--log-level trace', () => {
  let stderr: string;
  let merchantId: string;
  /** The response to a request that fails unexpectedly. */
  let failed: ApiResponse;
  let secrets: Readonly<Record<string, unknown>>;
  let event: { readonly id: string; readonly answers: readonly number[] };

  beforeAll(async () => {
    const stripe = await StripeDouble.start();
    const server = await Server.start({
      dataDir: await usedDataDir(),
      args: ['--log-level', 'trace', '--trust-proxy', '127.0.0.1', '--processor', 'stripe'],
      env: {
        STRIPE_SECRET_KEY: STRIPE_KEY,
        STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
        TILLHOUSE_STRIPE_URL: stripe.url,
      },
    });
    merchantId = (await server.demo()).merchant_id;
    failed = await failUnexpectedly(server);
    secrets = await authorize(server);
    event = await sendEvent(server, stripe);
    await server.stop();
    await stripe.stop();
    ({ stderr } = server.program);
  });

  it('names the client that a trusted proxy has named, also of a request that fails unexpectedly', () => {
    expect(failed.status).toBe(500);
    const ofRequest = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
      .filter(({ request_id }) => request_id === failed.headers['x-request-id']);
    const fields = {
      operation: 'v2.retrieveEmployee',
      method: 'GET',
      path: '/v2/employees/{id}',
      merchant_id: merchantId,
      application_id: expect.any(String),
      address: '203.0.113.9', // the proxy has added it; what stands before it is the client's
    };
    expect(ofRequest).toMatchObject([
      { ...fields, level: 50, msg: 'request failed unexpectedly', err: { code: '42P01' } },
      { ...fields, level: 30, msg: 'request completed', status: 500 },
    ]);
  });

  it('writes no code, token, secret, state or password of an authorization (RFC 9700 4.3)', () => {
    for (const operation of ['showAuthorization', 'answerAuthorization', 'obtainToken', 'revokeToken']) {
      expect(stderr).toContain(`"operation":"oauth2.${operation}"`);
    }
    for (const [what, text] of Object.entries(secrets).filter(([, each]) => typeof each === 'string')) {
      if (['token_type', 'expires_at', 'merchant_id'].includes(what)) continue;
      expect(String(text).length, what).toBeGreaterThan(2);
      expect(stderr.includes(String(text)), `the log has ${what}`).toBe(false);
    }
  });

  it('has each event of Stripe, with the reason if it could not be handled', () => {
    expect(event.answers).toEqual([503, 200]);
    const lines = stderr.split('\n').filter((line) => line.includes('processor event'));
    const about = { event: event.id, type: 'charge.dispute.created' };
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        ...about,
        level: 40,
        reason: expect.stringMatching(/connection to Stripe/),
        msg: 'processor event: failed, will be sent again',
      },
      { ...about, level: 30, outcome: 'not ours', msg: 'processor event: handled' },
    ]);
  });
});

async function failUnexpectedly(server: Server): Promise<ApiResponse> {
  const { access_token: token } = await server.demo();
  const embedded = await shareEmbedded({ dataDir: server.dataDir });
  const database = openDatabase(embedded.url, { maxConnections: 1, requireScram: true });
  const [{ id }] = (await server.call('GET', '/v2/employees', { token })).body.employees;
  await database.sql`alter table employees rename to employees_elsewhere`;
  const headers = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' };
  const failed = await server.call('GET', `/v2/employees/${id}`, { token, headers });
  await database.sql`alter table employees_elsewhere rename to employees`;
  await database.close();
  await embedded.stop();
  return failed;
}

/** Authorizes an application, with some mistakes. Returns what the log must not have. */
async function authorize(server: Server): Promise<Record<string, unknown>> {
  const { operator_key, dashboard } = await server.demo();
  const app = { name: 'Bot', redirect_urls: ['https://app.example/callback'] };
  const { body: made } = await server.call('POST', '/api/sandbox/applications', { token: operator_key, body: app });
  const [id, secret] = [made.application.id, made.application_secret];
  const search = new URLSearchParams({ client_id: id, state: 'zq-state' });
  const browser = await new Browser().visit(`${server.baseUrl}/oauth2/authorize?${search}`);
  await browser.signIn(dashboard.email, 'zq-wrong-password');
  await browser.signIn(dashboard.email, dashboard.password);
  const formToken = browser.form.fields['token'] ?? '';
  await browser.submit({ decision: 'allow' });
  const code = new URL(browser.url).searchParams.get('code') ?? '';
  const exchange = { client_id: id, client_secret: secret, code };
  const { body: tokens } = await server.call('POST', '/oauth2/token', { body: exchange });
  for (const body of [exchange, { ...exchange, client_secret: 'zq-wrong-secret' }, { client_id: ['zq-state'] }]) {
    expect((await server.call('POST', '/oauth2/token', { body })).status).toBeGreaterThan(399);
  }
  // The application's own redirect URL with its code, called here by mistake; and a code in the wrong place.
  await server.call('GET', `/callback?code=${code}`);
  await server.call('GET', `/oauth2/authorize?code=${code}&access_token=${tokens.access_token}`);
  await server.call('POST', '/oauth2/revoke', {
    headers: { authorization: `Client ${secret}` },
    body: { access_token: tokens.access_token },
  });
  const cookie = browser.cookieFor('/oauth2/authorize').split('=')[1];
  // Long enough that no random id contains them.
  const sent = { state: 'zq-state', wrong: 'zq-wrong' };
  return { secret, code, cookie, formToken, ...tokens, password: dashboard.password, ...sent };
}

/** An event that cannot be handled at first. */
async function sendEvent(server: Server, stripe: StripeDouble): Promise<{ id: string; answers: number[] }> {
  const event = stripe.event('charge.dispute.created', { id: 'dp_of_another_account' });
  const send = async () =>
    (await fetch(`${server.baseUrl}/processors/stripe/events`, { method: 'POST', ...event })).status;
  stripe.reads = 'are lost';
  const first = await send();
  stripe.reads = 'are answered';
  return { id: JSON.parse(event.body).id, answers: [first, await send()] };
}
