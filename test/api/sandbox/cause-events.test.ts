/** The operation that causes events, as `tillhouse trigger` and the console call it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CAUSED_KINDS } from '../../../src/events/model.js';
import { Receiver, subscribe } from '../../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
let receiver: Receiver;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  merchant = await server.createMerchant({ clock: { frozen: true } });
  receiver = await Receiver.open();
});
afterEach(() => receiver.close());

const cause = (events: readonly unknown[], more: object = {}) =>
  server.operator('POST', `/api/sandbox/merchants/${merchant.id}/events`, { events, ...more });

describe('causeEvents', () => {
  it('causes the events in order, and says what was made and how many subscriptions are told', async () => {
    await subscribe(server, merchant, receiver.url);
    const set = { 'payment.amount_money.amount': 700, 'data.object.payment.note': 'two words' };
    const { status, body } = await cause([{ kind: 'payment.created', set }, { kind: 'refund.updated' }]);
    expect(status).toBe(200);
    const [paid, refunded] = body.events;
    expect(paid).toMatchObject({ event_type: 'payment.created', made: { payment_id: expect.any(String) } });
    expect(paid.subscriptions).toBe(1);
    expect(refunded.made).toEqual({ payment_id: expect.any(String), refund_id: expect.any(String) });
    await expect
      .poll(() => receiver.received.map(({ body: event }) => event['event_id']))
      .toEqual(expect.arrayContaining([...paid.event_ids, ...refunded.event_ids]));
    const { payment } = (await server.call('GET', `/v2/payments/${paid.made.payment_id}`, { token: merchant.token }))
      .body;
    expect(payment).toMatchObject({ amount_money: { amount: 700 }, note: 'two words' });
  });

  it.each(CAUSED_KINDS)('makes %s happen without a subscriber, too', async (kind) => {
    const { status, body } = await cause([{ kind }]);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.events).toEqual([{ event_type: kind, made: expect.any(Object), event_ids: [], subscriptions: 0 }]);
    for (const id of Object.values(body.events[0].made)) expect(id).toEqual(expect.any(String));
  });

  it('is no request of a program, and uses up no fault', async () => {
    await server.operator('POST', '/api/sandbox/faults', { effect: 'STATUS', status: 500, merchant_id: merchant.id });
    const { body } = await cause([{ kind: 'payment.created' }]);
    expect(body.events).toHaveLength(1);
    const { requests } = (await server.operator('GET', `/api/sandbox/requests?merchant_id=${merchant.id}`)).body;
    expect(requests.map(({ sent_by }: { sent_by?: string }) => sent_by)).toEqual(['trigger']);
  });

  it('refuses what no request can set before it causes anything', async () => {
    for (const [set, said] of [
      [{ 'payment.amont': 1 }, 'a request for a payment has no amont.'],
      [{ 'payment.status': 'FAILED' }, 'a request for a payment has no status.'],
      [{ 'refund.reason': 'x' }, 'payment.created has no refund that could be set.'],
      [{ note: 'x' }, 'a value of an event begins with payment or refund'],
    ] as const) {
      const { status, body } = await cause([{ kind: 'payment.created' }, { kind: 'payment.created', set }]);
      expect([status, body.errors[0].field, body.errors[0].detail]).toEqual([
        400,
        'set',
        expect.stringContaining(said),
      ]);
    }
    const { payments } = (await server.call('GET', '/v2/payments', { token: merchant.token })).body;
    expect(payments).toBeUndefined();
  });

  it('says why a request was refused that should have caused an event', async () => {
    const { status, body } = await cause([
      { kind: 'payment.created', set: { 'payment.source_id': 'cnon:card-nonce-declined' } },
    ]);
    expect([status, body.errors[0].detail]).toEqual([
      400,
      expect.stringContaining('POST /v2/payments was refused with 400: Authorization error'),
    ]);
  });

  it('needs a merchant, an application that exists, and a kind that happens here', async () => {
    const unknown = await server.operator('POST', '/api/sandbox/merchants/MNOBODY/events', {
      events: [{ kind: 'payment.created' }],
    });
    expect(unknown.status).toBe(404);
    const missing = await cause([{ kind: 'oauth.authorization.revoked' }], { application_id: 'nobody' });
    expect([missing.status, missing.body.errors[0].field]).toEqual([400, 'application_id']);
    const never = await cause([{ kind: 'INVENTORY_UPDATED' }]);
    expect([never.status, never.body.errors[0].code]).toEqual([400, 'INVALID_ENUM_VALUE']);
  });
});
