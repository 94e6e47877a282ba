/** Open sales that another register has paid, edited or canceled meanwhile: what a refusal says, and the money that came too late. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { expectBooksInOrder } from '../../support/payments.js';
import { hire, openRegister, openShift, pairDevice, type Register, signInAt } from '../../support/people.js';
import { keep, sendLate, sendQueue } from '../../support/queue.js';
import { card, cash, item, SALES, sell, usd, type WireSale, type WireTender } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const NOW = '2020-02-26T10:00:00.000Z';
const EARLIER = '2020-02-26T09:59:55.000Z';

let server: TestServer;
let owner: TestOwner;
let front: Register;
let back: Register;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server, { clock: { now: NOW, frozen: true } });
  front = await openRegister(server, owner);
  const device = await pairDevice(server, owner, { name: 'Back' });
  back = await signInAt(device, (await hire(server, owner, { role: { permissions: [] } })).id);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const park = () => sell(front, { label: 'Table 2', tenders: [] });
const pay = (register: Register, { id }: WireSale, tender = cash()) => register.write(`${SALES}/${id}/tenders`, tender);
const cancel = (register: Register, { id }: WireSale) => register.write(`${SALES}/${id}/cancel`);
const edit = (register: Register, { id, version }: WireSale, amount = 1000) =>
  register.call('PUT', `${SALES}/${id}`, {
    body: { id: crypto.randomUUID(), version, label: 'Table 2', itemizations: [item(amount)] },
  });
const expected = async (register: Register) =>
  (await register.call('GET', '/api/register/cash-drawer-shifts/open')).body.cash_drawer_shift.expected_cash_money;

async function flagsOf({ id }: WireSale) {
  const { writes } = (await owner.call('GET', '/api/dashboard/flagged-writes')).body;
  return writes.filter((write: { sale_id?: string }) => write.sale_id === id);
}

const by = ({ device, employeeId }: Register) => ({
  device_id: device.id,
  device_name: device.name,
  employee_id: employeeId,
  at: NOW,
});

function refusedWith(answer: ApiResponse, sale: object) {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body.errors).toHaveLength(1);
  expect(answer.body.sale).toMatchObject({ label: 'Table 2', ...sale });
}

describe('a refusal about an open sale', () => {
  it.each([
    ['paid', 'COMPLETED', pay],
    ['canceled', 'CANCELED', cancel],
  ] as const)('says that it was %s, where, by whom and when', async (_, state, act) => {
    const sale = await park();
    expect(sale).not.toHaveProperty('last_act');
    const done = await act(back, sale);
    expect(done.body.sale).toMatchObject({ state, last_act: by(back) });
    for (const answer of [await pay(front, sale), await pay(front, sale, card()), await cancel(front, sale)]) {
      refusedWith(answer, { state, last_act: by(back) });
    }
    refusedWith(await edit(front, sale), { state, last_act: by(back) });
  });

  it('has the sale as it is now if it was edited or partly paid', async () => {
    const sale = await park();
    expect((await edit(back, sale, 700)).status).toBe(200);
    const changed = { state: 'OPEN', total_money: usd(700), last_act: by(back) };
    refusedWith(await edit(front, sale), changed);
    refusedWith(await pay(front, sale, cash(1000)), changed);
    expect((await pay(back, sale, cash(300))).status).toBe(200);
    refusedWith(await pay(front, sale, cash(700)), { ...changed, remaining_money: usd(400) });
    const { sales } = (await front.call('GET', '/api/register/open-sales')).body;
    expect(sales.find(({ id }: WireSale) => id === sale.id)).toMatchObject({ last_act: by(back) });
  });

  it('has the sale that was rung up with the same id before', async () => {
    const id = crypto.randomUUID();
    const sale = await sell(front, { id, label: 'Table 2', tenders: [] });
    const again = await front.write(SALES, { id, itemizations: [item(5)], tenders: [cash()] });
    refusedWith(again, { id: sale.id, state: 'OPEN' });
  });

  it('says nothing of a sale of another business, of another location, or of none', async () => {
    const other = await openRegister(server, await createOwner(server));
    const away = await createOwner(server, { locations: [{ name: 'Here' }, { name: 'There' }] });
    const [, there] = away.merchant.locationIds;
    const [here, elsewhere] = [
      await openRegister(server, away),
      await openRegister(server, away, { ...(there !== undefined && { locationId: there }) }),
    ];
    const sale = await park();
    const answers = [
      await pay(other, sale),
      await pay(elsewhere, await sell(here, { tenders: [] })),
      await pay(front, { ...sale, id: 'nobody' }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body).not.toHaveProperty('sale');
    }
  });
});

describe('money that a register took offline for a sale that was paid meanwhile', () => {
  const kept = ({ id: sale_id }: WireSale, { id, ...tender }: Record<string, unknown>) =>
    keep(front, 'takeTender', { id: id as string, occurred_at: EARLIER, body: { sale_id, ...tender } });
  const send = async (...writes: readonly unknown[]) => {
    const answer = await sendQueue(front, NOW, writes);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.results;
  };

  it('is in the drawer and flagged, once, and the sale stays as it is', async () => {
    await openShift(front, 5000);
    const sale = await park();
    await pay(back, sale);
    const write = kept(sale, cash(1000, { tendered_money: { amount: 2000 } }));
    const [result] = await send(write);
    expect(result).toMatchObject({ status: 'ACCEPTED', flags: [{ code: 'PAID_TWICE' }] });
    expect(result.response.sale).toMatchObject({ state: 'COMPLETED', last_act: by(back), paid_money: usd(1000) });
    expect(result.response.sale.tenders).toHaveLength(1);
    expect(await send(write)).toEqual([result]);
    expect(await expected(front)).toEqual(usd(6000));
    expect(await flagsOf(sale)).toMatchObject([
      {
        operation: 'takeTender',
        is_open: true,
        flags: [{ code: 'PAID_TWICE', detail: expect.stringMatching(/\$10\.00 in cash.*Table 2.*in the drawer/) }],
      },
    ]);
    const [other] = await send({ ...write, body: { ...write.body, amount_money: { amount: 1 } } });
    expect(other).toMatchObject({ status: 'REFUSED', error: { code: 'CONFLICT' } });
  });

  it('is flagged as cash in no count if no drawer was open', async () => {
    const device = await pairDevice(server, owner, { name: 'Side' });
    const side = await signInAt(device, (await hire(server, owner, { role: { permissions: [] } })).id);
    const sale = await park();
    await pay(back, sale);
    const { id, ...tender } = cash(1000);
    const write = { id: id as string, occurred_at: EARLIER, body: { sale_id: sale.id, ...tender } };
    const result = await sendLate(side, NOW, 'takeTender', write);
    expect(result.flags).toMatchObject([
      { code: 'PAID_TWICE', detail: expect.stringContaining('No drawer was open, so it is in no count.') },
    ]);
  });

  it('pays what is left, and only the rest of it is too much', async () => {
    const before = (await expected(front)).amount;
    const sale = await park();
    await pay(back, sale, cash(600));
    const write = kept(sale, cash(1000));
    const [result] = await send(write);
    expect(result).toMatchObject({ status: 'ACCEPTED', flags: [{ code: 'PAID_TWICE' }] });
    expect(result.response.sale).toMatchObject({ state: 'COMPLETED' });
    const parts = result.response.sale.tenders.map((tender: WireTender) => tender['amount_money']);
    expect(parts).toEqual(expect.arrayContaining([usd(400), usd(600)]));
    expect(parts).toHaveLength(2);
    expect(await send(write)).toEqual([result]);
    expect(await expected(front)).toEqual(usd(before + 1000));
    expect((await flagsOf(sale))[0].flags[0].detail).toMatch(/\$6\.00 in cash/);
  });

  it('with a tip goes into the drawer with the tip, also if the sale was canceled', async () => {
    const before = (await expected(front)).amount;
    const sale = await park();
    await cancel(back, sale);
    const [result] = await send(kept(sale, cash(1000, { tip_money: { amount: 150 } })));
    expect(result).toMatchObject({ status: 'ACCEPTED', flags: [{ code: 'PAID_TWICE' }] });
    expect(result.response.sale).toMatchObject({ state: 'CANCELED' });
    expect(await expected(front)).toEqual(usd(before + 1150));
  });

  it('by a card terminal or a voucher is flagged, and not in the drawer', async () => {
    const before = await expected(front);
    const sale = await park();
    await pay(back, sale);
    const results = await send(
      kept(sale, { id: crypto.randomUUID(), type: 'EXTERNAL_CARD', amount_money: { amount: 1000 } }),
      kept(sale, { id: crypto.randomUUID(), type: 'OTHER', name: 'Voucher' }),
    );
    for (const result of results) expect(result).toMatchObject({ status: 'ACCEPTED', flags: [{ code: 'PAID_TWICE' }] });
    expect(await expected(front)).toEqual(before);
    const details = (await flagsOf(sale)).map(({ flags }: { flags: { detail: string }[] }) => flags[0]?.detail);
    expect(details.join()).toMatch(/\$10\.00 by a card terminal/);
    expect(details.join()).toMatch(/Voucher/);
  });

  it('is refused if it is a card, which was never charged, or if nobody knows the sale', async () => {
    await owner.call('PUT', '/api/dashboard/register-settings', {
      body: { restrict_discounts: false, offline_cards: { allowed: true, limit_money: usd(10_000) } },
    });
    const sale = await park();
    await pay(back, sale);
    const results = await send(kept(sale, card(1000)), kept({ ...sale, id: 'nobody' }, cash(1000)));
    expect(results).toMatchObject([
      { status: 'REFUSED', sale: { state: 'COMPLETED', last_act: by(back) } },
      { status: 'REFUSED', error: { code: 'NOT_FOUND' } },
    ]);
    expect(results[1]).not.toHaveProperty('sale');
  });

  it('is refused online: nobody has taken it yet', async () => {
    const before = await expected(front);
    const sale = await park();
    await pay(back, sale);
    refusedWith(await pay(front, sale, cash(1000)), { state: 'COMPLETED' });
    expect(await expected(front)).toEqual(before);
  });
});
