/** After the erasure of a buyer no table has the buyer's words any more, and no retry does anything again (decision 0227). */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { expect200, openStore, orderBody, type PlacedOrder, placePaid, type TestStore } from '../../support/orders.js';
import { expectBooksInOrder, getPayment, tryToPay, usd } from '../../support/payments.js';
import { hire, OPEN_DRAWER, openShift, pairDevice, type Register, signInAt } from '../../support/people.js';
import { type KeptWrite, keep, sendQueue } from '../../support/queue.js';
import { Receiver, subscribe, untilDeliveriesFinal } from '../../support/receiver.js';
import { card, item, tryToSell } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { hold, made } from '../../support/settlements.js';

const EMAIL = 'Quimby.Mail@example.com';
/** Each word is in other places. No random id contains one by chance. */
const WORDS = {
  email: 'quimby.mail@',
  name: 'quimby name',
  phone: '+14155550199',
  street: '9 quimby street',
  note: 'note of quimby',
  customer: 'quimby-in-crm',
  reference: 'ref quimby',
  statement: 'stmt quimby',
  reason: 'quimby wants it back',
  parcel: 'parcel-of-quimby',
};
/** What stays, because the decision says so: the ids by which applications find an order and repeat a request. */
const KEPT_IDS = { order: 'order-of-quimby', key: 'key-of-quimby' };

const REASON = `${WORDS.reason}, call ${WORDS.phone}`;
const ADDRESS = { address_line_1: WORDS.street, first_name: WORDS.name, country: 'US' };

let server: TestServer;
let receiver: Receiver;
let owner: TestOwner;
let store: TestStore;
let register: Register;

/** Repeats a write. What was sent is the same each time. */
type Again = () => Promise<ApiResponse>;
const again: Record<string, Again> = {};
let queued: readonly KeptWrite[];
let charged: string;
let placed: PlacedOrder;

const now = () => new Date().toISOString();
const v2 = (path: string, body: unknown) => server.call('POST', path, { token: owner.merchant.token, body });

async function send(name: string, write: Again): Promise<ApiResponse> {
  again[name] = write;
  return expect200(await write());
}

/** Which of the words any row of any table has, in any schema. */
async function search(words: Readonly<Record<string, string>>): Promise<string[]> {
  const { sql } = server.database;
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name
    from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql.unsafe<{ rows: string | null }[]>(
      `select lower(string_agg(t::text, ' ')) as rows from ${name} as t`,
    );
    for (const [word, text] of Object.entries(words)) if (row?.rows?.includes(text)) found.push(`${name} ${word}`);
  }
  return found.sort();
}

/** What counts as done: nothing may be added by a retry. */
async function countActs(): Promise<readonly unknown[]> {
  return server.database.sql`
    select (select count(*) from payments) as payments, (select count(*) from refunds) as refunds,
      (select count(*) from orders) as orders, (select count(*) from cash_drawer_events) as drawer_events,
      (select count(*) from register_writes) as writes, (select sum(refunded) from payments) as refunded`;
}

async function payAsApplication(): Promise<void> {
  const { id: merchantId, token } = owner.merchant;
  const body = (key: string, change = {}) => ({
    ...{ source_id: 'cnon:card-nonce-ok', idempotency_key: key, amount_money: usd(2000), order_id: KEPT_IDS.order },
    ...{ buyer_email_address: EMAIL, billing_address: ADDRESS, shipping_address: ADDRESS, note: WORDS.note },
    ...{
      customer_id: WORDS.customer,
      reference_id: WORDS.reference,
      statement_description_identifier: WORDS.statement,
    },
    ...change,
  });
  const pay = (name: string, change = {}) => {
    const sent = body(name === 'createPayment' ? KEPT_IDS.key : randomUUID(), change);
    return send(name, () => v2('/v2/payments', sent));
  };
  charged = (await pay('createPayment')).body.payment.id;
  const canceled = (await pay('createPayment, delayed', { autocomplete: false })).body.payment.id;
  expect200(await v2(`/v2/payments/${canceled}/cancel`, {}));
  const disputed = (await pay('createPayment, disputed')).body.payment.id;
  made(await hold(server, owner.merchant, disputed));
  const declined = body(randomUUID(), { source_id: 'cnon:card-nonce-declined' });
  expect((await tryToPay(server, { token }, declined)).body.payment).toMatchObject({ status: 'FAILED' });
  again['createPayment, declined'] = () => tryToPay(server, { token }, declined);

  const refund = { idempotency_key: randomUUID(), payment_id: charged, amount_money: usd(100), reason: REASON };
  await send('refundPayment', () => v2('/v2/refunds', refund));
  const v1 = {
    ...{ payment_id: charged, type: 'PARTIAL', reason: REASON, request_idempotence_key: randomUUID() },
    refunded_money: { amount: -100, currency_code: 'USD' },
  };
  await send('createRefund', () => v2(`/v1/${owner.merchant.locationIds[0]}/refunds`, v1));
  expect200(await server.call('GET', '/v1/me/payments', { token }));
  expect(merchantId).not.toBe('');
}

const orderOfBuyer = {
  buyer_email: EMAIL.toLowerCase(),
  recipient: { name: WORDS.name, phone_number: WORDS.phone },
  shipping_address: { address_line_1: WORDS.street, locality: 'San Francisco', country: 'US' },
  buyer_note: WORDS.note,
};

/** The payment of an order that was just placed and paid. */
async function paidOrder(): Promise<string> {
  const { id } = await placePaid(store, orderOfBuyer);
  const [order] = await server.database.sql<{ paymentId: string }[]>`
    select payment_id from payments join orders using (merchant_id, sale_id) where order_id = ${id}`;
  const done = { note: `For ${WORDS.name}`, tracking_number: WORDS.parcel };
  expect200(await register.write(`/api/register/orders/${id}/complete`, done));
  return order?.paymentId ?? '';
}

async function buyOnline(): Promise<void> {
  const body = orderBody(store, orderOfBuyer);
  const answer = await send('placeOrder', () => store.call('POST', '/api/checkout/orders', { body }));
  placed = { id: answer.body.order.id, token: answer.body.order_token };
  const cancel = { id: randomUUID(), note: REASON };
  await send('cancelOrder', () => register.call('POST', `/api/register/orders/${placed.id}/cancel`, { body: cancel }));
}

async function giveBackAtRegister(): Promise<void> {
  const refund = { id: randomUUID(), payment_id: await paidOrder(), type: 'FULL', reason: REASON };
  await send('issueRefund', () => register.call('POST', '/api/register/refunds', { body: refund }));

  const [kept, exchanged] = [await paidOrder(), await paidOrder()];
  const occurred_at = now();
  queued = [keep(register, 'issueRefund', { occurred_at, body: { payment_id: kept, type: 'FULL', reason: REASON } })];
  const { results } = (await send('a queue', () => sendQueue(register, occurred_at, queued))).body;
  expect(results).toMatchObject([{ status: 'ACCEPTED' }]);

  // Goods of the buyer pay for another sale, whose refund goes back to the card of the buyer, beside that of another card.
  const returns = [{ payment_id: exchanged, amount_money: usd(1000), reason: REASON }];
  const sale = { id: randomUUID(), itemizations: [item(1500)], returns, tenders: [card(500)] };
  const sold = (await send('ringUpSale', () => tryToSell(register, sale))).body.sale;
  const through = { id: randomUUID(), sale_id: sale.id, type: 'FULL', reason: REASON };
  await send('issueRefund, through', () => register.call('POST', '/api/register/refunds', { body: through }));
  expect200(await server.call('GET', `/v1/me/payments/${sold.payment_id}`, { token: owner.merchant.token }));
}

async function giveBackAsOwner(): Promise<void> {
  const paymentId = await paidOrder();
  const [row] = await server.database.sql<{ saleId: string; total: number }[]>`
    select sale_id, total from payments where payment_id = ${paymentId}`;
  const body = {
    ...{ idempotency_key: randomUUID(), type: 'WHOLE', reason: REASON },
    amount_money: usd(Number(row?.total)),
  };
  await send('refundSale', () => owner.call('POST', `/api/dashboard/sales/${row?.saleId}/refunds`, { body }));
}

beforeAll(async () => {
  [server, receiver] = [await startTestServer(), await Receiver.open()];
  owner = await createOwner(server);
  await subscribe(server, owner.merchant, receiver.url);
  store = await openStore(server, owner.merchant);
  const device = await pairDevice(server, owner);
  const permissions = [OPEN_DRAWER, 'REGISTER_ISSUE_REFUNDS'];
  register = await signInAt(device, (await hire(server, owner, { role: { permissions } })).id);
  await openShift(register);
  await payAsApplication();
  await buyOnline();
  await giveBackAtRegister();
  await giveBackAsOwner();
  // The second list stores copies of the sales.
  for (const _ of [1, 2]) expect200(await server.call('GET', '/v1/me/payments', { token: owner.merchant.token }));
  await untilDeliveriesFinal(server, owner.merchant.id);
});
afterAll(async () => {
  await receiver.close();
  await server.stop();
});

it('finds the words in many tables before the erasure', async () => {
  const found = await search(WORDS);
  for (const word of Object.keys(WORDS)) expect(found.join()).toContain(word);
  expect(found.length).toBeGreaterThan(20);
});

it('leaves nothing of the buyer in any table, except the ids of applications', async () => {
  expect200(await owner.call('POST', '/api/dashboard/buyers/erase', { body: { email: EMAIL } }));
  expect(await search(WORDS)).toEqual([]);
  expect(new Set((await search(KEPT_IDS)).map((each) => each.split('.')[1]))).toEqual(
    new Set(['payments order', 'webhook_events order', 'idempotency_keys key']),
  );
  await expectBooksInOrder(server);
});

it('keeps the text of the business on the statement', async () => {
  expect(await getPayment(server, owner.merchant, charged)).toMatchObject({
    card_details: { statement_description: expect.stringMatching(/^SQ \*[^ ].*[^ ]$/) },
  });
});

it('says in the answer to each retry that the data was erased, and does nothing again', async () => {
  const before = await countActs();
  for (const [name, write] of Object.entries(again)) {
    const { status, headers, text, body } = await write();
    expect(status, `${name}: ${text}`).toBe(name === 'createPayment, declined' ? 400 : 200);
    for (const word of Object.values(WORDS)) expect(text.toLowerCase(), name).not.toContain(word);
    if (/^(createPayment|refundPayment|createRefund|refundSale)/.test(name)) {
      expect(headers, name).toMatchObject({ 'idempotency-replayed': 'true', 'personal-data-erased': 'true' });
    }
    if (name.startsWith('issueRefund'))
      expect(body).toMatchObject({ erased: true, refunds: { 0: { amount_money: {} } } });
    if (name === 'a queue') expect(body.results).toMatchObject([{ status: 'ACCEPTED', response: { erased: true } }]);
    if (name === 'placeOrder') expect(body).toMatchObject({ order: { id: placed.id }, order_token: placed.token });
  }
  expect(await countActs()).toEqual(before);
  expect(await search(WORDS)).toEqual([]);
});

it('cleans what erasures of earlier versions left in the responses to registers', async () => {
  const { sql } = server.database;
  const migration = readFileSync(
    new URL('../../../migrations/0053-responses-of-erased-refunds.sql', import.meta.url),
    'utf8',
  );
  const list = () => sql`select client_id, response from register_writes order by client_id`;
  const erased = await list();
  const kept = {
    id: randomUUID(),
    payment_id: (await tryToSell(register, { tenders: [card()] })).body.sale.payment_id,
  };
  const refund = { ...kept, type: 'FULL', reason: 'of somebody else' };
  expect200(await register.call('POST', '/api/register/refunds', { body: refund }));
  await sql`
    update register_writes
    set response = (response - 'erased') || jsonb_build_object('refunds', (
      select jsonb_agg(each || jsonb_build_object('reason', ${REASON}::text)) from jsonb_array_elements(response -> 'refunds') as each
    ))
    where response ? 'erased'`;
  expect(await search(WORDS)).toEqual(['public.register_writes phone', 'public.register_writes reason']);
  await sql.unsafe(migration);
  expect(await search(WORDS)).toEqual([]);
  expect((await list()).filter(({ clientId }) => clientId !== refund.id)).toEqual(erased);
  const retried = await register.call('POST', '/api/register/refunds', { body: refund });
  expect(retried.body).toMatchObject({ refunds: [{ reason: 'of somebody else' }] });
  expect(retried.body.erased).toBeUndefined();
});
