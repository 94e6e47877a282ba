/** Open sales: parked at one register, taken up and edited at another, and what happens when two do it at once. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/laws.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import type { Answer } from '../support/http.js';
import { ensureDefined, hire, openShift, pairDevice, type Register, signInAt } from '../support/people.js';
import { card, cash, DECLINED, item, SALES, sell, usd, type WireSale } from '../support/register-sales.js';
import { startTestServer, type TestServer } from '../support/server.js';

const OPEN = '/api/register/open-sales';

let server: TestServer;
let owner: TestOwner;
/** Two tablets of one location. */
let one: Register;
let two: Register;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { locations: [{ name: 'One' }, { name: 'Two' }] });
  const [first, second] = [await hire(server, owner), await hire(server, owner)];
  one = await signInAt(await pairDevice(server, owner, { name: 'A' }), first.id);
  two = await signInAt(await pairDevice(server, owner, { name: 'B' }), second.id);
});
afterAll(async () => {
  expect(await findBreaches(server.database)).toEqual([]);
  await server.stop();
});

const refusal = ({ status, body }: Answer) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];

const edit = (at: Register, sale: WireSale, body: Record<string, unknown> = {}) =>
  at.call('PUT', `${SALES}/${sale.id}`, {
    body: { id: randomUUID(), version: sale['version'], itemizations: [item(1000)], ...body },
  });
const tender = (at: Register, sale: WireSale, body: Record<string, unknown>) =>
  at.write(`${SALES}/${sale.id}/tenders`, body);
const openAt = async (at: Register): Promise<WireSale[]> => (await at.call('GET', OPEN)).body.sales;
const park = (at: Register, body: Record<string, unknown> = {}) => sell(at, { label: 'Table 4', ...body });

describe('register.listOpenSales', () => {
  it('lists parked sales of the location at every register, newest first, as they were rung up', async () => {
    const lines = {
      itemizations: [
        {
          name: 'Flat white',
          quantity: '1.5',
          single_quantity_money: usd(450),
          itemization_type: 'ITEM',
          item_variation_name: 'Large',
          notes: 'extra hot',
          item_detail: { category_name: 'Coffee', sku: 'FW', item_id: 'i1', item_variation_id: 'v1' },
          modifiers: [{ name: 'Oat', modifier_option_id: 'm1', price_money: usd(60) }],
          discounts: [{ name: 'Staff', discount_id: 'd1', restricted: false, rate: '0.10000000' }],
          taxes: [{ name: 'VAT', fee_id: 't1', rate: '0.08875000', inclusion_type: 'ADDITIVE' }],
        },
      ],
      discounts: [{ name: 'Rainy day', discount_id: 'd2', restricted: false, amount_money: usd(50) }],
      taxes: [{ name: 'City', fee_id: 't2', rate: '0.01000000', inclusion_type: 'INCLUSIVE' }],
      surcharges: [{ name: 'Service', surcharge_id: 's1', type: 'CUSTOM', rate: '0.05000000' }],
    };
    const first = await park(one, lines);
    const second = await sell(two, { tenders: [cash(400)] });
    const sold = await sell(one);
    const [newest, before, ...rest] = await openAt(two);
    expect([newest?.id, before?.id]).toEqual([second.id, first.id]);
    expect(rest.map(({ id }) => id)).not.toContain(sold.id);
    expect(before).toEqual(first);
    expect(before).toMatchObject({ label: 'Table 4', state: 'OPEN', employee_id: one.employeeId, ...lines });
    expect(newest).toMatchObject({ paid_money: usd(400), remaining_money: usd(600), tenders: [{ type: 'CASH' }] });
    expect(sold['itemizations']).toBeUndefined();

    // What it shows can be sent back as it is.
    const { itemizations, discounts, taxes, surcharges, total_money } = first;
    const same = { itemizations, discounts, taxes, surcharges, total_money };
    expect((await edit(two, first, same)).body.sale).toMatchObject({ total_money, ...lines });
  });

  it('does not list those of another location, nor canceled and complete ones', async () => {
    const locationId = ensureDefined(owner.merchant.locationIds[1]);
    const there = await signInAt(await pairDevice(server, owner, { locationId }), one.employeeId);
    const [parked, elsewhere, paid, canceled] = [await park(one), await park(there), await park(one), await park(one)];
    expect((await tender(two, paid, cash())).body.sale).toMatchObject({ state: 'COMPLETED' });
    const end = await two.write(`${SALES}/${canceled.id}/cancel`);
    expect([end.body.sale.state, end.body.sale.itemizations]).toEqual(['CANCELED', undefined]);
    const ids = (await openAt(two)).map(({ id }) => id);
    expect([parked, elsewhere, paid, canceled].map(({ id }) => ids.includes(id))).toEqual([true, false, false, false]);
    expect(refusal(await edit(two, elsewhere))).toEqual([404, 'NOT_FOUND', undefined]);
    const [kept] = await server.database.sql<{ count: number }[]>`
      select count(*)::int as count from sales where open_lines is not null and state <> 'OPEN'`;
    expect(kept?.count).toBe(0);
  });
});

describe('register.editSale', () => {
  it('replaces the lines and the label, and v1 shows the new receipt once it is paid', async () => {
    const sale = await park(one);
    const changed = await edit(two, sale, { itemizations: [item(1000), item(300, { name: 'Jam' })], label: 'Table 5' });
    expect(changed.body.sale).toMatchObject({
      total_money: usd(1300),
      label: 'Table 5',
      register_id: sale['register_id'],
    });
    expect(changed.body.sale.version).not.toBe(sale['version']);
    const paid = (await tender(one, sale, cash())).body.sale;
    expect([paid.state, paid.paid_money]).toEqual(['COMPLETED', usd(1300)]);
    const v1 = await server.call('GET', `/v1/${one.device.locationId}/payments/${paid.payment_id}`, {
      token: owner.merchant.token,
    });
    expect(v1.body.itemizations.map(({ name }: { name: string }) => name)).toEqual(['Loaf', 'Jam']);
    expect(refusal(await edit(two, paid))).toEqual([400, 'BAD_REQUEST', undefined]);
  });

  it('runs once: a retry has no further effect, and another body with the same id is refused', async () => {
    const sale = await park(one);
    const id = randomUUID();
    const first = await edit(one, sale, { id, itemizations: [item(500)] });
    const again = await edit(one, sale, { id, itemizations: [item(500)] });
    expect(again.body).toEqual(first.body);
    expect(refusal(await edit(one, sale, { id, itemizations: [item(600)] }))).toEqual([409, 'CONFLICT', 'id']);
  });

  it('refuses a version that another register has changed, by an edit or by a tender', async () => {
    const sale = await park(one);
    expect((await edit(two, sale, { itemizations: [item(1200)] })).status).toBe(200);
    expect(refusal(await edit(one, sale))).toEqual([409, 'CONFLICT', 'version']);
    const [seen] = (await openAt(one)).filter(({ id }) => id === sale.id);
    expect((await tender(two, sale, cash(100))).status).toBe(200);
    expect(refusal(await edit(one, ensureDefined(seen)))).toEqual([409, 'CONFLICT', 'version']);
  });

  it('refuses a total below what is paid, and completes a sale whose tenders pay the new total', async () => {
    const shift = await openShift(one, 10_000);
    const split = await sell(one, { tenders: [cash(600)] });
    expect(refusal(await edit(one, split, { itemizations: [item(599)] }))).toEqual([409, 'CONFLICT', 'itemizations']);
    const [seen] = (await openAt(one)).filter(({ id }) => id === split.id);
    const done = (await edit(one, ensureDefined(seen), { itemizations: [item(600)] })).body.sale;
    expect(done).toMatchObject({ state: 'COMPLETED', paid_money: usd(600), remaining_money: usd(0) });
    expect(done.created_at).toBeDefined();
    const shown = (await one.call('GET', '/api/register/cash-drawer-shifts/open')).body.cash_drawer_shift;
    expect([shown.id, shown.expected_cash_money]).toEqual([shift.id, usd(10_600)]);
    const report = (await owner.call('GET', '/api/dashboard/reports/today')).body;
    expect(JSON.stringify(report)).toContain(done.id);
  });

  it('completes a sale that is free now, and keeps one open after a decline', async () => {
    const sale = await park(one);
    const free = await edit(one, sale, { discounts: [{ name: 'On us', rate: '1' }] });
    expect(free.body.sale).toMatchObject({ state: 'COMPLETED', total_money: usd(0) });
    const declined = await sell(one, { tenders: [card(1000, { source_id: DECLINED })] });
    expect(declined).toMatchObject({
      state: 'OPEN',
      tenders: [{ status: 'DECLINED' }],
      itemizations: [{ name: 'Loaf' }],
    });
    expect((await edit(one, declined, { itemizations: [item(700)] })).body.sale.total_money).toEqual(usd(700));
  });

  it.each([
    [{ version: undefined }, 'MISSING_REQUIRED_PARAMETER', 'version'],
    [{ itemizations: [] }, 'ARRAY_LENGTH_TOO_SHORT', 'itemizations'],
    [{ total_money: { amount: 1 } }, 'INVALID_VALUE', 'total_money'],
    [{ label: 'x'.repeat(61) }, 'VALUE_TOO_LONG', 'label'],
  ])('refuses %o', async (change, code, field) => {
    expect(refusal(await edit(one, await park(one), change))).toEqual([400, code, field]);
  });
});

describe('restricted discounts', () => {
  const discounts = [{ name: 'Friends', restricted: true, rate: '0.5' }];

  it('are approved by somebody who may, and signed in at this device just before', async () => {
    const manager = await hire(server, owner, { role: { permissions: ['REGISTER_APPLY_RESTRICTED_DISCOUNTS'] } });
    const colleague = await hire(server, owner);
    const sellWith = (approved_by?: string) =>
      one.write(SALES, { itemizations: [item(1000)], discounts, ...(approved_by && { approved_by }) });
    expect(refusal(await sellWith())).toEqual([403, 'FORBIDDEN', 'discounts']);
    expect(refusal(await sellWith(manager.id))).toEqual([403, 'FORBIDDEN', 'approved_by']); // not signed in here
    await two.device.signIn(manager.id);
    expect(refusal(await sellWith(manager.id))).toEqual([403, 'FORBIDDEN', 'approved_by']); // at another device
    await one.device.signIn(colleague.id);
    expect(refusal(await sellWith(colleague.id))).toEqual([403, 'FORBIDDEN', 'approved_by']); // may not either
    expect(refusal(await sellWith('nobody'))).toEqual([403, 'FORBIDDEN', 'approved_by']);
    await one.device.signIn(manager.id);
    const { sale } = (await sellWith(manager.id)).body;
    expect(sale.total_money).toEqual(usd(500));
    const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events?kind=DISCOUNT_APPROVED')).body;
    expect(audit_events).toMatchObject([
      { employee_id: one.employeeId, device_id: one.device.id, details: { approved_by: manager.id } },
    ]);

    // An edit keeps what was approved, and asks for what is new.
    const kept = await edit(one, sale, { discounts, itemizations: [item(2000)] });
    expect(kept.body.sale.total_money).toEqual(usd(1000));
    const more = [...discounts, { name: 'Family', restricted: true, rate: '0.1' }];
    expect(refusal(await edit(one, kept.body.sale, { discounts: more }))).toEqual([403, 'FORBIDDEN', 'discounts']);
    const approved = await edit(one, kept.body.sale, { discounts: more, approved_by: manager.id });
    expect(approved.status).toBe(200);
  });
});

describe('two tablets', () => {
  it('that edit one open sale at once: one of them does', async () => {
    for (let round = 0; round < 5; round++) {
      const sale = await park(one);
      const answers = await Promise.all([
        edit(one, sale, { itemizations: [item(1100)] }),
        edit(two, sale, { itemizations: [item(1200)] }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const winner = ensureDefined(answers.find(({ status }) => status === 200)).body.sale;
      const [seen] = (await openAt(one)).filter(({ id }) => id === sale.id);
      expect(seen?.['total_money']).toEqual(winner.total_money);
    }
  });

  it('that take the last tender of one sale at once: one of them does', async () => {
    for (let round = 0; round < 5; round++) {
      const sale = await park(one);
      const answers = await Promise.all([tender(one, sale, cash(1000)), tender(two, sale, card(1000))]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      const paid = ensureDefined(answers.find(({ status }) => status === 200)).body.sale;
      expect([paid.state, paid.tenders.length]).toEqual(['COMPLETED', 1]);
    }
  });

  it('one that edits while the other takes the last tender: the books agree either way', async () => {
    for (let round = 0; round < 8; round++) {
      const sale = await park(one);
      const [edited, paid] = await Promise.all([
        edit(one, sale, { itemizations: [item(1000), item(500)] }),
        tender(two, sale, cash(1000)),
      ]);
      expect(paid.status).toBe(200);
      expect([200, 400, 409]).toContain(edited.status);
      const state = edited.status === 200 ? 'OPEN' : 'COMPLETED';
      const [seen] = (await openAt(one)).filter(({ id }) => id === sale.id);
      expect(seen?.state ?? 'COMPLETED').toBe(state);
      if (seen) expect(seen.remaining_money).toEqual(usd(500));
    }
  });
});
