/** What stays out of the archive: one sale for each reason (decision 0253). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STAY_REASONS, type StayReason } from '../../../src/business/archive/model.js';
import { archive, countArchived, openShopOfThePast, type ShopOfThePast } from '../../support/archive.js';
import { placePaid } from '../../support/orders.js';
import { advance, approve, pay, refund, usd } from '../../support/payments.js';
import { ensureDefined, mainLocation, openShift } from '../../support/people.js';
import { cash, sell } from '../../support/register-sales.js';
import { letRollUp } from '../../support/roll-up.js';
import { isCluster, startTestServer, type TestServer } from '../../support/server.js';
import { hold } from '../../support/settlements.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

type Plant = (shop: ShopOfThePast) => Promise<unknown>;

const sql = () => server.database.sql;
const payOld = ({ owner }: ShopOfThePast) => pay(server, owner.merchant);
/** Two years later, with all due work done. */
async function grow({ owner }: ShopOfThePast, by = 'P2Y'): Promise<void> {
  await advance(server, owner.merchant, by);
  await letRollUp(server, owner);
}
const idOf = ({ owner }: ShopOfThePast) => owner.merchant.id;

/** What no request can bring about in a moment is written into the tables. */
const PLANTS: Readonly<Record<Exclude<StayReason, 'IN_USE'>, Plant>> = {
  async REFUNDABLE(shop) {
    await advance(server, shop.owner.merchant, 'P200D');
    await payOld(shop);
    await grow(shop, 'P300D');
  },
  async OPEN(shop) {
    await sell(shop.till, { tenders: [cash(100)] });
    await grow(shop);
  },
  async PAYMENT_UNDER_WAY(shop) {
    const { id } = await approve(server, shop.owner.merchant);
    await grow(shop);
    await sql()`update payments set status = 'APPROVED' where merchant_id = ${idOf(shop)} and payment_id = ${id}`;
  },
  async REFUND_UNDER_WAY(shop) {
    const payment = await payOld(shop);
    const { id } = await refund(server, shop.owner.merchant, payment, { amount_money: usd(100) });
    await grow(shop);
    await sql()`update refunds set status = 'PENDING' where merchant_id = ${idOf(shop)} and refund_id = ${id}`;
  },
  async DISPUTED(shop) {
    const { id } = await payOld(shop);
    expect((await hold(server, shop.owner.merchant, id)).status).toBe(200);
    await grow(shop);
  },
  async ORDER_OPEN(shop) {
    await placePaid(shop.store);
    await grow(shop);
  },
  async UNSETTLED(shop) {
    await payOld(shop);
    await grow(shop);
    await sql()`
      update settlements
      set visible_at = visible_at + interval '10 years'
      where merchant_id = ${idOf(shop)}`;
  },
  async DRAWER_OPEN(shop) {
    await openShift(shop.till);
    await sell(shop.till);
    await grow(shop);
  },
  async NOT_REPORTED(shop) {
    await payOld(shop);
    await grow(shop);
    await sql()`
      insert into report_late_days (merchant_id, location_id, day, marks)
      values (${idOf(shop)}, ${mainLocation(shop.owner.merchant)}, '2024-03-04', 1)`;
  },
  async FLAGGED(shop) {
    const sale = await sell(shop.till);
    await grow(shop);
    await sql()`
      insert into register_flags (
        merchant_id, device_id, client_id, operation, employee_id, occurred_at, arrived_at, flags, sale_id, is_open
      )
      values (
        ${idOf(shop)}, ${shop.till.device.id}, 'W1', 'ringUpSale', ${shop.till.employeeId}, now(), now(), '[]', ${sale.id}, true
      )`;
  },
  async NOT_DELIVERED(shop) {
    const { id } = await payOld(shop);
    await grow(shop);
    await sql()`
      insert into webhook_events (merchant_id, event_id, kind, entity_id, body, created_at)
      values (${idOf(shop)}, gen_random_uuid(), 'payment.created', ${id}, '{}', now())`;
    await sql()`
      insert into webhook_deliveries (merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at, ordinal)
      select merchant_id, gen_random_uuid(), event_id, 'S', entity_id, 'WAITING', now() + interval '1 year', now(), 1
      from webhook_events
      where merchant_id = ${idOf(shop)}`;
  },
  async WORK_DUE(shop) {
    const { id } = await payOld(shop);
    await grow(shop);
    await sql()`
      insert into due_work (merchant_id, kind, subject_id, due_at)
      values (${idOf(shop)}, 'SEND_VOID', ${id}, now() + interval '9 years')`;
  },
  async CHANGED(shop) {
    const payment = await payOld(shop);
    await advance(server, shop.owner.merchant, 'P350D');
    await refund(server, shop.owner.merchant, payment, { amount_money: usd(100) });
    await grow(shop);
  },
};

describe.skipIf(isCluster)('a sale stays', () => {
  it.each(Object.entries(PLANTS))('%s', async (reason, plant) => {
    const shop = await openShopOfThePast(server);
    const other = await payOld(shop);
    await advance(server, shop.owner.merchant, 'P1D');
    await plant(shop);
    if (reason === 'UNSETTLED' || reason === 'NOT_REPORTED') {
      // It is about all sales of the time.
      expect(await archive(server, shop)).toEqual({ moved: 0, stayed: { [reason]: 2 } });
      return;
    }
    expect(await archive(server, shop, '--dry-run')).toEqual({ moved: 1, stayed: { [reason]: 1 } });
    expect(await archive(server, shop)).toEqual({ moved: 1, stayed: { [reason]: 1 } });
    const [moved] = await sql()<{ id: string }[]>`
      select payment_id as id from payments_archive where merchant_id = ${idOf(shop)}`;
    expect(ensureDefined(moved).id).toBe(other.id);
  });

  it('while another transaction has locked its payment, and moves afterwards', async () => {
    const shop = await openShopOfThePast(server);
    const { id } = await payOld(shop);
    await grow(shop);
    await server.database.transaction(async (tx) => {
      await tx`select from payments where merchant_id = ${idOf(shop)} and payment_id = ${id} for update`;
      expect(await archive(server, shop)).toEqual({ moved: 0, stayed: { IN_USE: 1 } });
    });
    expect(await archive(server, shop)).toEqual({ moved: 1, stayed: {} });
    expect(await countArchived(server, idOf(shop))).toMatchObject({ sales: 1, payments: 1 });
  });

  it('for each reason that is listed', () => {
    expect([...Object.keys(PLANTS), 'IN_USE'].sort()).toEqual(Object.keys(STAY_REASONS).sort());
  });
});
