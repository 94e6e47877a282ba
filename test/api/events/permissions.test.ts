/** Who may see, change and test a webhook subscription, and when it ends (decision 0076). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { moveTokenToRevoked } from '../../../src/access/token-queries.js';
import { realNow } from '../../../src/base/clock.js';
import { hashSecret } from '../../../src/base/secrets.js';
import type { ApiResponse } from '../../support/http.js';
import {
  asClient,
  createApplication,
  createOwner,
  credentialsOf,
  grant,
  obtainToken,
  type TestApplication,
  type TestOwner,
  type WireTokens,
} from '../../support/oauth.js';
import { pay } from '../../support/payments.js';
import {
  ALL_EVENTS,
  makeDeliveriesDue,
  Receiver,
  subscribe,
  untilDeliveriesFinal,
  type WireSubscription,
} from '../../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const PATH = '/v2/webhooks/subscriptions';

let server: TestServer;
let receiver: Receiver;
let merchant: TestMerchant;
let owner: TestOwner;
let application: TestApplication;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  receiver = await Receiver.open();
  owner = await createOwner(server);
  merchant = owner.merchant;
  application = await createApplication(server);
});
afterEach(() => receiver.close());

const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.detail];
const MISSING = [403, 'INSUFFICIENT_SCOPES', 'Missing permission: PAYMENTS_READ'];
const seenBy = async (token: string): Promise<string[]> =>
  ((await server.call('GET', `${PATH}?include_disabled=true`, { token })).body.subscriptions ?? []).map(
    ({ id }: WireSubscription) => id,
  );
const show = (token: string, id: string) => server.call('GET', `${PATH}/${id}`, { token });

describe('a subscription to payments', () => {
  const operations: Readonly<Record<string, (token: string, id: string) => Promise<ApiResponse>>> = {
    retrieve: show,
    update: (token, id) => server.call('PUT', `${PATH}/${id}`, { token, body: { subscription: { name: 'Mine' } } }),
    'update to event types that the token may see': (token, id) =>
      server.call('PUT', `${PATH}/${id}`, {
        token,
        body: { subscription: { event_types: ['oauth.authorization.revoked'] } },
      }),
    rotate: (token, id) => server.call('POST', `${PATH}/${id}/signature-key`, { token, body: {} }),
    test: (token, id) => server.call('POST', `${PATH}/${id}/test`, { token, body: {} }),
    delete: (token, id) => server.call('DELETE', `${PATH}/${id}`, { token }),
  };

  it.each(Object.entries(operations))('refuses a token without PAYMENTS_READ: %s', async (_, operation) => {
    const { access_token: whole } = await grant(server, application, merchant.id, ['PAYMENTS_READ']);
    const { access_token: part } = await grant(server, application, merchant.id, ['TIMECARDS_READ']);
    const made = await subscribe(server, { token: whole }, receiver.url);
    const answer = await operation(part, made.id);
    expect(refusal(answer)).toEqual(MISSING);
    expect(answer.text).not.toContain(made.signature_key);
    expect((await show(whole, made.id)).body.subscription).toEqual(made);
    expect(receiver.received).toEqual([]);
  });

  it('is not in the list of such a token, whose pages are still full', async () => {
    const { access_token: whole } = await grant(server, application, merchant.id, ['PAYMENTS_READ']);
    const { access_token: part } = await grant(server, application, merchant.id, ['TIMECARDS_READ']);
    const others: string[] = [];
    const all: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      all.push((await subscribe(server, { token: whole }, receiver.url)).id);
      const change = { event_types: ['oauth.authorization.revoked'] };
      others.push((await subscribe(server, { token: part }, receiver.url, change)).id);
    }
    expect(await seenBy(part)).toEqual(others);
    expect((await seenBy(whole)).sort()).toEqual([...all, ...others].sort());
    const first = await server.call('GET', `${PATH}?limit=2`, { token: part });
    expect(first.body.subscriptions.map(({ id }: WireSubscription) => id)).toEqual(others.slice(0, 2));
    const next = await server.call('GET', `${PATH}?cursor=${first.body.cursor}`, { token: part });
    expect(next.body.subscriptions.map(({ id }: WireSubscription) => id)).toEqual(others.slice(2));
  });

  it('cannot be created by changing the event types of another one, nor be shown by its idempotency key', async () => {
    const { access_token: part } = await grant(server, application, merchant.id, ['TIMECARDS_READ']);
    const subscription = { name: 'A', event_types: ['oauth.authorization.revoked'], notification_url: receiver.url };
    const make = () => server.call('POST', PATH, { token: part, body: { idempotency_key: 'K', subscription } });
    const { id } = (await make()).body.subscription;
    const body = { subscription: { event_types: ['payment.created'] } };
    expect(refusal(await server.call('PUT', `${PATH}/${id}`, { token: part, body }))).toEqual(MISSING);
    const { access_token: whole } = await grant(server, application, merchant.id);
    expect((await server.call('PUT', `${PATH}/${id}`, { token: whole, body })).status).toBe(200);
    expect(refusal(await make())).toEqual(MISSING);
  });
});

describe('v1 webhook settings', () => {
  const settings = (method: string, token: string, body?: unknown) =>
    server.call(method, '/v1/me/webhooks', { token, body });

  it('show a token only the event types that it may see, and keep the others', async () => {
    const { access_token: payments } = await grant(server, application, merchant.id, ['PAYMENTS_READ']);
    const { access_token: timecards } = await grant(server, application, merchant.id, ['TIMECARDS_READ']);
    await settings('PUT', payments, ['PAYMENT_UPDATED']);
    expect((await settings('PUT', timecards, ['TIMECARD_UPDATED'])).body).toEqual(['TIMECARD_UPDATED']);
    expect((await settings('GET', payments)).body).toEqual(['PAYMENT_UPDATED']);
    expect((await settings('GET', timecards)).body).toEqual(['TIMECARD_UPDATED']);
    await settings('PUT', payments, []);
    expect((await settings('GET', payments)).body).toEqual([]);
    expect((await settings('GET', timecards)).body).toEqual(['TIMECARD_UPDATED']);
  });

  it('end with the last authorization: a new one starts empty', async () => {
    const { access_token: first } = await grant(server, application, merchant.id);
    await settings('PUT', first, ['PAYMENT_UPDATED']);
    await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
    const { access_token: second } = await grant(server, application, merchant.id);
    expect((await settings('GET', second)).body).toEqual([]);
  });
});

describe('a subscription', () => {
  const expire = (access_token: string) => server.operator('POST', '/api/sandbox/tokens/expire', { access_token });

  /** Checks that it is not visible and gets no events, also after the merchant authorizes the application again. */
  async function expectEnded(id: string): Promise<void> {
    const { access_token } = await grant(server, application, merchant.id);
    const personal = await server.createToken(merchant.id, ['PAYMENTS_READ', 'PAYMENTS_WRITE']);
    for (const token of [access_token, personal]) {
      expect((await show(token, id)).status).toBe(404);
      expect(await seenBy(token)).not.toContain(id);
    }
    const receivedBefore = receiver.received.length;
    await pay(server, { token: personal });
    const live = await Receiver.open();
    await subscribe(server, { token: personal }, live.url);
    await pay(server, { token: personal });
    await live.until(1);
    await live.close();
    expect(receiver.received).toHaveLength(receivedBefore);
  }

  it.each(['the owner', 'the application', 'the operator'])('ends when %s revokes its authorization', async (who) => {
    const { access_token } = await grant(server, application, merchant.id);
    const { id } = await subscribe(server, { token: access_token }, receiver.url, { event_types: ['payment.created'] });
    const body = { client_id: application.id, merchant_id: merchant.id };
    if (who === 'the owner') await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
    if (who === 'the application') await server.call('POST', '/oauth2/revoke', { ...asClient(application), body });
    if (who === 'the operator') {
      await server.operator('DELETE', `/api/sandbox/merchants/${merchant.id}/authorizations/${application.id}`);
    }
    await expectEnded(id);
  });

  it('stays when its token expires and is refreshed, and when a single access token is revoked', async () => {
    const { access_token, refresh_token }: WireTokens = await grant(server, application, merchant.id);
    const { id } = await subscribe(server, { token: access_token }, receiver.url);
    await expire(access_token);
    await pay(server, merchant);
    await receiver.until(1);
    expect(receiver.kinds()).toEqual(['payment.created']);
    const grantType = { grant_type: 'refresh_token', refresh_token };
    const refreshed = (await obtainToken(server, { ...credentialsOf(application), ...grantType })).body;
    expect((await show(refreshed.access_token, id)).status).toBe(200);
    const only = { access_token: refreshed.access_token, revoke_only_access_token: true };
    expect((await server.call('POST', '/oauth2/revoke', { ...asClient(application), body: only })).status).toBe(200);
    await pay(server, merchant);
    expect(await receiver.until(2)).toHaveLength(2);
  });

  it.each(['revoked', 'expired'])('ends when the personal token that created it is %s by the operator', async (how) => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const { id } = await subscribe(server, { token }, receiver.url);
    if (how === 'expired') await expire(token);
    else await server.database.statement((tx) => moveTokenToRevoked(tx, merchant.id, hashSecret(token), realNow()));
    await expectEnded(id);
  });

  it('stays when another personal token ends', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    const { id } = await subscribe(server, { token }, receiver.url);
    await expire(await server.createToken(merchant.id, ['PAYMENTS_READ']));
    await pay(server, merchant);
    await receiver.until(1);
    expect(receiver.kinds()).toEqual(['payment.created']);
    expect((await show(merchant.token, id)).status).toBe(200);
  });

  it('that has ended frees its key and its place in the maximum number', async () => {
    const subscription = { name: 'A', event_types: ALL_EVENTS, notification_url: receiver.url };
    const ids = new Set<string>();
    for (let turn = 0; turn < 2; turn++) {
      const { access_token: token } = await grant(server, application, merchant.id);
      const make = () => server.call('POST', PATH, { token, body: { idempotency_key: 'K', subscription } });
      const { id } = (await make()).body.subscription;
      expect((await make()).body.subscription.id).toBe(id);
      expect(await seenBy(token)).toEqual([id]);
      ids.add(id);
      await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
    }
    expect(ids.size).toBe(2);
  });

  it('does not receive events recorded before it lost the permission, neither by delivery nor by replay', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    receiver.answering = (response) => response.writeHead(500).end();
    await subscribe(server, { token }, receiver.url);
    await pay(server, merchant);
    await receiver.until(1);
    await expire(token);
    await makeDeliveriesDue(server);
    const [delivery] = await untilDeliveriesFinal(server, merchant.id);
    expect(delivery).toMatchObject({ state: 'GIVEN_UP', attempt_count: 1 });
    const path = `/api/dashboard/webhook-deliveries/${delivery.id}/replay`;
    expect((await owner.call('POST', path)).status).toBe(400);
    expect(receiver.received).toHaveLength(1);
  });

  it('of an application for all merchants gets no more events of a merchant that reduces its permissions', async () => {
    const path = `/api/sandbox/applications/${application.id}/webhook-subscriptions`;
    const subscription = { name: 'All', event_types: ALL_EVENTS, notification_url: receiver.url };
    await server.operator('POST', path, { subscription });
    await grant(server, application, merchant.id, ['PAYMENTS_READ']);
    receiver.answering = (response) => response.writeHead(500).end();
    await pay(server, merchant);
    await receiver.until(1);
    // The only authorization with PAYMENTS_READ ends; another one stays.
    await server.database.sql`update authorizations set revoked_at = now() where merchant_id = ${merchant.id}`;
    await grant(server, application, merchant.id, ['ITEMS_READ']);
    await makeDeliveriesDue(server);
    const [delivery] = await untilDeliveriesFinal(server, merchant.id);
    expect(delivery).toMatchObject({ state: 'GIVEN_UP', attempt_count: 1 });
    expect(receiver.received).toHaveLength(1);
  });
});
