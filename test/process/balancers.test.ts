/** Two servers behind each proxy of deploy/: one after the other is restarted while clients pay, and one is killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BALANCERS, Balancer } from '../support/balancers.js';
import { runHere } from '../support/commands.js';
import { cookieOf } from '../support/dashboard.js';
import { ensurePrograms } from '../support/debian-programs.js';
import { callApi } from '../support/http.js';
import { repetitions } from '../support/long.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { freePort } from '../support/ports.js';
import { newDataDir, Server } from '../support/process.js';
import { listPayments, Shoppers } from '../support/shoppers.js';

/** Less than docs/running.md recommends. */
const STOP_DELAY = 3;
/** After this time every proxy sends requests to a server that is ready again. */
const NOTICED_MS = 3_000;

let postgres: OwnPostgres;
let token: string;
let owner: { readonly email: string; readonly password: string };

async function command(...args: string[]): Promise<string> {
  const result = await runHere([...args, '--database-url', postgres.url, '--data-dir', await newDataDir()]);
  expect([result.code, result.stderr], result.stdout).toEqual([0, '']);
  return result.stdout;
}

/** One of the servers of a proxy. It keeps its port and its data folder. */
class Upstream {
  readonly port: number;
  readonly #publicUrl: string;
  #server: Server | undefined;

  constructor(port: number, publicUrl: string) {
    this.port = port;
    this.#publicUrl = publicUrl;
  }

  get server(): Server {
    if (!this.#server) throw new Error('it was not started');
    return this.#server;
  }

  async start(): Promise<void> {
    const flags = {
      mode: 'production',
      processor: 'simulator',
      port: this.port,
      'database-url': postgres.url,
      'public-url': this.#publicUrl,
      'trust-proxy': '127.0.0.1',
      'stop-delay': STOP_DELAY,
      'rate-limit': 2000,
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const env = { TILLHOUSE_ACCOUNT_KEY: 'ab'.repeat(32) };
    this.#server = await Server.start({ dataDir: await newDataDir(), args, env });
  }

  /** How many requests it has answered since its last start. */
  get answered(): number {
    return this.server.program.stderr.match(/"operation":"v2\.\w+".*"msg":"request completed"/g)?.length ?? 0;
  }

  async restart(): Promise<void> {
    await this.server.stop();
    await this.start();
    await sleep(NOTICED_MS);
  }
}

const canRun = ensurePrograms(BALANCERS);

beforeAll(async () => {
  if (!canRun) return;
  postgres = await OwnPostgres.make();
  await postgres.start();
  await command('migrate');
  const email = 'owner@example.com';
  const created = JSON.parse(
    await command('merchant', 'create', '--name', 'Two', '--owner-email', email, '-o', 'json'),
  );
  owner = created.dashboard;
  token = created.access_token;
});
afterAll(async () => postgres?.stop());

describe.skipIf(!canRun).each(BALANCERS)('two servers behind %s', (name) => {
  let upstreams: readonly [Upstream, Upstream];
  let balancer: Balancer;
  let shoppers: Shoppers;
  let before: readonly string[];

  beforeAll(async () => {
    const [port, plainPort, one, two] = [await freePort(), await freePort(), await freePort(), await freePort()];
    upstreams = [new Upstream(one, `https://localhost:${port}`), new Upstream(two, `https://localhost:${port}`)];
    await Promise.all(upstreams.map((each) => each.start()));
    balancer = await Balancer.start(name, { port, plainPort, servers: [one, two] });
  });
  afterAll(async () => {
    await balancer?.stop();
    await Promise.all(upstreams.map(({ server }) => server.stop()));
  });

  async function openShop(): Promise<void> {
    const signedIn = await callApi(balancer.baseUrl, 'POST', '/api/dashboard/session', { body: owner });
    expect(signedIn.status, signedIn.text).toBe(200);
    before = await listPayments(balancer.baseUrl, token);
    shoppers = new Shoppers(balancer.baseUrl, { token, cookie: cookieOf(signedIn) });
    await shoppers.untilPaid(50);
  }

  /** Every acknowledged payment is there, once, and no other: in the end every payment was acknowledged. */
  async function expectEachPaymentOnce(): Promise<void> {
    const made = (await listPayments(balancer.baseUrl, token)).filter((id) => !before.includes(id));
    expect(made.toSorted()).toEqual([...shoppers.paid.values()].toSorted());
    expect(new Set(made).size).toBe(shoppers.paid.size);
    await command('check');
  }

  it('can be restarted one after the other: no request fails, no payment is made twice or lost, the stream of changes goes on', async () => {
    await openShop();
    const rounds = Array.from({ length: repetitions({ usual: 1, long: 4 }) }, () => upstreams);
    for (const upstream of rounds.flat()) {
      await upstream.restart();
      await shoppers.untilPaid(50);
      expect(upstream.answered).toBeGreaterThan(0);
    }
    await shoppers.finish();
    expect(shoppers.failed).toEqual([]);
    expect([shoppers.streams > 1, shoppers.changes > 0]).toEqual([true, true]);
    await expectEachPaymentOnce();
  });

  it('lose none of what was acknowledged if one is killed: a GET is answered by the other one, a POST may get 502 and is repeated with its key', async () => {
    await openShop();
    const [killed] = upstreams;
    await killed.server.crash();
    await shoppers.untilPaid(100);
    await killed.start();
    await sleep(NOTICED_MS);
    await shoppers.untilPaid(50);
    expect(killed.answered).toBeGreaterThan(0);
    await shoppers.finish();
    const unexpected = shoppers.failed.filter(
      ({ method, status }) => method !== 'POST' || (status !== 502 && status !== 'ECONNRESET'),
    );
    expect(unexpected).toEqual([]);
    // A request of each client can have been on its way.
    expect(shoppers.failed.length).toBeLessThanOrEqual(6);
    await expectEachPaymentOnce();
  });

  it('get a new id with each request, whatever the client sends, and it is in the log of one of them', async () => {
    const ask = () =>
      callApi(balancer.baseUrl, 'GET', '/v2/payments', { token, headers: { 'x-request-id': 'of-the-client' } });
    const { status, headers } = await ask();
    const id = String(headers['x-request-id']);
    expect([status, id]).toEqual([200, expect.stringMatching(name === 'nginx' ? /^[\da-f]{32}$/ : /^[\da-f-]{36}$/)]);
    await expect
      .poll(() => upstreams.map(({ server }) => server.program.stderr).join(''))
      .toContain(`"request_id":"${id}"`);
  });

  it('say why none of them is ready, in the format of the API', async () => {
    await postgres.stop();
    await sleep(NOTICED_MS);
    const refused = await callApi(balancer.baseUrl, 'GET', '/v2/payments', { token });
    expect([refused.status, refused.headers['retry-after'], refused.body?.errors?.[0].code]).toEqual([
      503,
      '1',
      'SERVICE_UNAVAILABLE',
    ]);
    await postgres.start();
    while ((await callApi(balancer.baseUrl, 'GET', '/v2/payments', { token })).status !== 200) await sleep(100);
  });
});
