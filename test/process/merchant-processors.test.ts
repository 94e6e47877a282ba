/** Merchants with card processors of their own: two adapters, each a process, beside the simulator of the server. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SealingKeys } from '../../src/base/sealing.js';
import { ADAPTER_SECRET, AdapterProcess, FaultyNetwork } from '../support/adapter.js';
import { runHere } from '../support/commands.js';
import { createStore, placePaid } from '../support/orders.js';
import {
  advance,
  approve,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  pay,
  paymentBody,
  refund,
  tryToPay,
} from '../support/payments.js';
import { openBusiness } from '../support/people.js';
import { newFolder, run as runProgram } from '../support/process.js';
import { untilResolved } from '../support/processor-retries.js';
import { backdateSignIns, keep, sendQueue } from '../support/queue.js';
import { card, item, sell } from '../support/register-sales.js';
import { RollingServers } from '../support/rolling-servers.js';
import {
  ACCOUNT_KEY,
  cloneDatabase,
  startTestServer,
  type TestMerchant,
  type TestServer,
  withServer,
} from '../support/server.js';

const UNKNOWN = { status: 503, code: 'TEMPORARY_ERROR', category: 'API_ERROR' } as const;
const LIMITS = { attemptMs: 1000, lookUpMs: 1000, pauseMs: 10 };
const HOUR_MS = 3_600_000;
const newKey = () => randomBytes(32).toString('base64');
const KEY = newKey();
const SECRET_FILE = join(tmpdir(), 'adapter-secret');

let first: AdapterProcess;
let second: AdapterProcess;
/** A proxy in front of the first adapter. */
let network: FaultyNetwork;
let server: TestServer;

beforeAll(async () => {
  [first, second] = await Promise.all([AdapterProcess.start(), AdapterProcess.start()]);
  network = await FaultyNetwork.start(() => first.url);
  server = await startTestServer({ config: { secretsKeys: [KEY] }, adapterLimits: LIMITS });
  await writeFile(SECRET_FILE, `${ADAPTER_SECRET}\n`, { mode: 0o600 });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
  await network.stop();
  await Promise.all([first.stop(), second.stop()]);
});

function run(args: readonly string[], { key = KEY, url = server.databaseUrl } = {}) {
  return runHere([...args, '--database-url', url], {
    env: { TILLHOUSE_SECRETS_KEY: key, TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY },
  });
}

/** Chooses an adapter with the command. A server that has seen the merchant before knows it after `pastCache`. */
async function choose({ id }: Pick<TestMerchant, 'id'>, url: string, options: Parameters<typeof run>[1] = {}) {
  const { code, stderr } = await run(
    ['merchant', 'processor', 'set', id, '--processor', url, '--secret-file', SECRET_FILE],
    options,
  );
  expect([code, stderr]).toEqual([0, '']);
}

/** As long as the guide says. */
const pastCache = () => new Promise((resolve) => setTimeout(resolve, 2000));

async function chooseAnother(...[merchant, url]: Parameters<typeof choose>): Promise<void> {
  await choose(merchant, url);
  await pastCache();
}

async function createMerchantAt(url: string): Promise<TestMerchant> {
  const merchant = await server.createMerchant({ clock: { frozen: true } });
  await choose(merchant, url);
  return merchant;
}

function moveAdapter({ id }: TestMerchant, from: string, to: string, ...more: string[]) {
  return run(['merchant', 'processor', 'move', id, '--processor', from, '--to', to, ...more]);
}

/** Runs a web server that is no adapter: it responds to every request in the same way. */
async function withWebServer(
  status: number,
  work: (url: string) => Promise<void>,
  body = '<h1>Sign in</h1>',
): Promise<void> {
  const page = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(page.address() as AddressInfo).port}`);
  } finally {
    page.closeAllConnections();
    await new Promise((resolve) => page.close(resolve));
  }
}

async function callsFor(adapter: AdapterProcess, paymentId: string): Promise<string[]> {
  const { calls } = await adapter.readBooks();
  return calls.filter((each) => each.endsWith(` ${paymentId}`)).map((each) => each.split(' ')[0] ?? '');
}

describe('merchants with processors of their own', () => {
  it('each pay at their own adapter, and others at the processor of the server', async () => {
    const [one, other, plain] = [
      await createMerchantAt(first.url),
      await createMerchantAt(second.url),
      await server.createMerchant(),
    ];
    const [ofOne, ofOther, ofPlain] = [await pay(server, one), await pay(server, other), await pay(server, plain)];
    expect(await callsFor(first, ofOne.id)).toEqual(['approved']);
    expect(await callsFor(second, ofOther.id)).toEqual(['approved']);
    expect(await getPayment(server, one, ofOne.id)).toMatchObject({ card_details: { card: { last_4: '4242' } } });
    expect(await getPayment(server, plain, ofPlain.id)).toMatchObject({ card_details: { card: { last_4: '5858' } } });
    const all = [...(await first.readBooks()).calls, ...(await second.readBooks()).calls];
    expect(all.filter((call) => call.endsWith(ofPlain.id))).toEqual([]);
    expect(await callsFor(first, ofOther.id)).toEqual([]);
  });

  it('capture, void and refund old payments where they were made, after another choice', async () => {
    const merchant = await createMerchantAt(first.url);
    const [paid, held, dropped] = [
      await pay(server, merchant),
      await approve(server, merchant),
      await approve(server, merchant),
    ];
    await chooseAnother(merchant, second.url);
    const next = await pay(server, merchant);
    const move = (how: string, { id }: { id: string }) => server.call('POST', `/v2/payments/${id}/${how}`, merchant);
    expect((await move('complete', held)).status).toBe(200);
    expect((await move('cancel', dropped)).status).toBe(200);
    const back = [await refund(server, merchant, paid), await refund(server, merchant, next)];
    await advance(server, merchant, 'PT1M');
    for (const { id } of back) expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    expect(await callsFor(first, paid.id)).toEqual(['approved', 'refunded']);
    expect(await callsFor(first, held.id)).toEqual(['approved', 'captured']);
    expect(await callsFor(first, dropped.id)).toEqual(['approved', 'voided']);
    expect(await callsFor(second, next.id)).toEqual(['approved', 'refunded']);

    await run(['merchant', 'processor', 'clear', merchant.id]);
    await pastCache();
    const simulated = await approve(server, merchant);
    expect((await move('complete', simulated)).status).toBe(200);
    const late = await approveAndExpire(merchant);
    expect(late.status).toBe('CANCELED');
  });

  /** At the first adapter, which is no longer chosen when it expires. */
  async function approveAndExpire(merchant: TestMerchant) {
    await chooseAnother(merchant, first.url);
    const { id } = await approve(server, merchant);
    await run(['merchant', 'processor', 'clear', merchant.id]);
    await pastCache();
    await advance(server, merchant, 'P8D');
    expect(await callsFor(first, id)).toEqual(['approved', 'voided']);
    return getPayment(server, merchant, id);
  }

  it('find an unknown outcome at the adapter that was asked, after another choice', async () => {
    const merchant = await createMerchantAt(network.url);
    network.failNext('authorize', 'is lost after it has acted', 9);
    network.answersLookUps = false;
    const body = paymentBody();
    expectRefusal(await tryToPay(server, merchant, body), UNKNOWN);
    await chooseAnother(merchant, second.url);
    network.heal();
    await untilResolved(server, merchant);
    const replayed = await tryToPay(server, merchant, body);
    expect(replayed.body.payment).toMatchObject({ status: 'COMPLETED' });
    expect(await callsFor(first, replayed.body.payment.id)).toEqual(['approved']);
    expect(await callsFor(second, replayed.body.payment.id)).toEqual([]);
  });

  it('follow their adapter to another address, with payments, refunds and calls without an outcome', async () => {
    const merchant = await createMerchantAt(network.url);
    const [paid, held] = [await pay(server, merchant), await approve(server, merchant)];
    network.failNext('authorize', 'is lost after it has acted', 9);
    network.answersLookUps = false;
    const body = paymentBody();
    expectRefusal(await tryToPay(server, merchant, body), UNKNOWN);
    const { id: refundId } = await refund(server, merchant, paid);
    const move = (to: string, from = network.url) => moveAdapter(merchant, from, to);

    // Another adapter, nobody, and an address that the merchant does not have: nothing changes.
    expect(await move(second.url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not know the call'),
    });
    expect(await move('http://127.0.0.1:2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await move(first.url, second.url)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/no adapter at/),
    });
    expect(await move(network.url)).toMatchObject({ code: 2, stderr: expect.stringContaining('already') });
    expect(await move('http://example.com')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--to must be https'),
    });

    // Web servers that respond to every request in the same way.
    await withWebServer(200, async (page) =>
      expect(await move(page)).toMatchObject({ code: 2, stderr: expect.stringContaining('a malformed answer') }),
    );
    await withWebServer(
      200,
      async (stranger) =>
        expect(await move(stranger)).toMatchObject({ code: 2, stderr: expect.stringContaining('says unusable') }),
      '{"outcome":"unusable","reason":"UNKNOWN_SOURCE"}',
    );

    const { code, stdout } = await move(first.url);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`is at ${first.url} now`)]);
    expect(stdout).not.toContain('compared');
    await advance(server, merchant, 'PT1M'); // the refund is due
    await untilResolved(server, merchant, { keepsLeases: true });
    const { payment } = (await tryToPay(server, merchant, body)).body;
    expect(payment.status).toBe('COMPLETED');
    expect((await server.call('POST', `/v2/payments/${held.id}/complete`, merchant)).status).toBe(200);
    expect((await getRefund(server, merchant, refundId)).status).toBe('COMPLETED');
    expect(await callsFor(first, payment.id)).toEqual(['approved']);
    expect(await callsFor(first, held.id)).toEqual(['approved', 'captured']);
    expect(await callsFor(first, paid.id)).toEqual(['approved', 'refunded']);
    const { processors } = JSON.parse((await run(['merchant', 'processor', 'show', merchant.id, '-o', 'json'])).stdout);
    expect(processors).toMatchObject([{ address: first.url, chosen: true, secret: 'ok' }]);
    expect((await run(['audit', '--merchant', merchant.id])).stdout).toContain('PROCESSOR_MOVED');
    network.heal();
  });

  it('cannot compare the records of an adapter without payments, and follow it if it is one with the same secret', async () => {
    const merchant = await createMerchantAt(network.url);
    const move = (to: string) => moveAdapter(merchant, network.url, to);
    const refused = (why: string) => ({ code: 2, stderr: expect.stringContaining(why) });
    expect(await move('http://127.0.0.1:2')).toMatchObject(refused('ECONNREFUSED'));
    await withWebServer(404, async (nobody) => {
      expect(await move(nobody)).toMatchObject(refused('responded 404 to a wrong signature'));
    });
    await withWebServer(200, async (page) => expect(await move(page)).toMatchObject(refused('responded 200')));
    await withWebServer(401, async (stranger) => expect(await move(stranger)).toMatchObject(refused('responded 401')));
    const moved = await move(first.url);
    expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('could not be compared')]);
  });

  it.each(['payment', 'refund'])(
    'stay at the address of an adapter with an open %s, if its records cannot be compared',
    async (what) => {
      const merchant = await createMerchantAt(network.url);
      if (what === 'refund') await refund(server, merchant, await pay(server, merchant));
      await server.database.sql`
        update payments set created_at = created_at - interval '29 days' where merchant_id = ${merchant.id}`;
      if (what === 'payment') {
        network.failNext('authorize', 'is lost after it has acted', 9);
        network.answersLookUps = false;
        expectRefusal(await tryToPay(server, merchant), UNKNOWN);
      }
      expect(await moveAdapter(merchant, network.url, first.url)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('without an outcome: 1'),
      });
      network.heal();
      await advance(server, merchant, 'PT1M');
      await untilResolved(server, merchant);
    },
  );

  it('leave a dead adapter with an open call if the operator takes the risk: the new one makes the call', async () => {
    const dead = 'http://127.0.0.1:1';
    const merchant = await createMerchantAt(dead);
    const body = paymentBody();
    expectRefusal(await tryToPay(server, merchant, body), UNKNOWN);
    expect(await moveAdapter(merchant, dead, first.url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('or use --repeat-open-calls, which can charge or refund a card twice'),
    });
    const repeat = '--repeat-open-calls';
    await withWebServer(404, async (nobody) => {
      expect(await moveAdapter(merchant, dead, nobody, repeat)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('does not seem to be an adapter with the same secret'),
      });
    });
    const moved = await moveAdapter(merchant, dead, first.url, repeat);
    expect(moved).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Calls without an outcome that the new address gets: 1'),
    });
    await untilResolved(server, merchant);
    const { payment } = (await tryToPay(server, merchant, body)).body;
    expect(payment.status).toBe('COMPLETED');
    expect(await callsFor(first, payment.id)).toEqual(['approved']);
    const audited = JSON.parse((await run(['audit', '--merchant', merchant.id, '-o', 'json'])).stdout);
    expect(JSON.stringify(audited)).toContain('"repeated_calls":"1"');
  });

  it('name the risk of repeated calls in the help', async () => {
    const { stdout } = await run(['merchant', 'processor', '--help']);
    expect(stdout).toMatch(/--repeat-open-calls .*can charge or refund a card twice/);
  });

  it('are shown that earlier payments stay where they are, when another adapter is chosen', async () => {
    const merchant = await createMerchantAt(first.url);
    const args = ['merchant', 'processor', 'set', merchant.id, '--secret-file', SECRET_FILE, '--processor'];
    expect((await run([...args, first.url])).stdout).not.toContain('stay');
    expect((await run([...args, second.url])).stdout).toContain(`Earlier ones stay at ${first.url}`);
  });

  it('are not affected when the adapter of another merchant is down', async () => {
    const [down, up] = [await createMerchantAt('http://127.0.0.1:1'), await createMerchantAt(second.url)];
    const [lost, paid] = await Promise.all([tryToPay(server, down), pay(server, up)]);
    expectRefusal(lost, UNKNOWN);
    expect(paid.status).toBe('COMPLETED');
  });

  it('use it at the register, for cards that were kept offline, and in the online store', async () => {
    const now = '2020-02-26T10:00:00.500Z';
    const { owner, register } = await openBusiness(server, { clock: { now, frozen: true } });
    const { merchant } = owner;
    await backdateSignIns(server, register.employeeId, 96 * HOUR_MS);
    const showDevice = async () => (await register.device.call('GET', '/api/register/device')).text;
    const pageKeepsCards = async () =>
      (await owner.call('GET', '/api/dashboard/register-settings')).body.page_keeps_cards;
    expect(await showDevice()).toContain('"test_sources"');
    expect(await pageKeepsCards()).toBe(true);
    await chooseAnother(merchant, first.url);
    expect(await showDevice()).toMatch(/^(?!.*"test_sources").*"offline"/);
    expect(await pageKeepsCards()).toBe(false);
    const { tenders } = await sell(register, { itemizations: [item(1000)], tenders: [card()] });
    await server.database.sql`update merchants set offline_card_limit = 5000 where merchant_id = ${merchant.id}`;
    await pastCache();
    const occurred_at = new Date(Date.parse(now) - HOUR_MS).toISOString();
    const kept = keep(register, 'ringUpSale', {
      occurred_at,
      body: { itemizations: [item(700)], tenders: [card()] },
    });
    const sent = await sendQueue(register, now, [kept]);
    expect(sent.body.results).toMatchObject([{ status: 'ACCEPTED' }]);

    const store = await createStore(server);
    await chooseAnother(store.merchant, second.url);
    await placePaid(store);
    const { sql } = server.database;
    const made = await sql<{ id: string; channel: string; address: string }[]>`
      select payment_id as id, channel, address
      from payments join merchant_processors using (merchant_id, processor_id)
      where merchant_id = any (${[merchant.id, store.merchant.id]}::text[])
      order by channel`;
    expect(made.map(({ channel, address }) => [channel, address])).toEqual([
      ['ONLINE_STORE', second.url],
      ['REGISTER', first.url],
      ['REGISTER', first.url],
    ]);
    expect(tenders).toHaveLength(1);
    for (const { id, address } of made) {
      expect(await callsFor(address === first.url ? first : second, id)).toEqual(['approved']);
    }
  });

  it('obey the processor rules of a sandbox', async () => {
    const merchant = await createMerchantAt(first.url);
    const rule = { effect: 'DECLINE', code: 'CVV_FAILURE' };
    expect((await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/processor-rules`, rule)).status).toBe(
      200,
    );
    const declined = await tryToPay(server, merchant);
    expect(declined.body).toMatchObject({ errors: [{ code: 'CVV_FAILURE' }], payment: { status: 'FAILED' } });
    expect(await callsFor(first, declined.body.payment.id)).toEqual([]);
  });

  it('are compared at their own adapters by tillhouse reconcile', async () => {
    const merchant = await createMerchantAt(first.url);
    const { id } = await pay(server, merchant);
    await chooseAnother(merchant, second.url);
    await refund(server, merchant, await pay(server, merchant));
    await advance(server, merchant, 'PT1M');
    const date = new Date().toISOString().slice(0, 10);
    const reconcile = () => run(['reconcile', '--merchant', merchant.id, '--date', date, '-o', 'json']);
    const same = await reconcile();
    expect([same.code, same.stderr]).toEqual([0, '']);
    expect(JSON.parse(same.stdout)).toMatchObject({
      ...{ processors: [first.url, second.url], compared: 3, differences: [] },
    });
    await server.database.sql`update payments set fee = fee + 1 where payment_id = ${id}`;
    const { code, stdout } = await reconcile();
    await server.database.sql`update payments set fee = fee - 1 where payment_id = ${id}`;
    expect(code).toBe(1);
    expect(JSON.parse(stdout).differences).toMatchObject([{ kind: 'FEE', processor: first.url, payment_id: id }]);
  });
});

describe('secrets of merchants', () => {
  it('are encrypted, and no command prints them', async () => {
    const merchant = await createMerchantAt(first.url);
    const [row] = await server.database.sql<{ secret: Buffer }[]>`
      select secret from merchant_processors where merchant_id = ${merchant.id}`;
    expect(row?.secret.includes(ADAPTER_SECRET)).toBe(false);
    const { stdout } = await run(['merchant', 'processor', 'show', merchant.id]);
    expect(stdout).toMatch(new RegExp(`${first.url} +yes +[0-9a-f]{12} .* ok\n$`));
    expect(stdout).not.toContain(ADAPTER_SECRET);
    const log = await run(['audit', '--merchant', merchant.id]);
    expect(log.stdout).toContain('PROCESSOR_CHOSEN');
    expect(log.stdout).not.toContain(ADAPTER_SECRET);
  });

  it('cannot be moved to another record', async () => {
    const [one, other] = [await createMerchantAt(first.url), await createMerchantAt(second.url)];
    await server.database.sql`
      update merchant_processors set secret = (select secret from merchant_processors where merchant_id = ${one.id})
      where merchant_id = ${other.id}`;
    const { stdout } = await run(['merchant', 'processor', 'show', other.id]);
    expect(stdout).toContain('the secret was changed or belongs to another record');
    expectRefusal(await tryToPay(server, other), UNKNOWN);
    expect((await pay(server, one)).status).toBe('COMPLETED');
    await choose(other, second.url);
    await untilResolved(server, other);
  });

  it('are rotated beside running servers, and the old key can then be removed', async () => {
    const next = newKey();
    await withServer({ config: { secretsKeys: [KEY, next] }, adapterLimits: LIMITS }, async (own) => {
      const url = own.databaseUrl;
      const [merchant, another] = [await own.createMerchant(), await own.createMerchant()];
      await choose(merchant, first.url, { url });
      await choose(another, second.url, { url });
      let isDone = false;
      const paying = (async () => {
        for (let count = 0; !isDone || count < 3; count++) {
          expect((await pay(own, merchant)).status).toBe('COMPLETED');
        }
      })();
      const unopened = await run(['secrets', 'rotate'], { key: next, url });
      expect([unopened.code, unopened.stderr]).toEqual([
        2,
        expect.stringMatching(/Nothing was changed: .* does not have the key/),
      ]);
      const both = { key: `${next},${KEY}`, url };
      expect((await run(['secrets', 'rotate'], both)).stdout).toMatch(/^2 secrets .*; 0 already were\.\n/);
      expect((await run(['secrets', 'rotate'], both)).stdout).toMatch(/^0 secrets .*; 2 already were\.\n/);
      const audited = await run(['audit', '--kind', 'PROCESSOR_SECRET_ROTATED'], both);
      expect(audited.stdout.match(/former_key_id=/g)).toHaveLength(2);
      isDone = true;
      await paying;
      const { stdout } = await run(['secrets', 'status', '-o', 'json'], both);
      expect(JSON.parse(stdout).keys).toEqual([
        { key_id: expect.any(String), variable: 'TILLHOUSE_SECRETS_KEY', secrets: 2, given: 'first' },
        { key_id: expect.any(String), variable: 'TILLHOUSE_SECRETS_KEY', secrets: 0, given: 'yes' },
        { key_id: expect.any(String), variable: 'TILLHOUSE_ACCOUNT_KEY', secrets: 1, given: 'first' },
      ]);
      expect((await run(['secrets', 'status'], { key: KEY, url })).code).toBe(1);

      const after = { databaseUrl: url, adapterLimits: LIMITS };
      await withServer({ ...after, config: { secretsKeys: [next] } }, async (later) => {
        expect((await pay(later, merchant)).status).toBe('COMPLETED');
      });
      await withServer({ ...after, config: { secretsKeys: [next] } }, async (wrong) => {
        const late = await wrong.createMerchant();
        await choose(late, first.url, { key: newKey(), url }); // a key that the running server does not have
        expectRefusal(await tryToPay(wrong, late), UNKNOWN);
        const plain = await wrong.createMerchant();
        expect((await pay(wrong, plain)).status).toBe('COMPLETED');
      });
    });
  });

  it('are refused by a start without their key, which names the keys and not the secrets', async () => {
    await withServer({ config: { secretsKeys: [KEY] }, adapterLimits: LIMITS }, async (own) => {
      await choose(await own.createMerchant(), first.url, { url: own.databaseUrl });
      const program = (env: Record<string, string>) =>
        runProgram(['serve', '--port', '0', '--data-dir', folder, '--database-url', own.databaseUrl], {
          env: { TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY, ...env },
        });
      const folder = await newFolder();
      const other = newKey();
      const [inUse, given] = [new SealingKeys([KEY]).ids[0], new SealingKeys([other]).ids[0]];
      const needs = `but secrets of merchants in this database are encrypted with the key ${inUse} (1 secrets). Add that key.`;
      const none = await program({});
      expect([none.code, none.stdout]).toEqual([2, '']);
      expect(none.stderr).toContain(`tillhouse: TILLHOUSE_SECRETS_KEY is not set, ${needs}`);
      const wrong = await program({ TILLHOUSE_SECRETS_KEY: other });
      expect([wrong.code, wrong.stdout]).toEqual([2, '']);
      expect(wrong.stderr).toContain(`tillhouse: TILLHOUSE_SECRETS_KEY has the key ${given}, ${needs}`);
      for (const secret of [KEY, other, ADAPTER_SECRET]) expect(wrong.stderr).not.toContain(secret);
    });
  });

  it('and the secret of an adapter are replaced beside two servers, and no payment is refused', async () => {
    const clone = await cloneDatabase();
    const adapter = await AdapterProcess.start();
    const [next, nextSecret] = [newKey(), randomBytes(32).toString('hex')];
    const on = (...secretsKeys: string[]) => ({
      databaseUrl: clone.url,
      adapterLimits: LIMITS,
      config: { secretsKeys },
    });
    const servers = await RollingServers.start(on(KEY));
    try {
      const merchant = await servers.first.createMerchant();
      await choose(merchant, adapter.url, { url: clone.url });
      const payAt = async (at: TestServer) => expect((await pay(at, merchant)).status).toBe('COMPLETED');
      await servers.under(payAt, async () => {
        await servers.replaceAll(on(KEY, next));
        const both = { key: `${next},${KEY}`, url: clone.url };
        expect((await run(['secrets', 'rotate'], both)).stdout).toMatch(/^1 secrets are now encrypted/);
        await servers.replaceAll(on(next));
      });
      await adapter.kill(); // between two payments: whoever has one adapter only restarts it then
      await adapter.restart(`${ADAPTER_SECRET},${nextSecret}`);
      await servers.under(payAt, async () => {
        await writeFile(SECRET_FILE, nextSecret);
        const replace = ['merchant', 'processor', 'secret', merchant.id, '--processor', adapter.url];
        const { code, stderr } = await run([...replace, '--secret-file', SECRET_FILE], { key: next, url: clone.url });
        expect([code, stderr]).toEqual([0, '']);
      });
      await adapter.kill();
      await adapter.restart(nextSecret);
      await payAt(servers.first);
      await expectBooksInOrder(servers.first);
    } finally {
      await writeFile(SECRET_FILE, `${ADAPTER_SECRET}\n`, { mode: 0o600 });
      await servers.stop();
      await adapter.stop();
      await clone.drop();
    }
  });

  it('can be replaced, also at an adapter that is no longer chosen', async () => {
    const merchant = await createMerchantAt(first.url);
    const payment = await pay(server, merchant);
    await chooseAnother(merchant, second.url);
    const wrong = join(tmpdir(), 'wrong-secret');
    await writeFile(wrong, randomBytes(32).toString('hex'));
    const replace = (url: string, file: string) =>
      run(['merchant', 'processor', 'secret', merchant.id, '--processor', url, '--secret-file', file]);
    expect((await replace(first.url, wrong)).code).toBe(0);
    const { id } = await refund(server, merchant, payment);
    await advance(server, merchant, 'PT1M');
    expect((await getRefund(server, merchant, id)).status).toBe('PENDING');
    expect((await replace(first.url, SECRET_FILE)).code).toBe(0);
    await untilResolved(server, merchant);
    expect((await getRefund(server, merchant, id)).status).toBe('COMPLETED');
    expect(await callsFor(first, payment.id)).toEqual(['approved', 'refunded']);
    expect(await replace('http://127.0.0.1:2', SECRET_FILE)).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('has no adapter at http://127.0.0.1:2') },
    });
  });
});

describe('tillhouse merchant processor', () => {
  const set = (id: string, url: string, more: readonly string[] = ['--secret-file', SECRET_FILE], key = KEY) =>
    run(['merchant', 'processor', 'set', id, ...(url ? ['--processor', url] : []), ...more], { key });

  it.each([
    ['an address without TLS', 'http://example.com', undefined, undefined, 'must be https'],
    ['something else', 'simulator', undefined, undefined, 'must be an https URL'],
    ['no address', '', undefined, undefined, '--processor is required'],
    ['no secret', 'https://example.com', [], undefined, '--secret-file is required'],
    [
      'a file that is not there',
      'https://example.com',
      ['--secret-file', '/nowhere'],
      undefined,
      'cannot be read (ENOENT)',
    ],
    ['no key', 'https://example.com', undefined, '', 'TILLHOUSE_SECRETS_KEY is required'],
    ['a malformed key', 'https://example.com', undefined, 'abc', 'TILLHOUSE_SECRETS_KEY is not a key'],
    ['a short key in a list', 'https://example.com', undefined, `${KEY},AAAA`, 'a wrong key at place 2'],
  ])('refuses %s', async (_what, url, more, key, says) => {
    const { id } = await server.createMerchant();
    const { code, stdout, stderr } = await set(id, url, more, key);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(stderr).not.toContain(ADAPTER_SECRET);
  });

  it('reads the keys from a file, and says what is wrong with it', async () => {
    const path = join(tmpdir(), 'secrets-key');
    const status = (env: Record<string, string>) =>
      runHere(['secrets', 'status', '-o', 'json', '--database-url', server.databaseUrl], {
        env: { TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY, ...env },
      });
    await writeFile(path, `${KEY}\n${newKey()}\n`);
    const { code, stdout } = await status({ TILLHOUSE_SECRETS_KEY_FILE: path });
    expect([code, JSON.parse(stdout).keys]).toMatchObject([
      0,
      [{ given: 'first' }, { given: 'yes', secrets: 0 }, { given: 'first' }],
    ]);
    const both = await status({ TILLHOUSE_SECRETS_KEY_FILE: path, TILLHOUSE_SECRETS_KEY: KEY });
    expect(both.stderr).toContain('not both');
    expect((await status({ TILLHOUSE_SECRETS_KEY_FILE: '/nowhere' })).stderr).toContain('cannot be read (ENOENT)');
    await writeFile(path, '\n');
    expect((await status({ TILLHOUSE_SECRETS_KEY_FILE: path })).stderr).toContain('is empty');
  });

  it('refuses a merchant that does not exist, and a weak secret', async () => {
    expect((await set('NOBODY', 'https://example.com')).stderr).toContain('There is no merchant NOBODY.');
    const weak = join(tmpdir(), 'weak-secret');
    await writeFile(weak, 'letmein\n');
    const { stderr } = await set('NOBODY', 'https://example.com', ['--secret-file', weak]);
    expect(stderr).toContain('The secret in --secret-file is too easy to guess');
    expect(stderr).not.toContain('letmein');
  });

  it('clears the choice, which a reset of the merchant puts back', async () => {
    const merchant = await createMerchantAt(first.url);
    await pay(server, merchant);
    const path = `/api/sandbox/merchants/${merchant.id}`;
    expect((await server.operator('POST', `${path}/snapshot`)).status).toBe(200);
    await choose(merchant, second.url);
    expect((await server.operator('POST', `${path}/reset`)).status).toBe(200);
    const { stdout } = await run(['merchant', 'processor', 'show', merchant.id, '-o', 'json']);
    expect(JSON.parse(stdout).processors).toMatchObject([
      { address: first.url, chosen: true, secret: 'ok' },
      { address: second.url, chosen: false, secret: 'ok' },
    ]);
    const cleared = await run(['merchant', 'processor', 'clear', merchant.id]);
    expect(cleared.stdout).toBe('New card payments go to the processor of the server.\n');
    const again = await run(['merchant', 'processor', 'clear', merchant.id]);
    expect(again.stdout).toContain('has chosen no adapter');
  });
});
