/** Only the maker of a webhook subscription and the owner see its key and address, and may change, test and delete it (decision 0215). */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createApplication,
  createOwner,
  credentialsOf,
  grant,
  obtainToken,
  type TestOwner,
} from '../../support/oauth.js';
import { Receiver, subscribe } from '../../support/receiver.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const PATH = '/v2/webhooks/subscriptions';
const OWNED = '/api/dashboard/webhook-subscriptions';
const ELSEWHERE = 'http://127.0.0.1:9/elsewhere';

let server: TestServer;
let receiver: Receiver;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  receiver = await Receiver.open();
  owner = await createOwner(server);
});
afterEach(() => receiver.close());

const personalToken = () => server.createToken(owner.merchant.id, ['PAYMENTS_READ']);
const show = async (token: string, id: string) => (await server.call('GET', `${PATH}/${id}`, { token })).body;
const list = async (token: string) => (await server.call('GET', PATH, { token })).body.subscriptions;

const writes = (id: string): [string, string, unknown][] => [
  ['PUT', `/${id}`, { subscription: { notification_url: ELSEWHERE } }],
  ['PUT', `/${id}`, { subscription: { enabled: false } }],
  ['PUT', `/${id}`, { subscription: {} }],
  ['POST', `/${id}/signature-key`, { idempotency_key: randomUUID() }],
  ['POST', `/${id}/test`, {}],
  ['DELETE', `/${id}`, undefined],
];

describe('another personal token of the business', () => {
  it('sees a subscription without its key and its address', async () => {
    const [maker, other] = [await personalToken(), await personalToken()];
    const made = await subscribe(server, { token: maker }, receiver.url);
    const { notification_url, signature_key, ...shared } = made;
    expect(await show(maker, made.id)).toEqual({ subscription: made });
    expect(await show(other, made.id)).toEqual({ subscription: shared });
    expect(await list(maker)).toEqual([made]);
    expect(await list(other)).toEqual([shared]);
    expect([notification_url, signature_key]).toEqual([receiver.url, expect.any(String)]);
  });

  it('is refused each write with 403, and nothing changes', async () => {
    const [maker, other] = [await personalToken(), await personalToken()];
    const made = await subscribe(server, { token: maker }, receiver.url);
    for (const [method, path, body] of writes(made.id)) {
      const { status, body: refused, text } = await server.call(method, PATH + path, { token: other, body });
      expect([method, path, status, refused.errors?.[0]?.code]).toEqual([method, path, 403, 'FORBIDDEN']);
      expect(refused.errors[0].detail).toContain('was made with another access token');
      expect(text).not.toContain(made.signature_key);
    }
    expect(await show(maker, made.id)).toEqual({ subscription: made });
    expect(receiver.received).toEqual([]);
  });

  it('gets a subscription of its own if it sends the same idempotency key', async () => {
    const subscription = { name: 'A', event_types: ['payment.created'], notification_url: receiver.url };
    const make = async () => {
      const body = { idempotency_key: 'K', subscription };
      return (await server.call('POST', PATH, { token: await personalToken(), body })).body.subscription;
    };
    const [first, second] = [await make(), await make()];
    expect(second.id).not.toBe(first.id);
    expect(second.signature_key).not.toBe(first.signature_key);
  });
});

it('a personal token cannot use up the subscriptions of others', async () => {
  const [maker, other] = [await personalToken(), await personalToken()];
  const make = (token: string) => subscribe(server, { token }, receiver.url, { event_types: ['payment.created'] });
  for (let count = 0; count < 100; count++) await make(other);
  await expect(make(other)).rejects.toThrow('The limit of 100 subscriptions is reached');
  expect((await make(maker)).signature_key).toEqual(expect.any(String));
});

it('every token of an application manages what another one of its tokens made', async () => {
  const application = await createApplication(server);
  const first = await grant(server, application, owner.merchant.id, ['PAYMENTS_READ']);
  const made = await subscribe(server, { token: first.access_token }, receiver.url);
  const request = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
  const refreshed = (await obtainToken(server, { ...credentialsOf(application), ...request })).body;
  const again = await grant(server, application, owner.merchant.id, ['PAYMENTS_READ']);
  for (const { access_token: token } of [refreshed, again]) {
    expect((await show(token, made.id)).subscription.notification_url).toBe(receiver.url);
    const body = { subscription: { name: 'Renamed', notification_url: receiver.url } };
    expect((await server.call('PUT', `${PATH}/${made.id}`, { token, body })).status).toBe(200);
    const rotated = await server.call('POST', `${PATH}/${made.id}/signature-key`, { token, body: {} });
    expect((await show(token, made.id)).subscription).toMatchObject({ name: 'Renamed', ...rotated.body });
    expect((await server.call('POST', `${PATH}/${made.id}/test`, { token, body: {} })).body.status_code).toBe(200);
  }
  expect((await server.call('DELETE', `${PATH}/${made.id}`, { token: again.access_token })).status).toBe(200);
});

describe('the owner', () => {
  it('lists what tokens made, with its maker, and not what belongs to own applications or other businesses', async () => {
    const application = await createApplication(server);
    const { access_token } = await grant(server, application, owner.merchant.id, ['PAYMENTS_READ']);
    const label = `report ${randomUUID()}`;
    const { body } = await owner.call('POST', '/api/dashboard/tokens', {
      body: { label, permissions: ['PAYMENTS_READ'] },
    });
    const ours = await subscribe(server, { token: body.access_token }, receiver.url);
    const theirs = await subscribe(server, { token: access_token }, receiver.url);
    const stranger = await createOwner(server);
    await subscribe(server, stranger.merchant, receiver.url);
    const listed = await owner.call('GET', OWNED);
    expect(listed.body).toEqual({
      subscriptions: [
        { ...theirs, made_by: 'APPLICATION', maker: application.name },
        { ...ours, made_by: 'PERSONAL_TOKEN', maker: label },
      ],
    });
  });

  it('changes, tests and deletes it, and replaces its key', async () => {
    const token = await personalToken();
    const made = await subscribe(server, { token }, ELSEWHERE);
    const change = { name: 'Ours now', notification_url: receiver.url };
    const { body: changed } = await owner.call('PUT', `${OWNED}/${made.id}`, { body: { subscription: change } });
    expect(changed.subscription).toMatchObject({ ...change, signature_key: made.signature_key });
    const { body: rotated } = await owner.call('POST', `${OWNED}/${made.id}/signature-key`);
    expect(rotated.signature_key).not.toBe(made.signature_key);
    expect((await show(token, made.id)).subscription).toMatchObject({ ...change, ...rotated });
    const { body: tested } = await owner.call('POST', `${OWNED}/${made.id}/test`, { body: {} });
    expect(tested).toMatchObject({ status_code: 200, notification_url: receiver.url });
    expect(receiver.kinds()).toEqual(['payment.created']);
    expect((await owner.call('DELETE', `${OWNED}/${made.id}`)).status).toBe(200);
    expect((await owner.call('GET', OWNED)).body).toEqual({ subscriptions: [] });
    expect((await server.call('GET', `${PATH}/${made.id}`, { token })).status).toBe(404);
  });

  it('does not find those of another business', async () => {
    const stranger = await createOwner(server);
    const made = await subscribe(server, stranger.merchant, receiver.url);
    for (const [method, path, body] of writes(made.id)) {
      const { status, text } = await owner.call(method, OWNED + path, { body });
      expect([method, path, status]).toEqual([method, path, 404]);
      expect(text).not.toContain(made.signature_key);
    }
    expect(await show(stranger.merchant.token, made.id)).toEqual({ subscription: made });
  });
});
