/** Cards that a terminal beside the register has charged: in the books like another tender, on every surface as what they are. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOwner } from '../../support/dashboard.js';
import { expectBooksInOrder, movementsOf } from '../../support/payments.js';
import { openBusiness, openShift, type Register } from '../../support/people.js';
import { keep, sendQueue } from '../../support/queue.js';
import { cash, sell, tryToSell, usd, type WireSale } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:15:30.154Z';
const SLIP = { card_brand: 'MASTERCARD', last_4: '4444', reference: 'AUTH 081522' };

let server: TestServer;
let owner: TestOwner;
let register: Register;
let sale: WireSale;

const external = (amount?: number, more: Record<string, unknown> = SLIP) => ({
  id: randomUUID(),
  type: 'EXTERNAL_CARD',
  ...(amount !== undefined && { amount_money: { amount } }),
  ...more,
});

beforeAll(async () => {
  server = await startTestServer();
  ({ owner, register } = await openBusiness(
    server,
    { clock: { now: START, frozen: true } },
    {
      role: { permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_VIEW_SUMMARY_REPORTS'] },
    },
  ));
  await openShift(register);
  sale = await sell(register, { tenders: [external(600), cash(400)] });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const location = () => owner.merchant.locationIds[0];
const v1Usd = (amount: number) => ({ amount, currency_code: 'USD' });
const paymentId = () => sale.tenders[0]?.id ?? '';

describe('a card of an external terminal', () => {
  it('pays at once, without a fee, a movement, or cash in the drawer', async () => {
    expect(sale).toMatchObject({ state: 'COMPLETED', remaining_money: usd(0) });
    expect(sale.tenders[0]).toMatchObject({
      type: 'EXTERNAL_CARD',
      status: 'COMPLETED',
      card_brand: 'MASTERCARD',
      pan_suffix: '4444',
      total_money: usd(600),
    });
    expect(await movementsOf(server, paymentId())).toEqual([]);
    const shift = await register.call('GET', '/api/register/cash-drawer-shifts/open');
    expect(shift.body.cash_drawer_shift).toMatchObject({ cash_payment_money: usd(400) });
  });

  it('is a THIRD_PARTY_CARD in v1 and in transactions, and no payment of v2', async () => {
    const { token } = owner.merchant;
    const { body } = await server.call('GET', `/v1/${location()}/payments/${sale.payment_id}`, { token });
    expect(body.tender[0]).toMatchObject({
      type: 'THIRD_PARTY_CARD',
      card_brand: 'MASTER_CARD',
      pan_suffix: '4444',
      entry_method: 'OTHER',
      payment_note: 'AUTH 081522',
    });
    expect(body.tender[0]).not.toHaveProperty('settled_at');
    const listed = await server.call('GET', `/v2/locations/${location()}/transactions`, { token });
    expect(listed.body.transactions[0].tenders).toMatchObject([
      { type: 'THIRD_PARTY_CARD', note: 'AUTH 081522', processing_fee_money: usd(0) },
      { type: 'CASH' },
    ]);
    expect((await server.call('GET', '/v2/payments', { token })).body).toEqual({});
    expect((await server.call('GET', `/v2/payments/${paymentId()}`, { token })).status).toBe(404);
  });

  it('is found, named and counted separately on the dashboard, on the receipt and in the X report', async () => {
    const found = async (type: string) =>
      (await owner.call('GET', `/api/dashboard/sales?tender_type=${type}`)).body.sales.length;
    expect([await found('EXTERNAL_CARD'), await found('CASH'), await found('OTHER'), await found('CARD')]).toEqual([
      1, 1, 0, 0,
    ]);
    const byDigits = await owner.call('GET', '/api/dashboard/sales?search=Mastercard%204444');
    expect(byDigits.body.sales).toMatchObject([{ id: sale.id }]);
    const shown = (await owner.call('GET', `/api/dashboard/sales/${sale.id}`)).body.sale.tenders[0];
    expect(shown).toMatchObject({ type: 'EXTERNAL_CARD', card_brand: 'MASTERCARD', note: 'AUTH 081522' });
    const receipt = await server.call('GET', `/receipts/${paymentId()}?merchant=${owner.merchant.id}`);
    expect(receipt.text).toContain('Mastercard 4444, terminal');
    const day = 'begin_date=2020-02-26&end_date=2020-02-26&group_by=TENDER';
    const { rows } = (await owner.call('GET', `/api/dashboard/reports/sales?${day}`)).body;
    expect(rows.map((row: { key: string; collected: number }) => [row.key, row.collected])).toEqual([
      ['EXTERNAL_CARD', 600],
      ['CASH', 400],
    ]);
    const { id } = (await register.call('GET', '/api/register/cash-drawer-shifts/open')).body.cash_drawer_shift;
    const report = (await register.call('GET', `/api/register/cash-drawer-shifts/${id}/report`)).body;
    expect(JSON.stringify(report)).toContain('"type":"EXTERNAL_CARD","count":1');
  });

  it('has the tip that was typed on the terminal, in all books, and nobody settles it', async () => {
    const { token } = owner.merchant;
    const tipped = await sell(register, { tenders: [external(undefined, { ...SLIP, tip_money: { amount: 150 } })] });
    const [tender] = tipped.tenders;
    expect(tipped).toMatchObject({ state: 'COMPLETED', total_money: usd(1000), paid_money: usd(1000) });
    expect(tender).toMatchObject({ amount_money: usd(1000), tip_money: usd(150), total_money: usd(1150) });
    const v1 = await server.call('GET', `/v1/${location()}/payments/${tipped.payment_id}`, { token });
    expect(v1.body).toMatchObject({ tip_money: v1Usd(150), total_collected_money: v1Usd(1150) });
    expect(v1.body).toMatchObject({ net_total_money: v1Usd(1150), processing_fee_money: v1Usd(0) });
    expect(v1.body.tender).toMatchObject([{ type: 'THIRD_PARTY_CARD', total_money: v1Usd(1150) }]);
    const listed = await server.call('GET', `/v2/locations/${location()}/transactions`, { token });
    const tendersOf = ({ tenders }: { tenders: unknown[] }) => tenders;
    expect(listed.body.transactions.flatMap(tendersOf)).toContainEqual(
      expect.objectContaining({ id: tender?.id, amount_money: usd(1150), tip_money: usd(150) }),
    );
    const receipt = await server.call('GET', `/receipts/${tender?.id}?merchant=${owner.merchant.id}`);
    expect(receipt.text.replaceAll(/<[^>]*>/g, ' ')).toMatch(
      /Total\s+\$10\.00\s+Tip\s+\$1\.50\s+Total with tip\s+\$11\.50.*4444, terminal\s+\$11\.50/s,
    );
    const report = async (groupBy: string) => {
      const day = `begin_date=2020-02-26&end_date=2020-02-26&group_by=${groupBy}`;
      const { rows } = (await owner.call('GET', `/api/dashboard/reports/sales?${day}`)).body;
      return rows.map((row: Record<string, unknown>) => [row['key'], row['tips'], row['collected']]);
    };
    expect(await report('TENDER')).toEqual([
      ['EXTERNAL_CARD', 150, 1750],
      ['CASH', 0, 400],
    ]);
    expect(await movementsOf(server, tender?.id ?? '')).toEqual([]);
    const body = { payment_id: tipped.payment_id, type: 'FULL', reason: 'Broken' };
    const given = await register.write('/api/register/refunds', body);
    expect(given.body.refunds).toMatchObject([{ status: 'COMPLETED', amount_money: usd(1150) }]);
    expect(await report('TENDER')).toEqual([
      ['EXTERNAL_CARD', 0, 600],
      ['CASH', 0, 400],
    ]);
  });

  it('is refunded at once, because the money goes back at the terminal', async () => {
    const other = await sell(register, { tenders: [external()] });
    const body = { payment_id: other.payment_id, type: 'FULL', reason: 'Broken' };
    const answer = await register.write('/api/register/refunds', body);
    expect(answer.body.refunds).toMatchObject([{ status: 'COMPLETED', amount_money: usd(1000) }]);
    expect(await movementsOf(server, other.tenders[0]?.id ?? '')).toEqual([]);
  });

  it('needs no data of the slip, and refuses an invalid brand and anything but four digits', async () => {
    const bare = await sell(register, { tenders: [external(undefined, {})] });
    expect(bare.tenders[0]).toMatchObject({ type: 'EXTERNAL_CARD', card_brand: 'OTHER_BRAND' });
    for (const wrong of [{ last_4: '123' }, { last_4: '4111111111111111' }, { card_brand: 'SQUARE_GIFT_CARD' }]) {
      expect((await tryToSell(register, { tenders: [external(undefined, wrong)] })).status).toBe(400);
    }
  });

  it('is kept while the register is offline, and charged nowhere', async () => {
    const body = { itemizations: [{ name: 'Loaf', single_quantity_money: { amount: 500 } }], tenders: [external()] };
    const answer = await sendQueue(register, START, [keep(register, 'ringUpSale', { occurred_at: START, body })]);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toContain('"type":"EXTERNAL_CARD"');
  });
});
