/** Online orders at a register, and the name and prices of items that employees change there. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../../src/check/check.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { openStore, place, placePaid, retrieve, type TestStore } from '../../support/orders.js';
import { ensureDefined, hire, openRegister, pairDevice, type Register, signInAt } from '../../support/people.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const ORDERS = '/api/register/orders';

let server: TestServer;
let owner: TestOwner;
let store: TestStore;
let elsewhere: TestStore;
/** One who may refund, and one who may not. */
let [manager, cashier]: Register[] = [];

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
  const [one, two] = owner.merchant.locationIds;
  store = await openStore(server, owner.merchant, { location_id: one });
  elsewhere = await openStore(server, owner.merchant, { location_id: two });
  manager = await openRegister(server, owner, { hiring: { role: { permissions: ['REGISTER_ISSUE_REFUNDS'] } } });
  cashier = await openRegister(server, owner, { hiring: {} });
});
afterAll(async () => {
  expect(await findBreaches(server.database)).toEqual([]);
  await server.stop();
});

const atManager = () => ensureDefined(manager);
const atCashier = () => ensureDefined(cashier);
const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const act = (at: Register, id: string, action: 'complete' | 'cancel', body = {}) =>
  at.write(`${ORDERS}/${id}/${action}`, body);

describe('online orders at a register', () => {
  it('are listed for the location, by state, and shown with their items', async () => {
    const [paid, waiting, other] = [await placePaid(store), await place(store), await placePaid(elsewhere)];
    const list = async (query = ''): Promise<string[]> =>
      (await atCashier().call('GET', `${ORDERS}?${query}`)).body.orders.map(({ id }: { id: string }) => id);
    expect(await list()).toEqual(expect.arrayContaining([paid.id, waiting.id]));
    expect(await list()).not.toContain(other.id);
    expect(await list('state=OPEN')).toContain(paid.id);
    expect(await list('state=OPEN')).not.toContain(waiting.id);
    const { order } = (await atCashier().call('GET', `${ORDERS}/${paid.id}`)).body;
    expect(order).toMatchObject({
      id: paid.id,
      state: 'OPEN',
      receipt: { items: [{ name: 'Rye loaf', quantity: 2 }] },
    });
    for (const id of [other.id, 'nothing']) {
      expect(refusal(await atCashier().call('GET', `${ORDERS}/${id}`))).toEqual([404, 'NOT_FOUND', undefined]);
      expect(refusal(await act(atManager(), id, 'cancel'))).toEqual([404, 'NOT_FOUND', undefined]);
    }
  });

  it('are completed once, with a note, and a retry has no further effect', async () => {
    const order = await placePaid(store);
    const body = { id: randomUUID(), note: 'Handed over', tracking_number: 'T-1' };
    const first = await act(atCashier(), order.id, 'complete', body);
    expect(first.body.order).toMatchObject({
      state: 'COMPLETED',
      completed_note: 'Handed over',
      tracking_number: 'T-1',
    });
    expect((await act(atCashier(), order.id, 'complete', body)).body).toEqual(first.body);
    expect(refusal(await act(atCashier(), order.id, 'complete'))).toEqual([400, 'BAD_REQUEST', undefined]);
    expect(refusal(await act(atCashier(), (await place(store)).id, 'complete'))).toEqual([
      400,
      'BAD_REQUEST',
      undefined,
    ]);
  });

  it('are canceled by everybody while unpaid, and with the permission to refund when paid', async () => {
    const [unpaid, paid] = [await place(store), await placePaid(store)];
    expect((await act(atCashier(), unpaid.id, 'cancel')).body.order.state).toBe('CANCELED');
    expect(refusal(await act(atCashier(), paid.id, 'cancel'))).toEqual([403, 'INSUFFICIENT_SCOPES', undefined]);
    expect((await retrieve(server, store, paid)).state).toBe('OPEN');
    const { order } = (await act(atManager(), paid.id, 'cancel', { note: 'Sold out' })).body;
    expect(order).toMatchObject({ state: 'CANCELED', canceled_note: 'Sold out', refunded_money: order.total_money });
    const { sale } = (await owner.call('GET', `/api/dashboard/sales/${order.sale_id}`)).body;
    expect(sale.refunds).toMatchObject([
      { made_by: 'EMPLOYEE', employee_id: atManager().employeeId, reason: 'Sold out' },
    ]);
  });

  it('are canceled or completed by only one of two tablets', async () => {
    for (let round = 0; round < 4; round++) {
      const order = await placePaid(store);
      const answers = await Promise.all([act(atCashier(), order.id, 'complete'), act(atManager(), order.id, 'cancel')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });
});

describe('register.editItemAtRegister', () => {
  const edit = (at: Register, id: string, body: Record<string, unknown>) =>
    at.call('PUT', `/api/register/items/${id}`, { body });
  const catalogueAt = async (at: Register) => (await at.call('GET', '/api/register/catalogue')).body;

  it('changes name and prices, which every register sees, and is in the audit log', async () => {
    const editor = await openRegister(server, owner, { hiring: { role: { permissions: ['REGISTER_EDIT_ITEM'] } } });
    const before = await catalogueAt(editor);
    const loaf = before.catalogue.items.find(({ id }: { id: string }) => id === store.itemIds[0]);
    const [variation] = loaf.variations;
    const body = {
      version: loaf.version,
      name: ' Rye ',
      variations: [{ id: variation.id, price_money: { amount: 1250 } }],
    };
    expect(refusal(await edit(atCashier(), loaf.id, body))).toEqual([403, 'INSUFFICIENT_SCOPES', undefined]);
    const { item } = (await edit(editor, loaf.id, body)).body;
    expect(item).toEqual({
      ...loaf,
      name: 'Rye',
      version: loaf.version + 1,
      variations: [{ ...variation, price_money: { amount: 1250, currency: 'USD' } }],
    });
    const after = await catalogueAt(atCashier());
    expect(after.version).toBeGreaterThan(before.version);
    expect(after.catalogue.items).toContainEqual(item);
    expect(refusal(await edit(editor, loaf.id, body))).toEqual([409, 'CONFLICT', 'version']);
    const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events?kind=ITEM_CHANGED_AT_REGISTER'))
      .body;
    expect(audit_events).toMatchObject([{ employee_id: editor.employeeId, device_id: editor.device.id }]);
    expect(audit_events[0].details).toMatchObject({ item_id: loaf.id, before: expect.stringContaining('1000') });

    const again = { ...body, version: item.version };
    const answers = await Promise.all(
      [1300, 1400].map((amount) =>
        edit(editor, loaf.id, { ...again, variations: [{ id: variation.id, price_money: { amount } }] }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it.each([
    [{ name: ' ' }, 'INVALID_VALUE', 'name'],
    [{ variations: [{ id: 'none', price_money: { amount: 1 } }] }, 'INVALID_VALUE', 'variations.id'],
    [{ version: undefined }, 'MISSING_REQUIRED_PARAMETER', 'version'],
  ])('refuses %o', async (change, code, field) => {
    const editor = await signInAt(
      await pairDevice(server, owner),
      (await hire(server, owner, { role: { permissions: ['REGISTER_EDIT_ITEM'] } })).id,
    );
    const jam = (await catalogueAt(editor)).catalogue.items.find(({ id }: { id: string }) => id === store.itemIds[1]);
    const body = { version: jam.version, name: 'Jam', variations: [], ...change };
    expect(refusal(await edit(editor, jam.id, body))).toEqual([400, code, field]);
    expect(refusal(await edit(editor, 'nothing', { version: 1, name: 'x', variations: [] }))).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ]);
  });
});
