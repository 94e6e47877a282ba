/** What a refused request leaves behind: nothing on the owner's stream, and no statement with what it sent (decisions 0015, 0150). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChangeReader } from '../../support/change-stream.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { DECLINED, openStore, place, tryToPay, tryToPlace } from '../../support/orders.js';
import { hire, pairDevice } from '../../support/people.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let owner: TestOwner;
const sent: string[] = [];

beforeAll(async () => {
  server = await startTestServer({ onStatement: (text) => void sent.push(text) });
  owner = await createOwner(server);
});
afterAll(() => server.stop());

/** Longer than a server gathers changes before it sends and announces them. */
const announcementTime = () => new Promise((resolve) => setTimeout(resolve, 500));

describe('a refused request', () => {
  it('publishes nothing to the stream of the owner', async () => {
    const device = await pairDevice(server, owner);
    const employee = await hire(server, owner);
    const revoked = await server.createToken(owner.merchant.id, ['PAYMENTS_WRITE']);
    await server.database.sql`
      update access_tokens
      set revoked_at = now()
      where merchant_id = ${owner.merchant.id} and permissions = '{PAYMENTS_WRITE}'`;
    const reader = await ChangeReader.open(server.baseUrl, owner.cookie);
    try {
      expect(await reader.next('all')).toBeDefined();
      await announcementTime();
      const before = reader.events.length;
      const ofMerchant = `/api/sandbox/merchants/${owner.merchant.id}`;
      const refused = [
        await server.call('POST', `${ofMerchant}/clock`, { body: {} }),
        await server.call('POST', `${ofMerchant}/snapshot`, { token: 'no-key' }),
        await server.call('POST', '/v2/payments', { token: revoked, body: {} }),
        await server.call('PUT', '/v1/me/webhooks', { token: revoked, body: [] }),
        await server.call('POST', '/api/register/sales', { token: device.token, body: {} }),
        await device.signIn(employee.id, '000000'),
      ];
      expect(refused.map(({ status }) => status)).toEqual(Array(refused.length).fill(401));
      const forbidden = await server.call('PUT', '/api/dashboard/password', {
        headers: { cookie: owner.cookie, origin: 'https://elsewhere.example' },
        body: {},
      });
      expect(forbidden.status).toBe(403);
      await announcementTime();
      expect(reader.events.slice(before)).toEqual([]);
      await server.operator('PUT', `${ofMerchant}/processor-rules`, {}); // an unknown path
      expect(reader.events.slice(before)).toEqual([]);
      const token = { body: { label: 'A', permissions: ['PAYMENTS_READ'] } };
      expect((await owner.call('POST', '/api/dashboard/tokens', token)).status).toBe(200);
      expect(await reader.next('access', before)).toBeDefined();
    } finally {
      reader.close();
    }
  });
});

describe('what a shopper sends, whose key is public', () => {
  it('publishes nothing to the stream of the owner if it cannot be read, and a declined card does', async () => {
    const { merchant, cookie } = await createOwner(server);
    const store = await openStore(server, merchant);
    const reader = await ChangeReader.open(server.baseUrl, cookie);
    try {
      expect(await reader.next('all')).toBeDefined();
      await announcementTime();
      const before = reader.events.length;
      const refused = [
        await tryToPlace(store, { items: [] }),
        await tryToPlace(store, { buyer_email: 7 }),
        await tryToPlace(store, { buyer_note: 'a\0b' }),
        await store.call('POST', '/api/checkout/orders/no-such-order/pay', { body: {} }),
        await store.call('POST', '/api/checkout/orders', { body: '{' }),
      ];
      expect(refused.map(({ status }) => status)).toEqual(Array(refused.length).fill(400));
      await announcementTime();
      expect(reader.events.slice(before)).toEqual([]);
      const declined = await tryToPay(store, await place(store), DECLINED);
      expect(declined.body.order.state).toBe('REJECTED');
      expect(await reader.next('orders', before)).toBeDefined();
    } finally {
      reader.close();
    }
  });
});

describe('characters that no id has', () => {
  const IDS = ['%00', 'a%00b', '%01', 'a%0Ab', '%7F', '%1B%5B31m'];

  it('reach neither the database nor the worker', async () => {
    await announcementTime();
    sent.length = 0;
    for (const id of IDS) {
      const path = `/api/sandbox/merchants/${id}/clock`;
      expect((await server.call('POST', path, { body: {} })).status).toBe(401);
      expect((await server.call('POST', path, { body: {}, token: OPERATOR_KEY })).status).toBe(404);
    }
    await announcementTime();
    expect(sent.filter((text) => /announce_changes|agenda|from merchants/.test(text))).toEqual([]);
  });

  it.each(IDS)('get the 404 of an unknown id at pages too: %s', async (id) => {
    for (const path of [`/receipts/${id}?merchant=x`, `/store/${id}`, `/pictures/${id}/x`, `/pictures/x/${id}`]) {
      expect([path, (await server.call('GET', path)).status]).toEqual([path, 404]);
    }
    expect((await server.call('GET', `/receipts/x?merchant=${id}`)).status).toBe(404);
  });

  it('are refused in what needs no credential, with a 4xx', async () => {
    const text = 'a\u0000b';
    const bodies: readonly (readonly [string, object])[] = [
      ['/oauth2/token', { client_id: text, code: text, grant_type: 'authorization_code', redirect_uri: text }],
      ['/api/dashboard/session', { email: text, password: text }],
      ['/api/register/pairing-codes/state', { device_token: text }],
      ['/api/register/pairing-codes/answer', { device_token: text, accept: true }],
      ['/api/sandbox/session', { operator_key: text }],
    ];
    for (const [path, body] of bodies) {
      const { status } = await server.call('POST', path, { body });
      expect([path, status]).toEqual([path, 400]);
    }
    const form = 'email=a%00b&password=a%00b&client_id=%00&form=%00&decision=%00';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const path of ['/oauth2/authorize', '/oauth2/authorize?client_id=%00&state=%00&scope=%00']) {
      const answers = [await server.call('GET', path), await server.call('POST', path, { body: form, headers })];
      for (const { status } of answers) expect([path, Math.floor(status / 100)]).toEqual([path, 4]);
    }
  });
});
