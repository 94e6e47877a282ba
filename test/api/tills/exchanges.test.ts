/** Exchanges of goods, the sales list of a register, and reversed payments in v1. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { cancelByKey, expectBooksInOrder, pay } from '../../support/payments.js';
import { openBusiness, type Register } from '../../support/people.js';
import { card, cash, item, sell, tryToSell } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const PERMISSIONS = ['REGISTER_ISSUE_REFUNDS', 'REGISTER_ACCESS_SALES_HISTORY'];

let server: TestServer;
let owner: TestOwner;
let till: Register;

beforeAll(async () => {
  server = await startTestServer();
  const clock = { now: '2020-02-26T10:00:00.500Z', frozen: true };
  const business = await openBusiness(server, { clock }, { role: { permissions: PERMISSIONS } });
  owner = business.owner;
  till = business.register;
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const v1 = async (path: string) => (await server.call('GET', `/v1/me/${path}`, { token: owner.merchant.token })).body;
const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
const usd = (amount: number) => ({ amount, currency_code: 'USD' });
const goods = (payment_id: string, amount: number) => ({ payment_id, amount_money: { amount }, reason: 'too small' });

describe('an exchange', () => {
  it('pays for the new sale with the value of the returned goods, and moves no money', async () => {
    const old = await sell(till, { itemizations: [item(1000)], tenders: [card()] });
    const body = { id: randomUUID(), itemizations: [item(1500)], returns: [goods(old.id, 800)], tenders: [cash()] };
    const sale = await sell(till, body);
    expect(sale).toMatchObject({
      state: 'COMPLETED',
      tenders: [
        { type: 'OTHER', is_exchange: true, total_money: { amount: 800 } },
        { type: 'CASH', is_exchange: false, total_money: { amount: 700 } },
      ],
    });
    const shown = await v1(`payments/${old.id}`);
    expect(shown.refunded_money).toEqual(usd(-800));
    expect(shown.refunds).toMatchObject([
      {
        is_exchange: true,
        payment_id: old.payment_id,
        refunded_money: usd(-800),
        refunded_processing_fee_money: usd(0),
      },
    ]);
    expect((await v1(`payments/${sale.id}`)).tender).toMatchObject([{ is_exchange: true }, { is_exchange: false }]);
    const refunds = await server.call('GET', '/v2/refunds', { token: owner.merchant.token });
    expect(refunds.body).toEqual({});
    // A retry of the same request changes nothing.
    expect(await sell(till, body)).toEqual(sale);
    expect((await v1(`payments/${old.id}`)).refunds).toHaveLength(1);
  });

  it('is limited to the total of the new sale', async () => {
    const old = await sell(till, { itemizations: [item(1000)], tenders: [cash()] });
    const answer = await tryToSell(till, { itemizations: [item(500)], returns: [goods(old.id, 501)] });
    expect(refusal(answer)).toEqual([400, 'INVALID_VALUE', 'amount_money']);
    expect((await v1(`payments/${old.id}`)).refunds).toEqual([]);
  });

  it('requires the permission to issue refunds', async () => {
    const { register } = await openBusiness(server);
    expect(refusal(await tryToSell(register, { returns: [goods('x', 1)] }))).toEqual([403, 'FORBIDDEN', 'returns']);
  });
});

describe('register.listSales', () => {
  it("returns the location's sales, newest first, including open ones, page by page", async () => {
    const business = await openBusiness(server, {}, { role: { permissions: PERMISSIONS } });
    const first = await sell(business.register, { tenders: [cash(300)] });
    const second = await sell(business.register);
    const list = (query = '') => business.register.call('GET', `/api/register/sales?limit=1${query}`);
    const page = (await list()).body;
    expect(page.sales.map(({ id }: { id: string }) => id)).toEqual([second.payment_id]);
    const next = (await list(`&cursor=${page.cursor}`)).body;
    expect(next.sales).toMatchObject([{ id: first.payment_id, is_partial: true }]);
    expect(next.cursor).toBeUndefined();
  });
});

describe('a reversed payment', () => {
  it('stays in v1, refunded in full (decision 0026)', async () => {
    const key = randomUUID();
    const payment = await pay(server, owner.merchant, { idempotency_key: key });
    await cancelByKey(server, owner.merchant, key);
    const shown = await v1(`payments/${payment.id}`);
    expect(shown.refunded_money.amount).toBe(-shown.total_collected_money.amount);
    expect(shown.refunds).toMatchObject([{ type: 'FULL', refunded_money: shown.refunded_money, is_exchange: false }]);
    expect(shown.tender[0].refunded_money).toEqual(shown.refunded_money);
    const listed = await v1('refunds');
    expect(listed.some(({ payment_id }: { payment_id: string }) => payment_id === payment.id)).toBe(true);
  });
});
