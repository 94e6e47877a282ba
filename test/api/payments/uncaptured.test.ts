/** The owner's list of card payments that took no money. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { DECLINED } from '../../support/orders.js';
import { pay, tryToPay, usd } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { clock: { now: '2020-02-26T20:00:00Z', frozen: true } });
});
afterAll(() => server.stop());

const list = async (query = '') => {
  const { status, body, text } = await owner.call('GET', `/api/dashboard/uncaptured-payments${query}`);
  expect(status, text).toBe(200);
  return body;
};

it('lists authorized, voided and declined payments, filtered and in pages, but none that took money', async () => {
  expect(await list()).toEqual({ payments: [] });
  const { merchant } = owner;
  const authorized = await pay(server, merchant, { autocomplete: false, reference_id: 'table 7', tip_money: usd(50) });
  const voided = await pay(server, merchant, { autocomplete: false });
  await server.call('POST', `/v2/payments/${voided.id}/cancel`, { token: merchant.token, body: {} });
  const captured = await pay(server, merchant, { autocomplete: false });
  await server.call('POST', `/v2/payments/${captured.id}/complete`, { token: merchant.token, body: {} });
  await pay(server, merchant);
  expect((await tryToPay(server, merchant, { source_id: DECLINED })).status).toBe(400);

  const byStatus = async (status: string) => (await list(`?status=${status}`)).payments;
  expect(await byStatus('APPROVED')).toEqual([
    {
      id: authorized.id,
      location_id: merchant.locationIds[0],
      status: 'APPROVED',
      created_at: '2020-02-26T20:00:00.000Z',
      expires_at: expect.stringMatching(/^2020-03-0/),
      expiry_action: 'CANCEL',
      amount_money: authorized.total_money,
      card_brand: 'VISA',
      last_4: '5858',
      reference_id: 'table 7',
    },
  ]);
  expect(await byStatus('CANCELED')).toMatchObject([{ id: voided.id }]);
  expect(await byStatus('FAILED')).toMatchObject([{ status: 'FAILED', error_code: 'GENERIC_DECLINE' }]);
  const first = await list('?limit=2');
  expect([first.payments.length, (await list(`?cursor=${first.cursor}`)).payments.length]).toEqual([2, 1]);
  expect((await owner.call('GET', '/api/dashboard/uncaptured-payments?status=COMPLETED')).status).toBe(400);
});

it('shows nothing of other merchants', async () => {
  const other = await createOwner(server);
  expect((await other.call('GET', '/api/dashboard/uncaptured-payments')).body.payments).toEqual([]);
});
