import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner } from '../../support/dashboard.js';
import { cancelByKey, expectBooksInOrder, expectRefusal, pay, refund, usd } from '../../support/payments.js';
import { openRegister } from '../../support/people.js';
import { cash, sell } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import {
  adjust,
  CLOSE,
  cents,
  fail,
  feeOf,
  hold,
  linkAccount,
  listed,
  MORNING,
  made,
  only,
  openShop,
  release,
  SEEN,
  setClock,
  settlementsOf,
} from '../../support/settlements.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('the close of a day', () => {
  it('creates one settlement of everything that the location is owed, with its entries', async () => {
    const shop = await openShop(server);
    const first = await pay(server, shop, { amount_money: usd(1290) });
    const second = await pay(server, shop, { amount_money: usd(5000), app_fee_money: usd(200) });
    await refund(server, shop, first, { amount_money: usd(500) });
    await setClock(server, shop, SEEN);
    const fees = [feeOf(1290), feeOf(5000) + 200] as const;
    const returnedFee = Math.round((feeOf(1290) * 500) / 1290);
    const total = 1290 - fees[0] + 5000 - fees[1] - 500 + returnedFee;
    expect(only(await settlementsOf(server, shop))).toEqual({
      id: expect.stringMatching(/^\w{27}$/),
      status: 'SENT',
      initiated_at: CLOSE,
      bank_account_id: shop.accountId,
      total_money: cents(total),
      entries: expect.toSatisfy((entries: unknown[]) => entries.length === 3),
    });
    const { entries = [] } = only(await settlementsOf(server, shop));
    const charge = (id: string, amount: number, fee: number) => ({
      payment_id: id,
      type: 'CHARGE',
      amount_money: cents(amount - fee),
      fee_money: cents(-fee),
    });
    expect(entries).toEqual(
      expect.arrayContaining([
        charge(first.id, 1290, fees[0]),
        charge(second.id, 5000, fees[1]),
        { payment_id: first.id, type: 'REFUND', amount_money: cents(returnedFee - 500), fee_money: cents(0) },
      ]),
    );
    expect(entries[2]?.type).toBe('REFUND'); // oldest first
  });

  it('includes movements before the close, and leaves those at that instant to the next', async () => {
    const shop = await openShop(server);
    await setClock(server, shop, '2020-02-21T21:59:59.999Z');
    const early = await pay(server, shop);
    await setClock(server, shop, CLOSE);
    const late = await pay(server, shop);
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const [first, second, ...more] = await settlementsOf(server, shop);
    expect(more).toEqual([]);
    expect([first?.initiated_at, first?.entries?.map((entry) => entry.payment_id)]).toEqual([CLOSE, [early.id]]);
    expect([second?.initiated_at, second?.entries?.map((entry) => entry.payment_id)]).toEqual([
      '2020-02-22T22:00:00Z',
      [late.id],
    ]);
  });

  it('creates no settlement without movements', async () => {
    const shop = await openShop(server);
    await setClock(server, shop, '2020-03-21T22:00:00Z');
    expect(await settlementsOf(server, shop)).toEqual([]);
  });

  it('leaves a total of zero to the next day', async () => {
    const shop = await openShop(server);
    await adjust(server, shop, 700);
    await adjust(server, shop, -700);
    await setClock(server, shop, SEEN);
    expect(await settlementsOf(server, shop)).toEqual([]);
    await adjust(server, shop, 50);
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const settlement = only(await settlementsOf(server, shop));
    expect(settlement.initiated_at).toBe('2020-02-22T22:00:00Z');
    expect(settlement.entries?.map(({ type, amount_money }) => [type, amount_money.amount])).toEqual([
      ['ADJUSTMENT', 700],
      ['ADJUSTMENT', -700],
      ['ADJUSTMENT', 50],
    ]);
    expect(settlement.total_money).toEqual(cents(50));
  });

  it('creates a withdrawal for a negative balance', async () => {
    const shop = await openShop(server);
    await adjust(server, shop, -1500);
    await setClock(server, shop, SEEN);
    expect(only(await settlementsOf(server, shop)).total_money).toEqual(cents(-1500));
  });

  it('closes each location separately by its own clock', async () => {
    const locations = [
      { name: 'New York', timezone: 'America/New_York' },
      { name: 'Tokyo', timezone: 'Asia/Tokyo' },
    ];
    const shop = await openShop(server, { locations });
    const [newYork = '', tokyo = ''] = shop.locationIds;
    const here = await pay(server, shop, { location_id: newYork });
    const there = await pay(server, shop, { location_id: tokyo });
    await setClock(server, shop, '2020-02-24T00:00:00Z');
    const [inNewYork, inTokyo] = [
      only(await listed(server, shop, `${newYork}/settlements`)),
      only(await listed(server, shop, `${tokyo}/settlements`)),
    ];
    expect([inNewYork.initiated_at, inTokyo.initiated_at]).toEqual([CLOSE, '2020-02-22T08:00:00Z']);
    const entriesOf = (await settlementsOf(server, shop)).map(({ entries }) => entries?.map((each) => each.payment_id));
    expect(entriesOf).toEqual([[here.id], [there.id]]);
    // Each is found at its own location and under me, not at the other.
    for (const [place, status] of [
      [tokyo, 200],
      ['me', 200],
      [newYork, 404],
    ] as const) {
      const answer = await server.call('GET', `/v1/${place}/settlements/${inTokyo.id}`, shop);
      expect([place, answer.status]).toEqual([place, status]);
    }
  });

  it('settles a payment, its reversal and its refund on the days on which they happened', async () => {
    const shop = await openShop(server);
    const key = randomUUID();
    const payment = await pay(server, shop, { idempotency_key: key });
    await setClock(server, shop, SEEN);
    await cancelByKey(server, shop, key);
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const [settled, reversed] = await settlementsOf(server, shop);
    const net = 1000 - feeOf(1000);
    expect(settled?.total_money).toEqual(cents(net));
    expect(reversed?.entries).toEqual([
      { payment_id: payment.id, type: 'ADJUSTMENT', amount_money: cents(-net), fee_money: cents(0) },
    ]);
  });

  it('leaves a payment and its reversal before the close to the next day, because they cancel out', async () => {
    const shop = await openShop(server);
    const key = randomUUID();
    await pay(server, shop, { idempotency_key: key });
    await cancelByKey(server, shop, key);
    await setClock(server, shop, SEEN);
    expect(await settlementsOf(server, shop)).toEqual([]);
    await adjust(server, shop, 5);
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const { entries } = only(await settlementsOf(server, shop));
    expect(entries?.map(({ type }) => type)).toEqual(expect.arrayContaining(['CHARGE', 'ADJUSTMENT', 'ADJUSTMENT']));
  });

  it('settles nothing of a payment that is only approved', async () => {
    const shop = await openShop(server);
    await pay(server, shop, { autocomplete: false });
    await setClock(server, shop, SEEN);
    expect(await settlementsOf(server, shop)).toEqual([]);
  });

  it('catches up in one step after years without business', async () => {
    const locations = Array.from({ length: 20 }, (_, index) => ({ name: `Shop ${index}` }));
    const shop = await openShop(server, { locations });
    await pay(server, shop);
    const started = performance.now();
    await setClock(server, shop, '2025-02-21T00:00:00Z');
    // One close per day would be 36,500 transactions.
    expect(performance.now() - started).toBeLessThan(30_000);
    await pay(server, shop, { location_id: shop.locationIds[7] });
    await setClock(server, shop, '2025-02-23T00:00:00Z');
    const late = only(await listed(server, shop, `${shop.locationIds[7]}/settlements`));
    expect(late.initiated_at).toBe('2025-02-21T22:00:00Z');
  });

  it('skips no day on which a refund completes', async () => {
    const shop = await openShop(server);
    const payment = await pay(server, shop);
    await setClock(server, shop, '2020-02-22T21:59:58Z');
    await refund(server, shop, payment, { amount_money: usd(400) }); // completes three seconds later, after the close
    await setClock(server, shop, '2020-02-29T15:00:00Z');
    const closes = (await settlementsOf(server, shop)).map(({ initiated_at }) => initiated_at);
    expect(closes).toEqual([CLOSE, '2020-02-23T22:00:00Z']);
  });

  it('closes the last representable day, and none after it', async () => {
    const shop = await openShop(server, { timezone: 'UTC', clock: { now: '9999-12-31T12:00:00Z', frozen: true } });
    await adjust(server, shop, 100);
    await setClock(server, shop, '9999-12-31T23:59:59.999Z');
    expect(only(await settlementsOf(server, shop)).initiated_at).toBe('9999-12-31T17:00:00Z');
    const left = await server.database.sql`select 1 from due_work where merchant_id = ${shop.id}`;
    expect(left).toHaveLength(0);
  });

  it('closes days again after a clock without records was set back', async () => {
    const shop = await createOwner(server, { clock: { now: '2030-01-01T00:00:00Z', frozen: true } });
    const { merchant } = shop;
    await setClock(server, merchant, '2032-01-01T00:00:00Z');
    await setClock(server, merchant, '2020-02-21T15:00:00Z');
    await linkAccount(shop);
    await pay(server, merchant);
    await setClock(server, merchant, '2020-02-22T07:00:00Z');
    expect(only(await settlementsOf(server, merchant)).initiated_at).toBe('2020-02-22T01:00:00Z');
  });
});

describe('daylight saving and the turn of the year', () => {
  it.each([
    ['summer begins', '2020-03-07T20:00:00Z', ['2020-03-07T22:00:00Z', '2020-03-08T21:00:00Z', '2020-03-09T21:00:00Z']],
    ['summer ends', '2020-10-31T20:00:00Z', ['2020-10-31T21:00:00Z', '2020-11-01T22:00:00Z', '2020-11-02T22:00:00Z']],
    ['a year ends', '2020-12-30T20:00:00Z', ['2020-12-30T22:00:00Z', '2020-12-31T22:00:00Z', '2021-01-01T22:00:00Z']],
  ])('keep the close at 17:00 in New York when %s', async (_, start, closes) => {
    const shop = await openShop(server, { clock: { now: start, frozen: true } });
    for (const close of closes) {
      await adjust(server, shop, 100);
      await setClock(server, shop, close);
    }
    await setClock(server, shop, new Date(Date.parse(closes.at(-1) ?? '') + 86_400_000).toISOString());
    const found = await settlementsOf(server, shop);
    expect(found.map((each) => each.initiated_at)).toEqual(closes);
    expect(found.map((each) => each.entries?.length)).toEqual([1, 1, 1]);
  });
});

describe('when a settlement is seen (decision 0035)', () => {
  it.each([
    ['America/New_York', CLOSE, SEEN],
    ['Asia/Tokyo', '2020-02-22T08:00:00Z', '2020-02-23T06:00:00Z'],
    ['America/Los_Angeles', '2020-02-22T01:00:00Z', SEEN],
    ['Pacific/Honolulu', '2020-02-22T03:00:00Z', SEEN],
  ])('is visible from 22:00 in Los Angeles on: %s', async (timezone, close, seen) => {
    const shop = await openShop(server, { timezone });
    await pay(server, shop);
    await setClock(server, shop, new Date(Date.parse(seen) - 1).toISOString());
    expect(await listed(server, shop, 'me/settlements')).toEqual([]);
    const [made] = await server.database.sql<{ id: string }[]>`
      select settlement_id as id from settlements where merchant_id = ${shop.id}`;
    const path = `/v1/me/settlements/${made?.id}`;
    expect((await server.call('GET', path, shop)).status).toBe(404);
    await setClock(server, shop, seen);
    const { id, initiated_at } = only(await listed(server, shop, 'me/settlements'));
    expect([id, initiated_at]).toEqual([made?.id, close]);
    expect((await server.call('GET', path, shop)).status).toBe(200);
  });

  it('is a wall-clock time: an hour earlier in UTC in summer', async () => {
    const shop = await openShop(server, { clock: { now: '2020-07-01T15:00:00Z', frozen: true } });
    await pay(server, shop);
    await setClock(server, shop, '2020-07-02T04:59:59.999Z');
    expect(await settlementsOf(server, shop)).toEqual([]);
    await setClock(server, shop, '2020-07-02T05:00:00Z');
    expect(only(await settlementsOf(server, shop)).initiated_at).toBe('2020-07-01T21:00:00Z');
  });
});

describe('a merchant without a bank account', () => {
  it('is not settled until it has one: the next close then includes everything unsettled', async () => {
    const owner = await createOwner(server, { timezone: 'America/New_York', clock: { now: MORNING, frozen: true } });
    const { merchant } = owner;
    const first = await pay(server, merchant);
    await setClock(server, merchant, '2020-02-25T15:00:00Z');
    const second = await pay(server, merchant);
    expect(await settlementsOf(server, merchant)).toEqual([]);
    await linkAccount(owner);
    await setClock(server, merchant, '2020-02-27T15:00:00Z');
    const { initiated_at, entries } = only(await settlementsOf(server, merchant));
    expect(initiated_at).toBe('2020-02-25T22:00:00Z');
    expect(entries?.map(({ payment_id }) => payment_id)).toEqual([first.id, second.id]);
  });

  it('is paid to the account that is active when the day is closed', async () => {
    const shop = await openShop(server);
    const second = await linkAccount(shop.owner, { account_number: '99887766' });
    await adjust(server, shop, 100);
    await setClock(server, shop, SEEN);
    await shop.owner.call('POST', `/api/dashboard/bank-accounts/${second}/put-in-force`);
    await adjust(server, shop, 200);
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const accounts = (await settlementsOf(server, shop)).map(({ bank_account_id }) => bank_account_id);
    expect(accounts).toEqual([shop.accountId, second]);
  });
});

describe('a settlement that the bank refuses', () => {
  it('is FAILED, and its money returns in the next one', async () => {
    const shop = await openShop(server);
    await pay(server, shop);
    await setClock(server, shop, SEEN);
    const { id, total_money } = only(await settlementsOf(server, shop));
    const failed = made(await fail(server, shop, id)).settlement;
    expect(failed).toEqual({
      id,
      status: 'FAILED',
      initiated_at: CLOSE,
      bank_account_id: shop.accountId,
      total_money,
    });
    await adjust(server, shop, 11);
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const [first, next] = await settlementsOf(server, shop);
    expect([first?.status, next?.status]).toEqual(['FAILED', 'SENT']);
    expect(next?.entries).toEqual(
      expect.arrayContaining([
        { type: 'RETURNED_PAYOUT', amount_money: total_money, fee_money: cents(0) },
        { type: 'ADJUSTMENT', amount_money: cents(11), fee_money: cents(0) },
      ]),
    );
    expect(next?.total_money).toEqual(cents(total_money.amount + 11));
  });

  it('fails once', async () => {
    const shop = await openShop(server);
    await adjust(server, shop, -300);
    await setClock(server, shop, SEEN);
    const { id } = only(await settlementsOf(server, shop));
    made(await fail(server, shop, id));
    expectRefusal(await fail(server, shop, id), { code: 'BAD_REQUEST', says: ['failed already'] });
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const [, again] = await settlementsOf(server, shop);
    expect(again?.total_money).toEqual(cents(-300));
  });

  it('can fail again in the next settlement', async () => {
    const shop = await openShop(server);
    await adjust(server, shop, 300);
    for (const day of ['22', '23', '24']) {
      await setClock(server, shop, `2020-02-${day}T06:00:00Z`);
      const newest = (await settlementsOf(server, shop)).at(-1);
      if (day !== '24') made(await fail(server, shop, newest?.id ?? ''));
    }
    const found = await settlementsOf(server, shop);
    expect(found.map(({ status, total_money }) => [status, total_money.amount])).toEqual([
      ['FAILED', 300],
      ['FAILED', 300],
      ['SENT', 300],
    ]);
  });

  it('is visible to its own merchant only', async () => {
    const [shop, other] = [await openShop(server), await openShop(server)];
    await adjust(server, shop, 300);
    await setClock(server, shop, SEEN);
    const { id } = only(await settlementsOf(server, shop));
    expectRefusal(await fail(server, other, id), { status: 404, code: 'NOT_FOUND' });
    expectRefusal(await fail(server, { ...shop, id: 'nobody' }, id), { status: 404, code: 'NOT_FOUND' });
    expect(only(await settlementsOf(server, shop)).status).toBe('SENT');
  });
});

describe('a disputed payment', () => {
  it('has its money held, and released again, as HOLD_ADJUSTMENT', async () => {
    const shop = await openShop(server);
    const payment = await pay(server, shop);
    const held = made(await hold(server, shop, payment.id)).hold;
    expect(held).toEqual({
      id: expect.any(String),
      payment_id: payment.id,
      amount_money: usd(1000),
      placed_at: MORNING,
    });
    await setClock(server, shop, SEEN);
    const released = made(await release(server, shop, payment.id)).hold;
    expect(released).toEqual({ ...held, released_at: new Date(SEEN).toISOString() });
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const [first, second] = await settlementsOf(server, shop);
    expect(first?.total_money).toEqual(cents(-feeOf(1000)));
    const about = { payment_id: payment.id, type: 'HOLD_ADJUSTMENT', fee_money: cents(0) };
    expect(first?.entries).toContainEqual({ ...about, amount_money: cents(-1000) });
    expect(second?.entries).toEqual([{ ...about, amount_money: cents(1000) }]);
  });

  it('is held once at a time, and again after its release', async () => {
    const shop = await openShop(server);
    const { id } = await pay(server, shop);
    made(await hold(server, shop, id, 400));
    expectRefusal(await hold(server, shop, id, 100), { code: 'BAD_REQUEST', says: ['already has a hold'] });
    made(await release(server, shop, id));
    expectRefusal(await release(server, shop, id), { code: 'BAD_REQUEST', says: ['no active hold'] });
    made(await hold(server, shop, id, 100));
  });

  it('is held up to the amount that was not refunded', async () => {
    const shop = await openShop(server);
    const payment = await pay(server, shop);
    await refund(server, shop, payment, { amount_money: usd(400) });
    await setClock(server, shop, SEEN);
    const field = 'amount_money.amount';
    expectRefusal(await hold(server, shop, payment.id, 601), { code: 'INVALID_VALUE', field, says: ['600'] });
    expectRefusal(await hold(server, shop, payment.id, 0), { code: 'VALUE_TOO_LOW', field });
    expect(made(await hold(server, shop, payment.id)).hold.amount_money).toEqual(usd(600));
  });

  it.each(['APPROVED', 'CANCELED', 'FAILED', 'refunded'])('is refused if no money was captured: %s', async (state) => {
    const shop = await openShop(server);
    const key = randomUUID();
    const change = {
      APPROVED: { autocomplete: false },
      CANCELED: { idempotency_key: key },
      FAILED: { source_id: 'cnon:card-nonce-declined' },
      refunded: {},
    }[state];
    const body = { idempotency_key: key, source_id: 'cnon:card-nonce-ok', amount_money: usd(1000), ...change };
    const { payment } = (await server.call('POST', '/v2/payments', { token: shop.token, body })).body;
    if (state === 'CANCELED') await cancelByKey(server, shop, key);
    if (state === 'refunded') await refund(server, shop, payment);
    await setClock(server, shop, '2020-02-21T15:01:00Z');
    expectRefusal(await hold(server, shop, payment.id), { code: 'BAD_REQUEST', says: [payment.id] });
    const none = await server.database.sql`select 1 from holds where merchant_id = ${shop.id}`;
    expect(none).toHaveLength(0);
  });

  it('is refused if it was not made by card: no bank can take cash back', async () => {
    const shop = await openShop(server);
    const register = await openRegister(server, shop.owner);
    for (const tender of [cash(), { ...cash(), type: 'OTHER' }]) {
      const { tenders } = await sell(register, { tenders: [tender] });
      expectRefusal(await hold(server, shop, only(tenders).id), { code: 'BAD_REQUEST', says: ['not made by card'] });
    }
    await setClock(server, shop, SEEN);
    expect(await settlementsOf(server, shop)).toEqual([]);
  });

  it('is visible to its own merchant only', async () => {
    const [shop, other] = [await openShop(server), await openShop(server)];
    const { id } = await pay(server, shop);
    for (const ask of [hold, release]) {
      expectRefusal(await ask(server, other, id), { status: 404, code: 'NOT_FOUND' });
      expectRefusal(await ask(server, { ...shop, id: 'nobody' }, id), { status: 404, code: 'NOT_FOUND' });
    }
  });
});
