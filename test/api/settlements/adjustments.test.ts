/** Adjustments of the amount that a merchant is owed: who may create them, how often, and up to which amount (decision 0101). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { expectBooksInOrder, expectRefusal, type Json } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { MORNING, made } from '../../support/settlements.js';

const MAXIMUM = 10_000_000;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

interface Shop {
  readonly owner: TestOwner;
  readonly byOwner: (change?: Json) => Promise<ApiResponse>;
  readonly byOperator: (change?: Json) => Promise<ApiResponse>;
  readonly amounts: () => Promise<number[]>;
}

async function open(): Promise<Shop> {
  const owner = await createOwner(server, { clock: { now: MORNING, frozen: true } });
  const { id, locationIds } = owner.merchant;
  const body = (change: Json) => ({
    idempotency_key: randomUUID(),
    location_id: locationIds[0],
    amount_money: { amount: -250, currency: 'USD' },
    reason: 'Fee',
    ...change,
  });
  return {
    owner,
    byOwner: (change = {}) => owner.call('POST', '/api/dashboard/adjustments', { body: body(change) }),
    byOperator: (change = {}) => server.operator('POST', `/api/sandbox/merchants/${id}/adjustments`, body(change)),
    async amounts() {
      const rows = await server.database.sql<{ amount: number }[]>`
        select amount from movements where merchant_id = ${id} order by amount`;
      return rows.map(({ amount }) => amount);
    },
  };
}

describe.each(['byOwner', 'byOperator'] as const)('an adjustment %s', (by) => {
  it('takes money from the next settlement, with a reason', async () => {
    const shop = await open();
    expect(made(await shop[by]()).adjustment).toEqual({
      id: expect.any(String),
      location_id: shop.owner.merchant.locationIds[0],
      amount_money: { amount: -250, currency: 'USD' },
      reason: 'Fee',
      created_at: MORNING,
    });
    expect(await shop.amounts()).toEqual([-250]);
  });

  it.each([
    ['nothing', { amount_money: { amount: 0 } }, 'amount_money.amount'],
    ['more than the maximum', { amount_money: { amount: -MAXIMUM - 1 } }, 'amount_money.amount'],
    ['another currency', { amount_money: { amount: -5, currency: 'CAD' } }, 'amount_money.currency'],
    ['no reason', { reason: '' }, 'reason'],
    ['no key', { idempotency_key: undefined }, 'idempotency_key'],
    ['an empty key', { idempotency_key: '' }, 'idempotency_key'],
    ['a key that is too long', { idempotency_key: 'k'.repeat(46) }, 'idempotency_key'],
    ['nowhere', { location_id: 'nowhere' }, 'location_id'],
  ])('is refused with %s', async (_, change, field) => {
    const shop = await open();
    const answer = await shop[by](change);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    expect(await shop.amounts()).toEqual([]);
  });

  it('is created once per key, also for concurrent requests', async () => {
    const shop = await open();
    const key = { idempotency_key: 'once' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop[by](key)));
    const ids = new Set(answers.map((answer) => made(answer).adjustment.id));
    expect(ids.size).toBe(1);
    expect(made(await shop[by](key))).toEqual(made(answers[0] as ApiResponse));
    expect(await shop.amounts()).toEqual([-250]);
  });

  it.each([
    ['amount', { amount_money: { amount: -251 } }],
    ['reason', { reason: 'Another' }],
  ])('refuses its key with another %s', async (_, change) => {
    const shop = await open();
    made(await shop[by]({ idempotency_key: 'once' }));
    expectRefusal(await shop[by]({ idempotency_key: 'once', ...change }), {
      code: 'IDEMPOTENCY_KEY_REUSED',
      field: 'idempotency_key',
    });
    expect(await shop.amounts()).toEqual([-250]);
  });
});

describe('an adjustment in favour of the merchant', () => {
  it('is accepted from the operator, up to the maximum', async () => {
    const shop = await open();
    made(await shop.byOperator({ amount_money: { amount: 1 } }));
    made(await shop.byOperator({ amount_money: { amount: MAXIMUM } }));
    expectRefusal(await shop.byOperator({ amount_money: { amount: MAXIMUM + 1 } }), {
      code: 'VALUE_TOO_HIGH',
      field: 'amount_money.amount',
    });
    expect(await shop.amounts()).toEqual([1, MAXIMUM]);
  });

  it.each([1, 250, MAXIMUM])('is refused to the owner: %i', async (amount) => {
    const shop = await open();
    const answer = await shop.byOwner({ amount_money: { amount } });
    expectRefusal(answer, { code: 'VALUE_TOO_HIGH', field: 'amount_money.amount' });
    expect(answer.body.errors[0].detail).toContain('operator');
    expect(await shop.amounts()).toEqual([]);
  });
});

it('adjustments have separate keys for an owner and the operator, and for two merchants', async () => {
  const [one, two] = [await open(), await open()];
  const key = { idempotency_key: 'once' };
  for (const answer of [await one.byOwner(key), await one.byOperator(key), await two.byOwner(key)]) made(answer);
  expect([await one.amounts(), await two.amounts()]).toEqual([[-250, -250], [-250]]);
});
