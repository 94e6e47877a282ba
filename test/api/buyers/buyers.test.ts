/** `tillhouse buyer`: what is stored about a buyer is exported and erased, and the books stay whole (decision 0176). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PLACEMENTS } from '../../../src/database/placement.js';
import { listAuditEvents } from '../../support/audit.js';
import { pollUntil } from '../../support/clock.js';
import { runHere } from '../../support/commands.js';
import { createOwner, type TestOwner } from '../../support/oauth.js';
import {
  expect200,
  openStore,
  type PlacedOrder,
  placePaid,
  retrieve,
  type TestStore,
  update,
} from '../../support/orders.js';
import { expectBooksInOrder, getPayment, pay } from '../../support/payments.js';
import { expectOneLine } from '../../support/process.js';
import { Receiver, subscribe, untilDeliveriesFinal } from '../../support/receiver.js';
import { isCluster, startTestServer, type TestServer } from '../../support/server.js';

const EMAIL = 'Kim.Buyer@example.com';
/** Each of them is stored in another place, and all places must be found. */
const PERSONAL = [
  'kim.buyer@',
  'Kim Recipient',
  '+14155559876',
  '77 Buyer Street',
  'ring twice',
  'KIM-IN-CRM',
  'parcel-of-kim',
  'kim has changed her mind',
];

const NOTHING = { orders: [], payments: [], refunds: [] };

let server: TestServer;
let receiver: Receiver;
let owner: TestOwner;
let store: TestStore;
let order: PlacedOrder;
/** The reason of its refund is the note of the order. */
let canceled: PlacedOrder;
let paymentId: string;
let otherId: string;

async function buyer(action: string, email: string): Promise<{ code: number | null; output: string; stderr: string }> {
  const { code, stdout, stderr } = await runHere([
    ...['buyer', action, '--merchant', owner.merchant.id, '--email', email],
    ...['--database-url', server.databaseUrl],
  ]);
  return { code, output: stdout, stderr };
}

/** The personal data that any row of any table contains. */
async function findPersonal(): Promise<string[]> {
  const found: string[] = [];
  for (const table of Object.keys(PLACEMENTS)) {
    const [row] = await server.database.sql.unsafe<{ rows: string | null }[]>(
      `select lower(string_agg(t::text, ' ')) as rows from ${table} as t`,
    );
    for (const each of PERSONAL) if (row?.rows?.includes(each.toLowerCase())) found.push(`${table}: ${each}`);
  }
  return found;
}

beforeAll(async () => {
  [server, receiver] = [await startTestServer(), await Receiver.open()];
  owner = await createOwner(server);
  await subscribe(server, owner.merchant, receiver.url);
  store = await openStore(server, owner.merchant);
  const address = { address_line_1: '77 Buyer Street', first_name: 'Kim', country: 'US' };
  const paid = await pay(server, owner.merchant, {
    ...{ buyer_email_address: EMAIL, billing_address: address, shipping_address: address },
    ...{ note: 'ring twice', customer_id: 'KIM-IN-CRM', reference_id: 'invoice-7', order_id: 'order-7' },
  });
  [paymentId, otherId] = [
    paid.id,
    (await pay(server, owner.merchant, { buyer_email_address: 'lee@example.com', note: 'for Lee' })).id,
  ];
  order = await placePaid(store, {
    buyer_email: EMAIL.toLowerCase(),
    recipient: { name: 'Kim Recipient', phone_number: '+14155559876' },
    shipping_address: { address_line_1: '77 Buyer Street', locality: 'San Francisco', country: 'US' },
    buyer_note: 'ring twice',
  });
  canceled = await placePaid(store, { buyer_email: EMAIL });
  expect200(await update(server, store, canceled, 'CANCEL', { canceled_note: 'Kim has changed her mind' }));
  await untilDeliveriesFinal(server, owner.merchant.id);
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
});

it('export prints everything that is stored about a buyer, in whatever case the address is written', async () => {
  const { code, output, stderr } = await buyer('export', EMAIL.toUpperCase());
  expect(code, stderr).toBe(0);
  const { orders, payments, refunds } = JSON.parse(output);
  expect(orders.map(({ id }: { id: string }) => id).sort()).toEqual([order.id, canceled.id].sort());
  expect(orders.find(({ id }: { id: string }) => id === order.id)).toMatchObject({
    ...{ state: 'OPEN', recipient_name: 'Kim Recipient', buyer_note: 'ring twice', fulfillment: 'SHIPMENT' },
    line_items: [{ name: 'Rye loaf', quantity: '2', total_money: { amount: 2170, currency: 'USD' } }],
  });
  expect(payments).toHaveLength(3);
  // The command does not know the address at which receipts are.
  const { receipt_url: _, ...shown } = await getPayment(server, owner.merchant, paymentId);
  expect(payments).toContainEqual(expect.objectContaining(shown));
  expect(refunds).toMatchObject([{ reason: 'Kim has changed her mind' }]);
  expect(JSON.parse((await buyer('export', 'nobody@example.com')).output)).toEqual(NOTHING);
});

it('erase is refused while an order of the buyer is open, and for an unknown merchant', async () => {
  const { code, stderr } = await buyer('erase', EMAIL);
  expect(code).toBe(1);
  expectOneLine(stderr);
  expect(stderr).toContain(order.id);
  expect(await getPayment(server, owner.merchant, paymentId)).toMatchObject({ note: 'ring twice' });
  const unknown = await runHere([
    ...['buyer', 'erase', '--merchant', 'MNOBODY', '--email', EMAIL, '--database-url', server.databaseUrl],
  ]);
  expect(unknown).toMatchObject({ code: 2, stderr: 'tillhouse: There is no merchant MNOBODY.\n' });
});

it('erase removes the data from every table, keeps the money, and can be repeated', async () => {
  const notes = { shipped_tracking_number: 'parcel-of-kim', completed_note: 'Dear Kim Recipient' };
  expect200(await update(server, store, order, 'COMPLETE', notes));
  await server.operator('POST', `/api/sandbox/merchants/${owner.merchant.id}/snapshot`);
  await untilDeliveriesFinal(server, owner.merchant.id);
  const before: Record<string, unknown> = { ...(await getPayment(server, owner.merchant, paymentId)) };
  expect((await findPersonal()).length).toBeGreaterThanOrEqual(PERSONAL.length);

  const mistyped = await buyer('erase', `x${EMAIL}`);
  expect(mistyped.code, mistyped.stderr).toBe(0);
  expect(JSON.parse(mistyped.output)).toEqual({ orders: 0, payments: 0, snapshot: false });
  const { code, output } = await buyer('erase', EMAIL);
  expect(code).toBe(0);
  expect(JSON.parse(output)).toEqual({ orders: 2, payments: 3, snapshot: !isCluster }); // a cluster has no snapshots
  expect(await findPersonal()).toEqual([]);

  const { buyer_email_address, billing_address, shipping_address, note, customer_id, reference_id, ...kept } = before;
  expect([buyer_email_address, note, customer_id]).toEqual([EMAIL, 'ring twice', 'KIM-IN-CRM']);
  expect([reference_id, kept['order_id']]).toEqual(['invoice-7', 'order-7']);
  expect(await getPayment(server, owner.merchant, paymentId)).toEqual(kept);
  expect(await getPayment(server, owner.merchant, otherId)).toMatchObject({ note: 'for Lee' });
  expect(await retrieve(server, store, order)).toMatchObject({
    ...{ state: 'COMPLETED', buyer_email: 'erased@example.invalid', recipient_name: 'Erased', shipping_address: {} },
    total_price_money: { amount: expect.any(Number) },
  });
  await expectBooksInOrder(server);

  expect(JSON.parse((await buyer('erase', EMAIL)).output)).toEqual({ orders: 0, payments: 0, snapshot: false });
  expect(JSON.parse((await buyer('export', EMAIL)).output)).toEqual(NOTHING);
});

it('makes a running sandbox forget the requests of the merchant that came before', async () => {
  const merchant = await server.createMerchant();
  const address = 'sam.buyer@example.com';
  await pay(server, merchant, { buyer_email_address: address });
  const kept = async () => {
    const path = `/api/sandbox/requests?merchant_id=${merchant.id}`;
    return (await server.operator('GET', path)).body.requests as readonly { id: string }[];
  };
  const [before] = await kept();
  expect((await server.operator('GET', `/api/sandbox/requests/${before?.id}`)).text).toContain(address);
  const erase = ['buyer', 'erase', '--merchant', merchant.id, '--email', address];
  expect((await runHere([...erase, '--database-url', server.databaseUrl])).code).toBe(0);
  await pay(server, merchant);
  const after = await pollUntil(kept, (requests) => !requests.some(({ id }) => id === before?.id), 30_000);
  expect(after).toHaveLength(1); // what came later is still there
});

it('is in the audit log, without the address', async () => {
  const kinds = ['BUYER_ERASED', 'BUYER_EXPORTED'];
  const events = (await listAuditEvents(owner)).filter(({ kind }) => kinds.includes(kind));
  expect(events.map(({ kind, details }) => ({ kind, ...details })).at(-1)).toEqual({
    ...{ kind: 'BUYER_EXPORTED', orders: '2', payments: '3' },
  });
  expect(events.filter(({ kind }) => kind === 'BUYER_ERASED')).toHaveLength(3);
});
