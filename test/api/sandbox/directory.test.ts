/** What the operator lists, removes and checks: merchants, tokens, applications, subscriptions, due work, rules, signatures. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import { startTestServer, type TestMerchant, type TestServer, withServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
let base: string;
beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ business_name: 'Juniper' });
  base = `/api/sandbox/merchants/${merchant.id}`;
});
afterAll(() => server.stop());

const read = async (path: string) => {
  const { status, body, text } = await server.operator('GET', path);
  expect(status, text).toBe(200);
  return body;
};
const pay = (by = merchant, change: Record<string, unknown> = {}) =>
  server.call('POST', '/v2/payments', {
    token: by.token,
    body: {
      idempotency_key: randomUUID(),
      source_id: 'cnon:card-nonce-ok',
      amount_money: { amount: 100, currency: 'USD' },
      ...change,
    },
  });

describe('merchants', () => {
  it('are listed by their creation, found by name and id, with their clocks', async () => {
    const frozen = await server.createMerchant({
      business_name: 'Rye & Sons',
      clock: { now: '2020-02-26T10:00:00Z', frozen: true },
    });
    const { merchants } = await read('/api/sandbox/merchants');
    expect(merchants.map(({ id }: { id: string }) => id)).toEqual([merchant.id, frozen.id]); // by its clock, it is older
    expect(merchants[1]).toMatchObject({
      ...{ id: frozen.id, business_name: 'Rye & Sons', is_demo: false },
      clock_frozen_at: '2020-02-26T10:00:00.000Z',
    });
    const ids = async (text: string) =>
      (await read(`/api/sandbox/merchants?text=${encodeURIComponent(text)}`)).merchants.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids('RYE & s')).toEqual([frozen.id]);
    expect(await ids(frozen.id)).toEqual([frozen.id]);
    expect(await ids('%')).toEqual([]);
  });
});

describe('tokens', () => {
  it('are listed with their state, and one expires by its id', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const listed = async () => (await read(`${base}/tokens`)).tokens.at(-1);
    const { id } = await listed();
    expect(await listed()).toMatchObject({ state: 'VALID', permissions: ['PAYMENTS_READ'], label: 'sandbox' });
    expect((await server.call('GET', '/v2/payments', { token })).status).toBe(200);
    expect((await server.operator('POST', `${base}/tokens/${id}/expire`)).status).toBe(200);
    expect((await server.call('GET', '/v2/payments', { token })).body.errors[0].code).toBe('ACCESS_TOKEN_EXPIRED');
    expect(await listed()).toMatchObject({ state: 'EXPIRED' });
    expect((await server.operator('POST', `${base}/tokens/nobody/expire`)).status).toBe(404);
    const other = await server.createMerchant();
    expect((await server.operator('POST', `/api/sandbox/merchants/${other.id}/tokens/${id}/expire`)).status).toBe(404);
  });
});

describe('applications and authorizations', () => {
  it('are listed', async () => {
    const { application } = (await server.operator('POST', '/api/sandbox/applications', { name: 'Books' })).body;
    expect((await read('/api/sandbox/applications')).applications[0]).toMatchObject({
      id: application.id,
      name: 'Books',
    });
    expect((await read(`${base}/authorizations`)).authorizations).toEqual([]);
    const body = { application_id: application.id, permissions: ['PAYMENTS_READ'] };
    await server.operator('POST', `${base}/authorizations`, body);
    expect((await read(`${base}/authorizations`)).authorizations).toMatchObject([
      { application_id: application.id, permissions: ['PAYMENTS_READ'] },
    ]);
  });
});

describe('due work', () => {
  it('is listed, and done by moving the clock, which returns it', async () => {
    const own = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
    const path = `/api/sandbox/merchants/${own.id}`;
    const { payment } = (await pay(own, { autocomplete: false })).body;
    const expiry = (await read(`${path}/due-work`)).due_work.find(
      ({ kind }: { kind: string }) => kind === 'EXPIRE_PAYMENT',
    );
    expect(expiry).toMatchObject({ subject_id: payment.id });
    const { clock, done } = (await server.operator('POST', `${path}/clock`, { now: expiry.due_at })).body;
    expect(clock.now).toBe(expiry.due_at);
    expect(done).toContainEqual(expiry);
    expect(done.map(({ due_at }: { due_at: string }) => due_at)).toEqual(
      done.map(({ due_at }: { due_at: string }) => due_at).toSorted(),
    );
    const left = (await read(`${path}/due-work`)).due_work;
    expect(left).not.toContainEqual(expiry);
  });
});

describe('one rule', () => {
  it('is removed without the others', async () => {
    const add = async (delay_ms: number) =>
      (await server.operator('POST', '/api/sandbox/faults', { merchant_id: merchant.id, effect: 'DELAY', delay_ms }))
        .body.fault.id;
    const [one, other] = [await add(1), await add(2)];
    expect((await server.operator('DELETE', `/api/sandbox/faults/${one}`)).status).toBe(200);
    expect((await server.operator('DELETE', `/api/sandbox/faults/${one}`)).status).toBe(404);
    const { faults } = await read(`/api/sandbox/faults?merchant_id=${merchant.id}`);
    expect(faults.map(({ id }: { id: string }) => id)).toEqual([other]);
    await server.operator('DELETE', `/api/sandbox/faults/${other}`);
    const { rule } = (await server.operator('POST', `${base}/processor-rules`, { effect: 'DECLINE' })).body;
    const stranger = await server.createMerchant();
    const elsewhere = `/api/sandbox/merchants/${stranger.id}/processor-rules/${rule.id}`;
    expect((await server.operator('DELETE', elsewhere)).status).toBe(404);
    expect((await server.operator('DELETE', `${base}/processor-rules/${rule.id}`)).status).toBe(200);
    expect((await pay()).status).toBe(200);
  });
});

describe('the built-in receiver', () => {
  type Delivery = { readonly id: string; readonly state: string; readonly attempt_count: number };
  const deliveriesOf = async (id: string): Promise<Delivery[]> =>
    (await read(`/api/sandbox/merchants/${id}/webhook-deliveries`)).deliveries;

  it('is subscribed once, and accepts the events of the merchant', async () => {
    const own = await server.createMerchant();
    const path = `/api/sandbox/merchants/${own.id}`;
    const opened = (await server.operator('POST', `${path}/receiver`, {})).body.subscription;
    const again = (await server.operator('POST', `${path}/receiver`, {})).body.subscription;
    expect(again).toEqual(opened);
    expect((await read(`${path}/webhook-subscriptions`)).subscriptions).toEqual([opened]);
    await pay(own);
    const delivered = await pollUntil(
      () => deliveriesOf(own.id),
      (deliveries) => deliveries.length > 0 && deliveries.every(({ state }) => state === 'DELIVERED'),
      10_000,
    );
    expect(delivered.map(({ state }) => state)).toContain('DELIVERED');
  });

  it('fails if it is asked to', async () => {
    const own = await server.createMerchant();
    await server.operator('POST', `/api/sandbox/merchants/${own.id}/receiver`, { fails: true });
    await pay(own);
    const [tried] = await pollUntil(
      () => deliveriesOf(own.id),
      (deliveries) => deliveries.some(({ attempt_count }) => attempt_count > 0),
      10_000,
    );
    const { attempts } = await read(`/api/sandbox/merchants/${own.id}/webhook-deliveries/${tried?.id}`);
    expect(attempts[0]).toMatchObject({ status_code: 503, failure: 'http_error' });
    expect((await server.call('POST', '/api/sandbox/receiver/unknown')).status).toBe(404);
  });
});

describe('the check of a signature', () => {
  it('names the mistake', async () => {
    const own = await server.createMerchant();
    const path = `/api/sandbox/merchants/${own.id}`;
    const { subscription } = (await server.operator('POST', `${path}/receiver`, {})).body;
    await server.operator('POST', `${path}/receiver`, { fails: true });
    const subscriptions = (await read(`${path}/webhook-subscriptions`)).subscriptions;
    const stranger = subscriptions.find(({ id }: { id: string }) => id !== subscription.id);
    await pay(own);
    const deliveries = (await read(`${path}/webhook-deliveries`)).deliveries;
    const delivery = deliveries.find((each: { subscription_id: string }) => each.subscription_id === subscription.id);
    const { notification_url: url, signature_key: key } = subscription;
    const { body } = delivery;
    const sign = (algorithm: string, by: string, signed: string) => createHmac(algorithm, by).update(signed);
    const check = async (signature: string) =>
      (await server.operator('POST', `${path}/webhook-deliveries/${delivery.id}/check-signature`, { signature })).body;
    expect(await check(sign('sha256', key, url + body).digest('base64'))).toMatchObject({ matches: true });
    expect((await check(sign('sha1', key, url + body).digest('base64'))).finding).toContain('SHA-1');
    const wrong: Record<string, string> = {
      'Only the body is signed': sign('sha256', key, body).digest('base64'),
      'hexadecimal digits': sign('sha256', key, url + body).digest('hex'),
      'another form of Base64': sign('sha256', key, url + body).digest('base64url'),
      'but the subscription has': sign('sha256', key, `${url}/${body}`).digest('base64'),
      'parsed and printed again': sign('sha256', key, url + JSON.stringify(JSON.parse(body), null, 2)).digest('base64'),
      'body is missing': sign('sha1', key, url).digest('base64'),
      'that of another subscription': sign('sha256', stranger.signature_key, url + body).digest('base64'),
      'key is empty': sign('sha256', '', url + body).digest('base64'),
      'computed from something else': 'bm90IHRoaXM=',
    };
    for (const [finding, signature] of Object.entries(wrong)) {
      const checked = await check(signature);
      expect(checked.matches).toBe(false);
      expect(checked.finding).toContain(finding);
    }
  });
});

describe('signing in to the console', () => {
  const SESSION = '/api/sandbox/session';
  const cookieIn = (headers: NodeJS.Dict<string | string[]>) => String(headers['set-cookie']).split(';', 1)[0] ?? '';

  it('takes the operator key, and the cookie then stands for it', async () => {
    const key = 'operator-key-of-the-tests';
    expect((await server.call('POST', SESSION, { body: { operator_key: 'nope' } })).status).toBe(401);
    const signedIn = await server.call('POST', SESSION, { body: { operator_key: key } });
    expect(String(signedIn.headers['set-cookie'])).toMatch(
      /^tillhouse_console_\d+=[\w-]{43}; Path=\/api\/sandbox; HttpOnly; SameSite=Strict/,
    );
    const cookie = cookieIn(signedIn.headers);
    expect(cookie).not.toContain(key);
    const state = async (headers: Record<string, string>) =>
      (await server.call('GET', SESSION, { headers })).body.signed_in;
    expect([await state({ cookie }), await state({}), await state({ cookie: `${cookie}x` })]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await server.call('GET', '/api/sandbox/faults', { headers: { cookie } })).status).toBe(200);
    expect((await server.call('GET', '/api/sandbox/faults', { headers: { cookie: `${cookie}x` } })).status).toBe(401);
    const write = (origin: string) =>
      server.call('POST', '/api/sandbox/merchants', { headers: { cookie, origin }, body: {} });
    expect((await write(server.baseUrl)).status).toBe(200);
    expect((await write('https://evil.example')).status).toBe(403);
    const signedOut = await server.call('DELETE', SESSION, { headers: { cookie, origin: server.baseUrl } });
    expect(String(signedOut.headers['set-cookie'])).toContain('Max-Age=0');
  });

  it('takes one click of a page of this server, on this machine', async () => {
    expect((await server.call('GET', SESSION)).body.one_click).toBe(true);
    const click = (headers: Record<string, string>, at = server) => at.call('POST', SESSION, { headers, body: {} });
    expect((await click({ origin: server.baseUrl })).status).toBe(200);
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: server.baseUrl, 'x-forwarded-for': '203.0.113.7' },
      { origin: server.baseUrl, via: '1.1 proxy' },
    ] as Record<string, string>[]) {
      const answer = await click(headers);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
    }
    for (const config of [{ trustProxy: { hops: 1 } }, { host: '0.0.0.0' }]) {
      await withServer({ config }, async (other) => {
        expect((await click({ origin: other.baseUrl }, other)).status).toBe(403);
        expect((await other.call('GET', SESSION)).body.one_click).toBe(false);
      });
    }
  });
});
