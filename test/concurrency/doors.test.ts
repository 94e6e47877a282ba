/** The same money, goods or allowance, asked for at several surfaces at the same moment, on two servers: one gets it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOwner } from '../support/dashboard.js';
import type { ApiResponse } from '../support/http.js';
import { isLong } from '../support/long.js';
import { createApplication, grant } from '../support/oauth.js';
import { advance, cancelByKey, expectBooksInOrder, getPayment, paymentBody, tryToRefund } from '../support/payments.js';
import { hire, openBusiness, openShift, type Register, signInAt } from '../support/people.js';
import { keep, sendQueue } from '../support/queue.js';
import { card, cash, item, SALES, sell, tryToSell, usd, type WireSale } from '../support/register-sales.js';
import { spreadOver, startTestServer, type TestServer } from '../support/server.js';
import { hold } from '../support/settlements.js';
import { tryToRefundV1 } from '../support/v1-refunds.js';

const NOW = '2020-02-26T10:15:30.154Z';
const ROUNDS = isLong ? 30 : 4;
const REFUNDS = '/api/register/refunds';
const COMP = { name: 'Comp', rate: '1' };

let all: TestServer[];
let server: TestServer;
let owner: TestOwner;
let manager: Register;
let cashier: Register;

beforeAll(async () => {
  const first = await startTestServer();
  all = [first, await startTestServer({ databaseUrl: first.databaseUrl })];
  server = spreadOver(all);
  const permissions = [
    'REGISTER_ISSUE_REFUNDS',
    'REGISTER_ACCESS_SALES_HISTORY',
    'REGISTER_APPLY_RESTRICTED_DISCOUNTS',
  ];
  const business = await openBusiness(server, { clock: { now: NOW, frozen: true } }, { role: { permissions } });
  ({ owner, register: manager } = business);
  cashier = await signInAt(manager.device, (await hire(server, owner)).id);
  await openShift(manager, 1_000_000);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  for (const each of [...all].reverse()) await each.stop();
});

const idOf = ({ payment_id: id }: WireSale): string => id ?? '';
const goods = (sale: WireSale) => ({ payment_id: idOf(sale), amount_money: usd(1000), reason: 'too small' });
const kept = (operation: string, body: Record<string, unknown>, id: string = randomUUID()) =>
  sendQueue(manager, NOW, [keep(manager, operation, { id, occurred_at: NOW, body })]);
const accepted = ({ status, body }: ApiResponse): boolean =>
  status === 200 && (body.results?.[0].status ?? 'ACCEPTED') === 'ACCEPTED';
const wins = (answers: readonly ApiResponse[]): number => answers.filter(accepted).length;
const inRounds = async (round: () => Promise<void>) => {
  for (let count = 0; count < ROUNDS; count++) await round();
  await advance(server, owner.merchant, 'PT10S');
  await expectBooksInOrder(server);
};

/** Every way to get all of a sale back, as money or as other goods. */
function everyWayBack(sale: WireSale): Promise<ApiResponse>[] {
  const whole = { payment_id: idOf(sale), type: 'FULL', reason: 'cold' };
  const items = { ...whole, type: 'ITEMS', items: [{ line: 0, quantity: '1' }] };
  const byOwner = { idempotency_key: randomUUID(), type: 'WHOLE', amount_money: usd(1000) };
  const exchange = { itemizations: [item(1000)], returns: [goods(sale)] };
  return [
    tryToRefundV1(server, owner.merchant, { payment_id: idOf(sale) }),
    manager.write(REFUNDS, whole),
    manager.write(REFUNDS, items),
    kept('issueRefund', whole),
    owner.call('POST', `/api/dashboard/sales/${idOf(sale)}/refunds`, { body: byOwner }),
    tryToSell(manager, exchange),
    kept('ringUpSale', exchange),
  ];
}

describe('the money of a sale', () => {
  it.each<[string, () => Promise<WireSale>]>([
    ['by card', () => sell(manager, { tenders: [card()] })],
    ['by card and cash', () => sell(manager, { tenders: [card(700), cash()] })],
    [
      'by returned goods',
      async () => sell(manager, { returns: [goods(await sell(manager, { tenders: [card(700), cash()] }))] }),
    ],
  ])('%s goes back once, at one surface', (_, sold) =>
    inRounds(async () => {
      const sale = await sold();
      const [tender] = sale.tenders;
      const inV2 =
        sale.tenders.length === 1 && tender?.type === 'CARD' ? [tryToRefund(server, owner.merchant, tender)] : [];
      expect(wins(await Promise.all([...everyWayBack(sale), ...inV2]))).toBe(1);
    }),
  );

  it('is held by a dispute or goes back, at whatever surface', () =>
    inRounds(async () => {
      const sale = await sell(manager, { tenders: [card()] });
      const answers = await Promise.all([hold(server, owner.merchant, idOf(sale)), ...everyWayBack(sale)]);
      // Goods can go first and leave nothing to hold, or the dispute refuses them all.
      expect(wins(answers)).toBeGreaterThan(0);
      expect(wins(answers.slice(1))).toBeLessThan(2);
    }));

  it('that returned goods pay for goes to a canceled sale or to a paid one', () =>
    inRounds(async () => {
      const first = await sell(manager, { tenders: [card()] });
      const sale = await sell(manager, { itemizations: [item(1500)], returns: [goods(first)] });
      const [canceled, paid] = await Promise.all([
        manager.write(`${SALES}/${sale.id}/cancel`),
        manager.write(`${SALES}/${sale.id}/tenders`, cash()),
        ...everyWayBack(first),
      ]);
      expect(wins([canceled, paid] as ApiResponse[])).toBe(1);
      expect(wins(await Promise.all(everyWayBack(first)))).toBeLessThan(2);
    }));
});

describe('a write of a register', () => {
  it('is recorded once if it comes online and in the queue at the same moment', () =>
    inRounds(async () => {
      const sale = await sell(manager, { tenders: [card(700), cash()] });
      const refund = { payment_id: sale.tenders[0]?.id, type: 'PARTIAL', refunded_money: usd(300), reason: 'cold' };
      const id = randomUUID();
      const both = await Promise.all([manager.write(REFUNDS, { id, ...refund }), kept('issueRefund', refund, id)]);
      expect(wins(both)).toBe(2);
      const { body } = await server.call('GET', `/v1/me/payments/${sale.id}`, { token: owner.merchant.token });
      expect(body.refunded_money.amount).toBe(-300);
    }));

  it('has one content: of two with the same id, one is recorded', () =>
    inRounds(async () => {
      const sale = (amount: number) => ({ itemizations: [item(amount)], tenders: [cash(undefined, { id: 'T' })] });
      const id = randomUUID();
      expect(
        wins(await Promise.all([manager.write(SALES, { id, ...sale(1000) }), kept('ringUpSale', sale(2000), id)])),
      ).toBe(1);
      const open = await sell(manager, { tenders: [] });
      const take = (tender: object) => manager.write(`${SALES}/${open.id}/tenders`, { ...tender, id: 'T' });
      const late = kept('takeTender', { ...cash(500), id: undefined, sale_id: open.id }, 'T');
      expect(wins(await Promise.all([take(card(400)), take(cash(400)), late]))).toBe(1);
    }));
});

describe('a discount that was allowed', () => {
  it('is on one cookie, whatever is edited and paid at the same moment', async () => {
    await owner.call('PUT', '/api/dashboard/register-settings', { body: { restrict_discounts: true } });
    const cookie = (more = {}) => item(100, { name: 'Cookie', ...more });
    const free = cookie({ discounts: [COMP] });
    await inRounds(async () => {
      const sale = await sell(manager, { itemizations: [free, item(1000)], tenders: [] });
      const edit = (register: Register, lines: object) => {
        const body = { id: randomUUID(), version: sale['version'], ...lines };
        return register.call('PUT', `${SALES}/${sale.id}`, { body });
      };
      const allowed = [
        edit(cashier, { itemizations: [cookie(), item(1000)] }),
        edit(cashier, { itemizations: [free, item(1000), item(5)] }),
      ];
      const refused = [
        edit(cashier, { itemizations: [free, free, item(1000)] }),
        edit(cashier, { itemizations: [cookie(), item(1000)], discounts: [COMP] }),
      ];
      const answers = await Promise.all([
        ...allowed,
        ...refused,
        cashier.write(`${SALES}/${sale.id}/tenders`, cash(1000)),
      ]);
      expect(wins(answers.slice(0, 2))).toBeLessThan(2);
      expect(wins(answers.slice(2, 4))).toBe(0);
      const { body } = await manager.call('GET', `${SALES}/${sale.id}`);
      expect([1000, 1005, 1100]).toContain(body.sale.total_money.amount);
    });
  });
});

describe('an idempotency key of two applications', () => {
  it('cancels what was created, and nothing is charged twice', async () => {
    const { token } = owner.merchant;
    const other = (await grant(server, await createApplication(server), owner.merchant.id)).access_token;
    await inRounds(async () => {
      const key = randomUUID();
      const body = paymentBody({ idempotency_key: key });
      const create = (by: string) => server.call('POST', '/v2/payments', { token: by, body });
      const created = await Promise.all([
        create(token),
        create(other),
        create(token),
        cancelByKey(server, { token }, key),
      ]);
      expect(wins(created)).toBe(4);
      for (const by of [token, other, token, other])
        expect((await cancelByKey(server, { token: by }, key)).status).toBe(200);
      for (const { body } of created.slice(0, 3)) {
        expect((await getPayment(server, owner.merchant, body.payment.id)).status).toBe('CANCELED');
      }
    });
  });
});
