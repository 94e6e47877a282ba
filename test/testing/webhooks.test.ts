/** Webhooks that the test kit receives in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebhooksHelper } from 'square';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CaughtWebhook, TestMerchant, Tillhouse } from '../../src/testing/index.js';
import { callApi } from '../support/http.js';
import { loadKit } from '../support/kit.js';
import { PATIENT } from '../support/patient.js';
import { paymentBody, type WirePayment } from '../support/payments.js';
import { cloneDatabase, type TestDatabase } from '../support/server.js';

const { connectTillhouse, startTillhouse } = await loadKit();

let database: TestDatabase;
let dataDir: string;
let tillhouse: Tillhouse;
let merchant: TestMerchant;

beforeAll(async () => {
  database = await cloneDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-kit-'));
  tillhouse = await startTillhouse({ dataDir, databaseUrl: database.url });
});
beforeEach(async () => {
  merchant = await tillhouse.createMerchant();
});
afterAll(async () => {
  await tillhouse.stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const post = async (path: string, body: unknown) => {
  const answer = await callApi(tillhouse.url, 'POST', path, { token: merchant.accessToken, body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};
const pay = async (change = {}): Promise<WirePayment> => (await post('/v2/payments', paymentBody(change))).payment;

const isSigned = ({ body, headers, signatureKey, url }: CaughtWebhook) =>
  WebhooksHelper.verifySignature({
    requestBody: body,
    signatureHeader: headers['x-square-hmacsha256-signature'] ?? '',
    signatureKey,
    notificationUrl: url,
  });

describe('catchWebhooks', () => {
  it('receives the events of the merchant, with signatures that the published client accepts', async () => {
    const inbox = await merchant.catchWebhooks();
    const { id } = await pay({ autocomplete: false });
    await post(`/v2/payments/${id}/complete`, {});
    const updated = await inbox.next('payment.updated', PATIENT);
    expect(updated.event.data.object['payment']).toMatchObject({ id, status: 'COMPLETED' });
    expect(updated.event.merchant_id).toBe(merchant.id);
    const created = await inbox.next(undefined, PATIENT); // events that did not match are still there
    expect([created.type, JSON.parse(created.body)]).toEqual(['payment.created', created.event]);
    expect(inbox.events.map(({ type }) => type)).toEqual(['payment.created', 'payment.updated']);
    expect([created.url, created.signatureKey]).toEqual([inbox.url, inbox.signatureKey]);
    expect(await isSigned(created)).toBe(true);
    expect(await isSigned({ ...created, signatureKey: 'another' })).toBe(false);
    await inbox.close();
  });

  it('receives only the requested events, and none of other merchants', async () => {
    const inbox = await merchant.catchWebhooks({ types: ['payment.updated'] });
    const everything = await merchant.catchWebhooks();
    await (await tillhouse.createMerchant()).catchWebhooks();
    await pay();
    await everything.next('payment.created', PATIENT);
    const failure = inbox.next('payment.updated', { timeoutMs: 1 });
    await expect(failure).rejects.toThrow('No payment.updated within 1 ms. Received instead: nothing.');
    await expect(inbox.next('refund.create' as 'refund.created')).rejects.toThrow(
      "This inbox does not receive 'refund.create', only payment.updated.",
    );
  });

  it('gives up before test runners do, and says what came instead', async () => {
    const inbox = await merchant.catchWebhooks();
    await pay();
    await inbox.next('payment.created', PATIENT);
    await pay();
    const started = performance.now();
    await expect(inbox.next('payment.updated')).rejects.toThrow(
      'No payment.updated within 3000 ms. Received instead: payment.created. Returned before: payment.created.',
    );
    expect(performance.now() - started).toBeLessThan(5000); // the time limit of test runners
  });

  it('receives v1 events too, next to those of v2', async () => {
    const inbox = await merchant.catchWebhooks({ types: ['PAYMENT_UPDATED', 'TIMECARD_UPDATED', 'payment.created'] });
    const { id } = await pay();
    const received = await inbox.next('PAYMENT_UPDATED', PATIENT);
    expect(received.event).toEqual({
      merchant_id: merchant.id,
      location_id: merchant.locationId,
      event_type: 'PAYMENT_UPDATED',
      entity_id: id,
    });
    expect(await isSigned(received)).toBe(true);
    expect((await inbox.next('payment.created', PATIENT)).event.data.id).toBe(id);
    const { headers } = await merchant.openRegister();
    const clockIn = { headers, body: { id: 'till-1' } };
    const { body, status } = await callApi(tillhouse.url, 'POST', '/api/register/timecards/clock-in', clockIn);
    expect(status).toBe(200);
    expect((await inbox.next('TIMECARD_UPDATED', PATIENT)).event.entity_id).toBe(body.timecard.id);
  });

  it('receives the revocation of its authorization', async () => {
    const inbox = await merchant.catchWebhooks();
    await tillhouse.sandbox('DELETE', `merchants/${merchant.id}/authorizations/${inbox.applicationId}`);
    const { event } = await inbox.next('oauth.authorization.revoked', PATIENT);
    expect(event.data.object['revocation']).toMatchObject({ revoker_type: 'MERCHANT' });
    await pay();
    expect(inbox.events).toHaveLength(1);
  });

  it('responds as the test specifies, and the message is retried', async () => {
    const inbox = await merchant.catchWebhooks({ types: ['payment.created'] });
    inbox.answer(500, { times: 2, body: 'Not now.' });
    await pay();
    const retries = [await inbox.next(undefined, PATIENT)];
    for (const _ of ['second', 'third']) {
      await inbox.hurry(PATIENT);
      retries.push(await inbox.next(undefined, PATIENT));
    }
    expect(retries.map(({ headers }) => headers['square-retry-number'])).toEqual([undefined, '1', '2']);
    expect(new Set(retries.map(({ body }) => body)).size).toBe(1);
    await expect(inbox.hurry({ timeoutMs: 200 })).rejects.toThrow('No pending webhook within 200 ms.');
  });

  it('receives duplicated messages, and late ones after newer ones', async () => {
    const inbox = await merchant.catchWebhooks({ types: ['payment.created', 'payment.updated'] });
    const twice = await merchant.faults.add({ effect: 'WEBHOOK_TWICE', eventType: 'payment.updated' });
    expect(twice).toMatchObject({ effect: 'WEBHOOK_TWICE', eventType: 'payment.updated', remaining: 1 });
    const late = await merchant.faults.add({
      effect: 'WEBHOOK_LATE',
      eventType: 'payment.created',
      delayMs: { min: 60_000, max: 90_000 },
    });
    expect(late).toMatchObject({ delayMs: { min: 60_000, max: 90_000 } });
    const { id } = await pay({ autocomplete: false });
    await post(`/v2/payments/${id}/complete`, {});
    const [first, second] = [await inbox.next(undefined, PATIENT), await inbox.next(undefined, PATIENT)];
    await inbox.hurry(PATIENT);
    const third = await inbox.next(undefined, PATIENT);
    expect([first, second, third].map(({ type, headers }) => [type, headers['tillhouse-fault']])).toEqual([
      ['payment.updated', `${twice.id} WEBHOOK_TWICE`],
      ['payment.updated', `${twice.id} WEBHOOK_TWICE`],
      ['payment.created', `${late.id} WEBHOOK_LATE`],
    ]);
    expect(second.body).toBe(first.body);
  });

  it('ends when it is closed, or when the kit stops', async () => {
    const { url, operatorKey } = tillhouse;
    const connected = connectTillhouse({ url, operatorKey });
    merchant = await connected.createMerchant();
    const [closed, left] = [await merchant.catchWebhooks(), await merchant.catchWebhooks()];
    await closed.close();
    await pay();
    await left.next('payment.created', PATIENT);
    await connected.stop();
    await pay();
    for (const inbox of [closed, left]) await expect(fetch(inbox.url)).rejects.toThrow();
    const path = `merchants/${merchant.id}/webhook-deliveries`;
    const { deliveries } = await tillhouse.sandbox<{ deliveries: unknown[] }>('GET', path);
    expect(deliveries).toHaveLength(1);
    expect([closed.events.length, left.events.length]).toEqual([0, 1]);
  });
});
