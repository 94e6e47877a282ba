/** The owner shows and erases the personal data of a buyer (decision 0193). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { expect200, openStore, type PlacedOrder, placePaid, type TestStore, update } from '../../support/orders.js';
import { expectBooksInOrder, pay } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';

// The name is long enough that no random id contains it by chance.
const EMAIL = 'Quimby.Buyer@example.com';

let server: TestServer;
let owner: TestOwner;
let store: TestStore;
let order: PlacedOrder;

const buyers = (action: 'export' | 'erase', email: string, by: TestOwner = owner) =>
  by.call('POST', `/api/dashboard/buyers/${action}`, { body: { email } });

/** What the log of the sandbox has kept, as text. */
async function keptRequests(merchantId: string): Promise<string> {
  const { requests } = (await server.operator('GET', `/api/sandbox/requests?merchant_id=${merchantId}&limit=200`)).body;
  const all = await Promise.all(
    requests.map(async ({ id }: { id: string }) => (await server.operator('GET', `/api/sandbox/requests/${id}`)).text),
  );
  return all.join('\n');
}

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
  store = await openStore(server, owner.merchant);
  await pay(server, owner.merchant, { buyer_email_address: EMAIL, note: 'ring twice' });
  order = await placePaid(store, { buyer_email: EMAIL.toLowerCase(), recipient: { name: 'Quimby Recipient' } });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

it('shows what is stored about a buyer of this merchant, and not how somebody else is called', async () => {
  const { status, body } = await buyers('export', ` ${EMAIL.toUpperCase()} `);
  expect(status).toBe(200);
  expect(body.orders).toMatchObject([{ id: order.id, recipient_name: 'Quimby Recipient', fulfillment: 'SHIPMENT' }]);
  expect(body.payments).toHaveLength(2);
  expect(body.payments).toContainEqual(expect.objectContaining({ buyer_email_address: EMAIL, note: 'ring twice' }));
  const nothing = { orders: [], payments: [], refunds: [] };
  expect((await buyers('export', 'nobody@example.com')).body).toEqual(nothing);
  const other = await createOwner(server);
  expect((await buyers('export', EMAIL, other)).body).toEqual(nothing);
  expect((await buyers('erase', EMAIL, other)).body).toEqual({ orders: 0, payments: 0, snapshot: false });
});

it.each(['', `${'k'.repeat(250)}@example.com`])('refuses %j, as too short or too long', async (email) => {
  expect((await buyers('export', email)).status).toBe(400);
  expect((await buyers('erase', email)).status).toBe(400);
});

it('erases once the orders are finished, also what the log of the sandbox has kept, and is in the audit log', async () => {
  const early = await buyers('erase', EMAIL);
  expect([early.status, early.body.errors?.[0]?.detail ?? early.text]).toEqual([
    400,
    expect.stringContaining(order.id),
  ]);
  expect200(await update(server, store, order, 'COMPLETE', { completed_note: 'Sent to Quimby Recipient' }));
  expect(await keptRequests(owner.merchant.id)).toContain('Quimby Recipient');
  expect((await buyers('erase', EMAIL)).body).toEqual({ orders: 1, payments: 2, snapshot: false });
  expect(await keptRequests(owner.merchant.id)).not.toMatch(/quimby/i);
  const again = await buyers('export', EMAIL);
  expect(again.body).toEqual({ orders: [], payments: [], refunds: [] });
  const { audit_events: events } = (await owner.call('GET', '/api/dashboard/audit-events')).body;
  const ofBuyers = events.filter(({ kind }: { kind: string }) => kind.startsWith('BUYER_'));
  expect(ofBuyers.map(({ kind }: { kind: string }) => kind)).toEqual([
    ...['BUYER_EXPORTED', 'BUYER_ERASED', 'BUYER_EXPORTED', 'BUYER_EXPORTED'],
  ]);
  expect(ofBuyers[1]).toMatchObject({ details: { orders: '1', payments: '2' } });
  expect(JSON.stringify(ofBuyers)).not.toMatch(/quimby/i);
});
