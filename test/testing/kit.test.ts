/** The test kit for its users: one server in this process, persistent data, merchants, clocks and faults. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { TestMerchant, Tillhouse } from '../../src/testing/index.js';
import { callApi } from '../support/http.js';
import { loadKit } from '../support/kit.js';
import { PATIENT } from '../support/patient.js';
import { paymentBody } from '../support/payments.js';
import { migratedDataDir, processesIn } from '../support/process.js';
import { dropDatabase } from '../support/run-databases.mjs';
import { cloneDatabase, isCluster, type TestDatabase } from '../support/server.js';

const { connectTillhouse, SandboxRefusal, startTillhouse } = await loadKit();

let dataDir: string;
/** Of a cluster. Otherwise the kit uses its embedded PostgreSQL. */
let distributed: TestDatabase | undefined;
let tillhouse: Tillhouse;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-kit-'));
  if (isCluster) distributed = await cloneDatabase();
  tillhouse = await startTillhouse({ dataDir, ...(distributed && { databaseUrl: distributed.url }) });
});
afterAll(async () => {
  await tillhouse.stop();
  await distributed?.drop();
  expect(await processesIn(dataDir)).toEqual([]);
  await rm(dataDir, { recursive: true, force: true });
});

const get = (path: string, { accessToken }: TestMerchant) =>
  callApi(tillhouse.url, 'GET', path, { token: accessToken });
const pay = ({ accessToken }: TestMerchant, body = paymentBody()) =>
  callApi(tillhouse.url, 'POST', '/v2/payments', { token: accessToken, body });

describe('requests', () => {
  it('has what a program sent for the merchant, in order, without secrets', async () => {
    const [merchant, other] = [await tillhouse.createMerchant(), await tillhouse.createMerchant()];
    const body = paymentBody();
    await pay(merchant, body);
    await pay(other);
    await get('/v2/payments/none', merchant);
    const [first, second, ...more] = await merchant.requests.list();
    expect(more).toEqual([]);
    expect(first).toMatchObject({ operation: 'v2.createPayment', method: 'POST', status: 200, body });
    expect(first?.response.payment.status).toBe('COMPLETED');
    expect(first?.headers['authorization']).toMatch(/^Bearer \*{4}/);
    expect(second).toMatchObject({
      operation: 'v2.getPayment',
      path: '/v2/payments/none',
      status: 404,
      body: undefined,
    });
    expect((await merchant.requests.list({ operation: 'v2.createPayment' })).map(({ id }) => id)).toEqual([first?.id]);
    expect((await merchant.requests.last({ status: '4xx' })).id).toBe(second?.id);
    await expect(merchant.requests.last({ status: 503 })).rejects.toThrow('has sent no such request');
  });
});

describe('unknown fields', () => {
  it('are in the requests of the merchant', async () => {
    const merchant = await tillhouse.createMerchant();
    await pay(merchant, { ...paymentBody(), ammount_money: 1 });
    await get('/v2/locations', merchant);
    const ignored = (await merchant.requests.list()).map((each) => each.ignored);
    expect(ignored).toEqual([['body.ammount_money'], []]);
  });

  it('are refused by a strict server', async () => {
    const strict = await startTillhouse({ strict: true });
    try {
      const merchant = await strict.createMerchant();
      const send = (body: object) => callApi(strict.url, 'POST', '/v2/payments', { token: merchant.accessToken, body });
      const answer = await send({ ...paymentBody(), ammount_money: 1 });
      expect([answer.status, answer.body.errors[0]]).toMatchObject([
        400,
        {
          code: 'UNKNOWN_BODY_PARAMETER',
          field: 'ammount_money',
          detail: expect.stringContaining('Did you mean amount_money'),
        },
      ]);
      expect((await send(paymentBody())).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});

describe('createMerchant', () => {
  it('creates a business that works immediately and sees nothing of others', async () => {
    const [one, two] = [await tillhouse.createMerchant(), await tillhouse.createMerchant()];
    expect((await pay(one)).status).toBe(200);
    expect((await get('/v2/payments', one)).body.payments).toHaveLength(1);
    expect((await get('/v2/payments', two)).body).toEqual({});
    expect((await get('/v1/me', two)).body.id).toBe(two.id);
    expect(one.locationIds).toEqual([one.locationId]);
    expect((await get(`/v2/locations/${one.locationId}`, one)).body.location.id).toBe(one.locationId);
  });

  it('creates it with the given options', async () => {
    const merchant = await tillhouse.createMerchant({
      businessName: 'Fern & Fig',
      country: 'CA',
      currency: 'CAD',
      timezone: 'America/Toronto',
      locations: [{ name: 'Queen Street' }, { name: 'Granville', timezone: 'America/Vancouver' }],
      approved: false,
      now: new Date('2020-02-26T10:00:00Z'),
      frozen: true,
    });
    const { locations } = (await get('/v2/locations', merchant)).body;
    expect(locations.map(({ name, timezone, currency }: Record<string, string>) => [name, timezone, currency])).toEqual(
      [
        ['Queen Street', 'America/Toronto', 'CAD'],
        ['Granville', 'America/Vancouver', 'CAD'],
      ],
    );
    expect(merchant.locationIds).toEqual(locations.map(({ id }: { id: string }) => id));
    expect((await get('/v1/me/employees', merchant)).status).toBe(403);
    expect((await merchant.clock.now()).toISOString()).toBe('2020-02-26T10:00:00.000Z');
  });

  it('links a bank account at once or in a later call, and then its days are settled', async () => {
    const at = { now: '2020-02-26T10:00:00Z', frozen: true };
    const [one, two] = [
      await tillhouse.createMerchant({ ...at, bankAccount: { bankName: 'Second Bank' } }),
      await tillhouse.createMerchant(at),
    ];
    const third = await tillhouse.createMerchant({ ...at, bankAccount: true });
    expect((await get('/v2/bank-accounts', one)).body.bank_accounts).toMatchObject([{ bank_name: 'Second Bank' }]);
    expect((await get('/v2/bank-accounts', third)).body.bank_accounts).toHaveLength(1);
    const accountId = await two.addBankAccount({ bankName: 'First Bank', type: 'SAVINGS' });
    expect((await get(`/v2/bank-accounts/${accountId}`, two)).body.bank_account).toMatchObject({
      bank_name: 'First Bank',
      account_type: 'SAVINGS',
    });
    for (const merchant of [one, two]) {
      await pay(merchant);
      await merchant.clock.advance('P2D');
      expect((await get(`/v1/${merchant.locationId}/settlements`, merchant)).body).toHaveLength(1);
    }
  });

  it('creates tokens with fewer permissions', async () => {
    const merchant = await tillhouse.createMerchant();
    const accessToken = await merchant.createToken(['EMPLOYEES_READ']);
    expect((await get('/v2/employees', { ...merchant, accessToken })).status).toBe(200);
    expect((await get('/v2/payments', { ...merchant, accessToken })).status).toBe(403);
  });

  it('reports wrong options', async () => {
    const refused = tillhouse.createMerchant({ timezone: 'Mars/Olympus' });
    await expect(refused).rejects.toThrow(SandboxRefusal);
    await expect(refused).rejects.toThrow('timezone');
  });

  it('refuses unknown options by name, and lists those that there are', async () => {
    const from = (options: object) => tillhouse.createMerchant(options);
    await expect(from({ bankacount: true })).rejects.toThrow(
      "createMerchant has no option 'bankacount'. Did you mean 'bankAccount'? It has businessName, country,",
    );
    await expect(from({ locations: [{ zone: 'UTC' }] })).rejects.toThrow("no option 'zone'");
    await expect(from({ bankAccount: { iban: '' } })).rejects.toThrow(
      'The bank account of createMerchant has no option',
    );
    await expect(startTillhouse({ database: 'x' } as object)).rejects.toThrow("no option 'database'");
    const merchant = await tillhouse.createMerchant();
    await expect(merchant.requests.list({ state: 404 } as object)).rejects.toThrow(
      'It has operation, status, stub, text.',
    );
    await expect(merchant.catchWebhooks({ type: [] } as object)).rejects.toThrow("Did you mean 'types'?");
  });
});

describe('clock', () => {
  it('is moved, frozen and released, and the due work is done', async () => {
    const merchant = await tillhouse.createMerchant({ now: '2020-02-26T10:00:00Z', frozen: true });
    const { payment } = (await pay(merchant, paymentBody({ autocomplete: false }))).body;
    expect((await merchant.clock.advance('P6D')).toISOString()).toBe('2020-03-03T10:00:00.000Z');
    expect((await get(`/v2/payments/${payment.id}`, merchant)).body.payment.status).toBe('APPROVED');
    await merchant.clock.advance('P1D');
    expect((await get(`/v2/payments/${payment.id}`, merchant)).body.payment.status).toBe('CANCELED');
    expect((await merchant.clock.set('2021-01-01T00:00:00Z')).toISOString()).toBe('2021-01-01T00:00:00.000Z');
    const running = await merchant.clock.run();
    expect((await merchant.clock.freeze()).getTime()).toBeGreaterThanOrEqual(running.getTime());
    expect(await merchant.clock.now()).toEqual(await merchant.clock.now());
  });
});

describe.skipIf(isCluster)('snapshot', () => {
  it('is what a merchant is reset to, with its clock', async () => {
    const merchant = await tillhouse.createMerchant({ now: '2020-02-26T10:00:00Z', frozen: true });
    await expect(merchant.reset()).rejects.toThrow('has no snapshot');
    await pay(merchant);
    const snapshot = await merchant.snapshot();
    expect(snapshot.now.toISOString()).toBe('2020-02-26T10:00:00.000Z');
    const inbox = await merchant.catchWebhooks();
    await pay(merchant);
    await inbox.next('payment.created', PATIENT);
    await merchant.clock.advance('P61D');
    expect(await merchant.reset()).toEqual(snapshot);
    expect(await merchant.clock.now()).toEqual(snapshot.now);
    expect((await get('/v2/payments', merchant)).body.payments).toHaveLength(1);
    expect(await merchant.requests.list({ operation: 'v2.createPayment' })).toHaveLength(1);
  });
});

describe.skipIf(isCluster)('export', () => {
  it('is a file from which the same merchant is created, as often as needed', async () => {
    const merchant = await tillhouse.createMerchant({ now: '2020-02-26T10:00:00Z', frozen: true });
    await pay(merchant);
    const file = await merchant.export();
    const from = JSON.parse(JSON.stringify(file)) as typeof file;
    const owner = { email: 'from-a-file@example.com', password: 'correct horse battery' };
    const [one, other] = [await tillhouse.createMerchant({ from }), await tillhouse.createMerchant({ from, owner })];
    expect(one.locationIds).toEqual(merchant.locationIds);
    await pay(one);
    const paymentsOf = async (of: TestMerchant) => (await get('/v2/payments', of)).body.payments;
    expect(await paymentsOf(one)).toHaveLength(2);
    expect((await paymentsOf(other)).map(({ id }: { id: string }) => id)).toEqual(
      (await paymentsOf(merchant)).map(({ id }: { id: string }) => id),
    );
    expect(await other.export()).toEqual({ ...file, merchant: { ...file.merchant, owner_email: owner.email } });
    await expect(tillhouse.createMerchant({ from, currency: 'EUR' })).rejects.toThrow(
      "createMerchant cannot have 'currency' beside 'from', only 'owner'.",
    );
    await expect(tillhouse.createMerchant({ from: { ...from, tillhouse_merchant: 9 } })).rejects.toThrow(
      'file.tillhouse_merchant must be 1',
    );
  });
});

describe('faults', () => {
  it('of a merchant affect it alone, those of the kit all merchants, each as often as specified', async () => {
    const [one, two] = [await tillhouse.createMerchant(), await tillhouse.createMerchant()];
    const fault = await one.faults.add({ effect: 'STATUS', status: 429, retryAfterSeconds: 0, times: 2 });
    expect(fault).toEqual({
      id: fault.id,
      merchantId: one.id,
      effect: 'STATUS',
      status: 429,
      retryAfterSeconds: 0,
      remaining: 2,
    });
    expect([(await get('/v1/me', two)).status, (await get('/v1/me', one)).status]).toEqual([200, 429]);
    expect(await one.faults.list()).toEqual([{ ...fault, remaining: 1 }]);
    await one.faults.clear();
    expect((await get('/v1/me', one)).status).toBe(200);
    await tillhouse.faults.add({ operation: 'v1.retrieveBusiness', effect: 'STATUS', status: 500, times: 2 });
    expect([(await get('/v1/me', one)).status, (await get('/v1/me', two)).status]).toEqual([500, 500]);
    expect(await tillhouse.faults.list()).toEqual([]);
  });

  it('delay requests, and break connections after the write', async () => {
    const merchant = await tillhouse.createMerchant();
    const delay = await merchant.faults.add({ effect: 'DELAY', delayMs: { min: 1, max: 2 } });
    expect(delay).toMatchObject({ effect: 'DELAY', delayMs: { min: 1, max: 2 }, remaining: 1 });
    expect(await merchant.faults.add({ effect: 'DELAY', delayMs: 1 })).toMatchObject({ delayMs: 1 });
    await merchant.faults.clear();
    const body = paymentBody();
    await merchant.faults.add({ operation: 'v2.createPayment', effect: 'RESET_AFTER' });
    await expect(pay(merchant, body)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await pay(merchant, body)).headers['idempotency-replayed']).toBe('true');
  });
});

describe('the name of an operation', () => {
  it('is a type, and is refused at run time with the nearest names', async () => {
    const { faults, requests } = await tillhouse.createMerchant();
    // @ts-expect-error a wrong name does not compile
    await expect(faults.add({ effect: 'RESET_BEFORE', operation: 'v2.createPayments' })).rejects.toThrow(
      "There is no operation 'v2.createPayments'. Did you mean 'v2.createPayment'",
    );
    // @ts-expect-error
    await expect(requests.last({ operation: 'v1.listTimecard' })).rejects.toThrow("'v1.listTimecards'");
    // @ts-expect-error
    await expect(faults.add({ effect: 'WEBHOOK_TWICE', eventType: 'payment.create' })).rejects.toThrow(
      "Did you mean 'payment.created'",
    );
    // @ts-expect-error
    await expect(faults.add({ effect: 'RESET', operation: 'v1.listTimecards' })).rejects.toThrow("no effect 'RESET'");
    const misplaced = { effect: 'RESET_BEFORE', delayMs: 1 } as const;
    await expect(faults.add(misplaced)).rejects.toThrow('RESET_BEFORE has no option');
    await expect(
      tillhouse.sandbox('POST', 'faults', { effect: 'RESET_BEFORE', operation: 'v2.createPaymnt' }),
    ).rejects.toThrow('The nearest names: v2.createPayment');
    expect(await requests.list({ operation: 'v2' })).toEqual([]);
  });
});

describe('sandbox', () => {
  it('calls every other operation of the surface', async () => {
    const { id } = await tillhouse.createMerchant();
    await tillhouse.sandbox('POST', `merchants/${id}/processor-rules`, { effect: 'DECLINE' });
    const { rules } = await tillhouse.sandbox<{ rules: unknown[] }>('GET', `merchants/${id}/processor-rules`);
    expect(rules).toHaveLength(1);
    await expect(tillhouse.sandbox('GET', 'merchants/MNOBODY')).rejects.toMatchObject({ status: 404 });
  });
});

describe('startTillhouse', () => {
  it('keeps its data from run to run, and refuses a folder in which a server runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tillhouse-kit-'));
    const first = await startTillhouse({ dataDir: folder });
    const { id, accessToken } = await first.createMerchant();
    await expect(startTillhouse({ dataDir: folder })).rejects.toThrow(folder);
    await first.stop();
    const second = await startTillhouse({ dataDir: folder });
    const answer = await callApi(second.url, 'GET', '/v1/me', { token: accessToken });
    expect(answer.body.id).toBe(id);
    await second.stop();
    await second.stop();
    await expect(second.createMerchant()).rejects.toThrow(`${second.url}: it was stopped`);
    await rm(folder, { recursive: true });
  });

  it('uses an external PostgreSQL if one is configured, and applies the other options', async () => {
    const databaseUrl = new URL(inject('postgresUrl'));
    databaseUrl.pathname = `/${inject('templateDatabase')}_kit`;
    const folder = await mkdtemp(join(tmpdir(), 'tillhouse-kit-'));
    const { openDatabase } = await import('../../src/database/database.js');
    const admin = openDatabase(inject('postgresUrl'), { maxConnections: 1, hasLongTimeouts: true });
    const name = databaseUrl.pathname.slice(1);
    await admin.sql.unsafe(`create database ${name}`);
    const own = await startTillhouse({
      dataDir: folder,
      databaseUrl: databaseUrl.href,
      retired: 'gone',
      rateLimit: 1,
    });
    const { accessToken: token } = await own.createMerchant();
    expect((await callApi(own.url, 'GET', '/v1/me/timecards', { token })).status).toBe(410);
    const crowd = Array.from({ length: 10 }, () => callApi(own.url, 'GET', '/v1/me', { token }));
    expect((await Promise.all(crowd)).map(({ status }) => status)).toContain(429);
    expect(await processesIn(folder)).toEqual([]);
    await own.stop();
    await dropDatabase(admin.sql, name);
    await admin.close();
    await rm(folder, { recursive: true });
  });
});

describe('stubs', () => {
  it('answer for one merchant or for all, and say how often', async () => {
    const [merchant, other] = [await tillhouse.createMerchant(), await tillhouse.createMerchant()];
    const own = await merchant.stubs.add({
      request: { path: '/v2/customers/{id}', query: { x: { like: 'a*' } } },
      responses: [{ status: 404 }, { body: { customer: { id: '{{request.path.id}}' } } }],
    });
    const all = await tillhouse.stubs.add({
      request: { method: 'GET', path: '/v2/customers/{id}' },
      response: { status: 410 },
      times: 1,
      priority: -1,
    });
    const ask = (who: TestMerchant) => get('/v2/customers/C1?x=ab', who);
    expect([await ask(merchant), await ask(merchant), await ask(other)].map(({ status }) => status)).toEqual([
      404, 200, 410,
    ]);
    expect(await merchant.stubs.list()).toEqual([{ ...own, used: 2 }]);
    expect((await tillhouse.stubs.list()).map(({ id, used }) => [id, used])).toEqual([
      [own.id, 2],
      [all.id, 1],
    ]);
    const sent = await merchant.requests.list({ stub: own.id });
    expect(sent.map(({ stub, response }) => [stub, response])).toEqual([
      [own.id, undefined],
      [own.id, { customer: { id: 'C1' } }],
    ]);
    await merchant.stubs.remove(own);
    expect((await ask(merchant)).status).toBe(501);
    await tillhouse.stubs.reset();
    expect(await tillhouse.stubs.list()).toEqual([]);
    const wrong = { request: { path: '/a' }, response: { statsu: 1 } };
    await expect(merchant.stubs.add(wrong as never)).rejects.toThrow('Did you mean status?');
  });

  it('of a folder answer from the start, and what an earlier run has left does not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tillhouse-kit-'));
    await writeFile(join(folder, 'a.json'), JSON.stringify({ request: { path: '/a' }, response: { body: 'A' } }));
    const data = await migratedDataDir();
    const start = (stubs?: string) => startTillhouse({ dataDir: data, ...(stubs !== undefined && { stubs }) });
    const first = await start(folder);
    expect((await callApi(first.url, 'GET', '/a')).text).toBe('A');
    await first.stubs.add({ request: { path: '/b' }, response: {} });
    await first.stop();
    const second = await start();
    expect(await second.stubs.list()).toEqual([]);
    await second.stop();
    await rm(folder, { recursive: true });
  });
});

describe('connectTillhouse', () => {
  it('connects to a running server, and leaves it running', async () => {
    const { url, operatorKey } = tillhouse;
    const connected = connectTillhouse({ url: `${url}/`, operatorKey });
    const merchant = await connected.createMerchant();
    await connected.stop();
    expect((await get('/v1/me', merchant)).body.id).toBe(merchant.id);
  });

  it('fails with the reason if the URL belongs to another server', async () => {
    const other = createServer((_, response) => response.writeHead(200).end('<!doctype html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const stranger = connectTillhouse({ url, operatorKey: 'opk_any' });
    await expect(stranger.createMerchant()).rejects.toThrow(
      `${url} does not respond with JSON, so it is not a Tillhouse`,
    );
    other.closeAllConnections();
    other.close();
  });

  it('fails with the reason if the operator key is wrong', async () => {
    const stranger = connectTillhouse({ url: tillhouse.url, operatorKey: 'opk_wrong' });
    await expect(stranger.createMerchant()).rejects.toMatchObject({ status: 401 });
  });
});
