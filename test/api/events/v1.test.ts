/** Webhooks of v1: settings, bodies and signatures (contract 24.1). */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Business, money, openBusiness, register } from '../../contract/business.js';
import { pollUntil } from '../../support/clock.js';
import { createApplication, grant, type TestApplication } from '../../support/oauth.js';
import { advance, expectBooksInOrder, pay, refund, usd } from '../../support/payments.js';
import { Receiver } from '../../support/receiver.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let business: Business;
let application: TestApplication;
let token: string;
let receiver: Receiver;
let signatureKey: string;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});
beforeEach(async () => {
  receiver = await Receiver.open();
  application = await createApplication(server);
  token = (await grant(server, application, business.merchant.id)).access_token;
  const path = `/api/sandbox/applications/${application.id}/v1-webhook`;
  const { body } = await server.operator('PUT', path, { notification_url: receiver.url });
  expect(body).toEqual({ notification_url: receiver.url, signature_key: expect.stringMatching(/^[\w-]{22}$/) });
  signatureKey = body.signature_key;
});
afterEach(async () => {
  await server.database.sql`delete from v1_webhooks`;
  await receiver.close();
});

const set = (place: string, kinds: unknown, by = token) =>
  server.call('PUT', `/v1/${place}/webhooks`, { token: by, body: kinds });
const read = async (place: string) => (await server.call('GET', `/v1/${place}/webhooks`, { token })).body;

describe('v1.listWebhooks and v1.updateWebhooks', () => {
  it('set and return the whole list of a location, separately for each location and application', async () => {
    const [here = '', there = ''] = business.merchant.locationIds;
    expect(await read(here)).toEqual([]);
    const answer = await set(here, ['PAYMENT_UPDATED', 'TIMECARD_UPDATED', 'PAYMENT_UPDATED']);
    expect([answer.status, answer.body]).toEqual([200, ['PAYMENT_UPDATED', 'TIMECARD_UPDATED']]);
    expect([await read(here), await read(there), await read('me')]).toEqual([
      ['PAYMENT_UPDATED', 'TIMECARD_UPDATED'],
      [],
      [],
    ]);
    expect((await server.call('GET', `/v1/${here}/webhooks`, business.merchant)).body).toEqual([]);
    expect((await set(here, [])).body).toEqual([]);
    expect(await read(here)).toEqual([]);
  });

  it('refuse event types without permission, unknown ones, and bodies that are not a list', async () => {
    const few = (await grant(server, application, business.merchant.id, ['PAYMENTS_READ'])).access_token;
    const refused = await set('me', ['TIMECARD_UPDATED'], few);
    expect([refused.status, refused.body]).toEqual([
      403,
      { type: 'forbidden', message: 'Missing permission: TIMECARDS_READ' },
    ]);
    for (const body of [['SOMETHING'], [5], {}, 'PAYMENT_UPDATED', [['PAYMENT_UPDATED']]]) {
      expect([body, (await set('me', body)).status]).toEqual([body, 400]);
    }
    expect((await set('LNOBODY', ['PAYMENT_UPDATED'])).status).toBe(404);
    expect(await read('me')).toEqual([]);
  });
});

describe('a v1 message', () => {
  it('has four members about a change of a payment, and is signed', async () => {
    const [here = '', there = ''] = business.merchant.locationIds;
    await set(here, ['PAYMENT_UPDATED']);
    await pay(server, business.merchant, { location_id: there });
    const payment = await pay(server, business.merchant, { location_id: here });
    const [received] = await receiver.until(1);
    expect(received?.body).toEqual({
      merchant_id: business.merchant.id,
      location_id: here,
      event_type: 'PAYMENT_UPDATED',
      entity_id: payment.id,
    });
    const signature = createHmac('sha1', signatureKey).update(`${receiver.url}${received?.text}`).digest('base64');
    expect(received?.headers['x-square-signature']).toBe(signature);
    await sleep(400);
    expect(receiver.received).toHaveLength(1); // none for the other location
  });

  it('is sent once if both the location and all locations are subscribed, and again for a refund', async () => {
    const [here = ''] = business.merchant.locationIds;
    await set(here, ['PAYMENT_UPDATED']);
    await set('me', ['PAYMENT_UPDATED']);
    const payment = await pay(server, business.merchant, { location_id: here });
    await receiver.until(1);
    await refund(server, business.merchant, payment, { amount_money: usd(100) });
    await receiver.until(2);
    await advance(server, business.merchant, 'PT10S');
    // The same clock may complete other refunds of the business.
    const ofThisPayment = () => receiver.received.filter(({ body }) => body.entity_id === payment.id);
    await pollUntil(
      async () => ofThisPayment().length,
      (count) => count >= 3,
      10_000,
    );
    await sleep(400);
    expect(ofThisPayment()).toHaveLength(3);
  });

  it('is sent for each charge of a register sale, for a sale of zero, and for a clock-in at the register', async () => {
    await set('me', ['PAYMENT_UPDATED', 'TIMECARD_UPDATED']);
    const tenders = [
      { id: 'one', type: 'CASH', amount_money: money(400) },
      { id: 'two', type: 'CARD', source_id: 'cnon:card-nonce-ok' },
    ];
    const itemizations = [{ name: 'Loaf', single_quantity_money: money(1000) }];
    const { body } = await register(server, business, 'sales', { itemizations, tenders });
    const free = await register(server, business, 'sales', {
      itemizations: [{ name: 'Crumb', single_quantity_money: money(0) }],
    });
    const clockIn = await register(server, business, 'timecards/clock-in');
    await receiver.until(4);
    await sleep(400);
    const messages = receiver.received.map(({ body: { event_type, entity_id } }) => [event_type, entity_id]);
    expect(messages.toSorted()).toEqual([
      ['PAYMENT_UPDATED', body.sale.id], // a split sale has an id of its own
      ['PAYMENT_UPDATED', body.sale.id],
      ['PAYMENT_UPDATED', free.body.sale.id],
      ['TIMECARD_UPDATED', clockIn.body.timecard.id],
    ]);
  });

  it('goes to the new URL after a change, signed with the same key', async () => {
    await set('me', ['PAYMENT_UPDATED']);
    const moved = await Receiver.open();
    const path = `/api/sandbox/applications/${application.id}/v1-webhook`;
    const { body } = await server.operator('PUT', path, { notification_url: moved.url });
    expect(body.signature_key).toBe(signatureKey);
    await pay(server, business.merchant);
    await moved.until(1);
    expect([moved.received.length, receiver.received.length]).toEqual([1, 0]);
    await moved.close();
  });
});
