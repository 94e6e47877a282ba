/** The balance, failed settlements and disputes, as the owner sees them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../../support/clock.js';
import { createOwner } from '../../support/dashboard.js';
import { pay } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import {
  adjust,
  CLOSE,
  fail,
  feeOf,
  hold,
  linkAccount,
  MORNING,
  made,
  openShop,
  release,
  SEEN,
  setClock,
  type TestBusiness,
} from '../../support/settlements.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const usd = (amount: number) => ({ amount, currency: 'USD' });
const balanceOf = async ({ owner }: Pick<TestBusiness, 'owner'>) =>
  made(await owner.call('GET', '/api/dashboard/balance')).balance;

describe('dashboard.retrieveBalance', () => {
  it('shows what is unsettled by kind, when it closes, and what is on its way', async () => {
    const shop = await openShop(server);
    const { locationId } = shop;
    const { id } = await pay(server, shop, { amount_money: usd(10_000) });
    await pay(server, shop, { amount_money: usd(2_000) });
    made(await hold(server, shop, id, 500));
    made(await adjust(server, shop, -300));
    const fees = -(feeOf(10_000) + feeOf(2_000));
    const total = 12_000 + fees - 500 - 300;
    expect(await balanceOf(shop)).toEqual({
      unsettled_money: usd(total),
      has_bank_account: true,
      locations: [
        {
          location_id: locationId,
          unsettled_money: usd(total),
          charges_money: usd(12_000),
          fees_money: usd(fees),
          refunds_money: usd(0),
          disputes_money: usd(-500),
          other_money: usd(-300),
          entries: 4,
          next_close_at: CLOSE,
          visible_at: SEEN,
        },
      ],
      on_its_way: [],
    });

    await setClock(server, shop, CLOSE);
    const closed = await balanceOf(shop);
    expect(closed).toMatchObject({
      unsettled_money: usd(0),
      locations: [{ entries: 0, next_close_at: '2020-02-22T22:00:00Z' }],
      on_its_way: [{ location_id: locationId, total_money: usd(total), initiated_at: CLOSE, visible_at: SEEN }],
    });
    await setClock(server, shop, SEEN);
    expect(await balanceOf(shop)).toMatchObject({ unsettled_money: usd(0), on_its_way: [] });
  });

  it('waits for a bank account, and has every location in order', async () => {
    const owner = await createOwner(server, {
      locations: [
        { name: 'East', timezone: 'America/New_York' },
        { name: 'West', timezone: 'America/Los_Angeles' },
      ],
      clock: { now: MORNING, frozen: true },
    });
    const [east = '', west = ''] = owner.merchant.locationIds;
    await pay(server, owner.merchant, { amount_money: usd(1_000), location_id: west });
    await changeClock(server, owner.merchant.id, { now: '2020-02-23T00:00:00Z' });
    const waiting = await balanceOf({ owner });
    expect(waiting).toMatchObject({
      has_bank_account: false,
      unsettled_money: usd(1_000 - feeOf(1_000)),
      on_its_way: [],
    });
    expect(
      waiting.locations.map(({ location_id, entries }: { location_id: string; entries: number }) => [
        location_id,
        entries,
      ]),
    ).toEqual([
      [east, 0],
      [west, 1],
    ]);
    await linkAccount(owner);
    expect((await balanceOf({ owner })).has_bank_account).toBe(true);
  });
});

describe('a failed settlement', () => {
  it('says when it failed, and which settlement has paid its money again', async () => {
    const shop = await openShop(server);
    await pay(server, shop, { amount_money: usd(1_000) });
    await setClock(server, shop, SEEN);
    const get = async (rest = '') => made(await shop.owner.call('GET', `/api/dashboard/settlements${rest}`));
    const [{ id, total_money }] = (await get()).settlements;
    expect((await get(`/${id}`)).settlement.failed_at).toBeUndefined();
    made(await fail(server, shop, id));
    const { settlement } = await get(`/${id}`);
    expect(settlement).toMatchObject({ status: 'FAILED', failed_at: SEEN });
    expect(settlement.returned_in_settlement_id).toBeUndefined();
    expect((await balanceOf(shop)).locations[0].other_money.amount).toBe(total_money.amount);

    await setClock(server, shop, '2020-02-24T06:00:00Z');
    const [newest] = (await get()).settlements;
    expect(newest.id).not.toBe(id);
    expect((await get(`/${id}`)).settlement.returned_in_settlement_id).toBe(newest.id);
    expect((await get('?status=FAILED')).settlements).toMatchObject([{ id, failed_at: SEEN }]);
  });
});

describe('dashboard.listDisputes', () => {
  it('lists holds newest first, with their sale, and filters by state', async () => {
    const shop = await openShop(server);
    const list = async (query = '') => made(await shop.owner.call('GET', `/api/dashboard/disputes${query}`)).disputes;
    expect(await list()).toEqual([]);
    const [one, two] = [
      await pay(server, shop, { amount_money: usd(1_000) }),
      await pay(server, shop, { amount_money: usd(2_000) }),
    ];
    made(await hold(server, shop, one.id, 400));
    await changeClock(server, shop.id, { advance: 'PT1H' });
    made(await hold(server, shop, two.id));
    await changeClock(server, shop.id, { advance: 'PT1H' });
    made(await release(server, shop, one.id));
    const found = await list();
    expect(found).toMatchObject([
      { state: 'HELD', payment_id: two.id, amount_money: usd(2_000), location_id: shop.locationId },
      {
        state: 'RELEASED',
        payment_id: one.id,
        amount_money: usd(400),
        placed_at: '2020-02-21T15:00:00.000Z',
        released_at: '2020-02-21T17:00:00.000Z',
      },
    ]);
    for (const { sale_id, last_4 } of found) expect([typeof sale_id, last_4]).toEqual(['string', '5858']);
    expect((await list('?state=HELD')).map(({ payment_id }: { payment_id: string }) => payment_id)).toEqual([two.id]);
    expect((await list('?state=RELEASED')).map(({ payment_id }: { payment_id: string }) => payment_id)).toEqual([
      one.id,
    ]);
  });
});
