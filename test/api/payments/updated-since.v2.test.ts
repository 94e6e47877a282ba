/** Clients that sync by updated_at receive every change, in order, whatever changed and however old the record is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  advance,
  approve,
  cancelByKey,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  getRefund,
  later,
  pay,
  refund,
  usd,
  type WirePayment,
  type WireRefund,
  walk,
} from '../../support/payments.js';
import { openBusiness } from '../../support/people.js';
import { backdateSignIns, sendLate } from '../../support/queue.js';
import { card, item } from '../../support/register-sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:15:30.154Z';
const HOUR_MS = 3_600_000;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });

type Listed = (WirePayment & WireRefund)[];

async function list(who: TestMerchant, kind: 'payments' | 'refunds', query: Record<string, string>): Promise<Listed> {
  const pages = await walk(server, who, `/v2/${kind}?${new URLSearchParams(query)}`);
  return pages.flatMap(({ body }) => body[kind] ?? []);
}

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);
const ruleFor = ({ id }: TestMerchant, rule: object) =>
  server.operator('POST', `/api/sandbox/merchants/${id}/processor-rules`, rule);
const act = ({ token }: TestMerchant, path: string) => server.call('POST', path, { token });

/** The changes of an existing payment. */
const CHANGES: readonly {
  readonly change: string;
  readonly before?: (who: TestMerchant) => Promise<WirePayment>;
  readonly by: (who: TestMerchant, payment: WirePayment) => Promise<unknown>;
}[] = [
  {
    change: 'it is captured',
    before: (who) => approve(server, who),
    by: (who, { id }) => act(who, `/v2/payments/${id}/complete`),
  },
  {
    change: 'it is cancelled',
    before: (who) => approve(server, who),
    by: (who, { id }) => act(who, `/v2/payments/${id}/cancel`),
  },
  { change: 'its time is up', before: (who) => approve(server, who), by: (who) => advance(server, who, 'P7D') },
  {
    change: 'a refund reserves a part of it',
    by: (who, payment) => refund(server, who, payment, { amount_money: usd(1) }),
  },
  {
    change: 'its refund completes',
    before: async (who) => {
      const payment = await pay(server, who);
      await refund(server, who, payment);
      return getPayment(server, who, payment.id);
    },
    by: (who) => advance(server, who, 'PT3S'),
  },
  {
    change: 'its refund fails',
    before: async (who) => {
      const payment = await pay(server, who);
      await refund(server, who, payment);
      await ruleFor(who, { effect: 'FAIL_REFUND' });
      return getPayment(server, who, payment.id);
    },
    by: (who) => advance(server, who, 'PT3S'),
  },
  {
    change: 'it is reversed by its key',
    before: (who) => pay(server, who, { idempotency_key: 'to-be-reversed' }),
    by: (who) => cancelByKey(server, who, 'to-be-reversed'),
  },
];

describe('updated_at of a v2 payment', () => {
  it.each(CHANGES)('moves when $change, and a query since then returns that payment only', async (row) => {
    const who = await frozen();
    const old = await pay(server, who);
    const payment = await (row.before ?? (() => pay(server, who)))(who);
    const since = await advance(server, who, 'PT1S');
    await row.by(who, payment);
    const shown = await getPayment(server, who, payment.id);
    expect(shown).not.toEqual(payment);
    expect(shown.updated_at >= since).toBe(true);
    const query = { updated_at_begin_time: since };
    expect(await list(who, 'payments', query)).toEqual([shown]);
    expect(await list(who, 'payments', { ...query, sort_field: 'UPDATED_AT' })).toEqual([shown]);
    expect(await getPayment(server, who, old.id)).toMatchObject({ updated_at: START });
  });

  it('is the time of arrival for a late register sale, while created_at is the time of the sale', async () => {
    const role = { permissions: ['REGISTER_ISSUE_REFUNDS'] };
    const { owner, register } = await openBusiness(server, { clock: { now: START, frozen: true } }, { role });
    const who = owner.merchant;
    const limit_money = usd(10_000);
    const body = { restrict_discounts: false, offline_cards: { allowed: true, limit_money } };
    await owner.call('PUT', '/api/dashboard/register-settings', { body });
    await backdateSignIns(server, register.employeeId, 72 * HOUR_MS);
    await advance(server, who, 'P1D');
    const sinceSale = later(START, 24 * HOUR_MS);
    const occurred_at = later(START, HOUR_MS);
    const sale = { itemizations: [item(1000)], tenders: [card()] };
    await sendLate(register, sinceSale, 'ringUpSale', { occurred_at, body: sale });
    const [late] = await list(who, 'payments', { updated_at_begin_time: sinceSale });
    expect(late).toMatchObject({ created_at: occurred_at, updated_at: sinceSale, status: 'COMPLETED' });

    await advance(server, who, 'P1D');
    const sinceRefund = later(START, 48 * HOUR_MS);
    const back = { payment_id: late?.id, type: 'PARTIAL', reason: 'Stale', refunded_money: usd(100) };
    const refunded = { occurred_at: later(START, 2 * HOUR_MS), body: back };
    await sendLate(register, sinceRefund, 'issueRefund', refunded);
    const since = { updated_at_begin_time: sinceRefund };
    expect(await list(who, 'refunds', since)).toMatchObject([
      { created_at: later(START, 2 * HOUR_MS), updated_at: sinceRefund },
    ]);
    expect(await list(who, 'payments', since)).toMatchObject([{ id: late?.id, updated_at: sinceRefund }]);
  });
});

describe('updated_at of a v2 refund', () => {
  it.each([
    ['completes', undefined],
    ['fails', { effect: 'FAIL_REFUND' }],
  ])('moves when it %s, and a query since then returns it', async (_, rule) => {
    const who = await frozen();
    const { id } = await refund(server, who, await pay(server, who));
    const since = await advance(server, who, 'PT1S');
    expect(await list(who, 'refunds', { updated_at_begin_time: since })).toEqual([]);
    if (rule) await ruleFor(who, rule);
    await advance(server, who, 'PT2S');
    const shown = await getRefund(server, who, id);
    expect(shown.updated_at).toBe(later(START, 3000));
    expect(await list(who, 'refunds', { updated_at_begin_time: since })).toEqual([shown]);
    expect(await list(who, 'refunds', { updated_at_begin_time: since, status: shown.status })).toEqual([shown]);
  });
});

/** Six payments an hour apart, refunded in another order: created 0..5, changed last 3, 0, 5, 1; 2 and 4 never. */
async function shuffled() {
  const who = await server.createMerchant({
    locations: [{ name: 'One' }, { name: 'Two' }],
    clock: { now: START, frozen: true },
  });
  const payments: WirePayment[] = [];
  for (let index = 0; index < 6; index++) {
    const change = { location_id: who.locationIds[index % 2], amount_money: usd(1000 + (index % 3)) };
    payments.push(await pay(server, who, change));
    await advance(server, who, 'PT1H');
  }
  const refunds: WireRefund[] = [];
  for (const index of [3, 0, 5, 1]) {
    refunds.push(await refund(server, who, payments[index] as WirePayment, { amount_money: usd(10) }));
    await advance(server, who, 'PT1H');
  }
  return { who, payments: idsOf(payments), refunds: idsOf(refunds) };
}

describe('v2.listPayments and v2.listPaymentRefunds sorted by UPDATED_AT', () => {
  let who: TestMerchant;
  let payments: string[];
  let refunds: string[];
  const pick = (...places: number[]) => places.map((place) => payments[place]);
  beforeAll(async () => {
    ({ who, payments, refunds } = await shuffled());
  });

  it('return each record in both orders, in pages of any size', async () => {
    for (const limit of ['1', '2', '100']) {
      const query = { sort_field: 'UPDATED_AT', limit };
      const oldestFirst = pick(2, 4, 3, 0, 5, 1);
      expect(idsOf(await list(who, 'payments', { ...query, sort_order: 'ASC' }))).toEqual(oldestFirst);
      expect(idsOf(await list(who, 'payments', query))).toEqual(oldestFirst.toReversed());
      expect(idsOf(await list(who, 'refunds', { ...query, sort_order: 'ASC' }))).toEqual(refunds);
      expect(idsOf(await list(who, 'refunds', query))).toEqual(refunds.toReversed());
    }
  });

  it('include the begin of a range and exclude its end', async () => {
    const [second, third] = await Promise.all(pick(0, 5).map((id) => getPayment(server, who, id as string)));
    const range = {
      updated_at_begin_time: second?.updated_at as string,
      updated_at_end_time: third?.updated_at as string,
    };
    expect(idsOf(await list(who, 'payments', range))).toEqual(pick(0));
  });

  it('sort by CREATED_AT by default, and combine with every other filter', async () => {
    const since = { updated_at_begin_time: later(START, 6 * HOUR_MS) };
    expect(idsOf(await list(who, 'payments', since))).toEqual(pick(5, 3, 1, 0));
    expect(idsOf(await list(who, 'payments', { ...since, sort_field: 'CREATED_AT', sort_order: 'ASC' }))).toEqual(
      pick(0, 1, 3, 5),
    );
    const [one = '', two = ''] = who.locationIds;
    expect(idsOf(await list(who, 'payments', { ...since, location_id: one }))).toEqual(pick(0));
    expect(idsOf(await list(who, 'payments', { ...since, location_id: two, sort_field: 'UPDATED_AT' }))).toEqual(
      pick(1, 5, 3),
    );
    expect(idsOf(await list(who, 'payments', { ...since, total: '1000', sort_field: 'UPDATED_AT' }))).toEqual(
      pick(0, 3),
    );
    expect(idsOf(await list(who, 'payments', { ...since, begin_time: later(START, HOUR_MS) }))).toEqual(pick(5, 3, 1));
    expect(idsOf(await list(who, 'refunds', { ...since, location_id: one }))).toEqual([refunds[1]]);
  });

  it('return a change of a record older than a year, unless a range of created_at is given', async () => {
    const own = await frozen();
    const { id } = await pay(server, own, { idempotency_key: 'an-old-one' });
    const now = await advance(server, own, 'P2Y');
    await cancelByKey(server, own, 'an-old-one');
    expect(await list(own, 'payments', {})).toEqual([]);
    expect(idsOf(await list(own, 'payments', { sort_field: 'UPDATED_AT' }))).toEqual([id]);
    expect(idsOf(await list(own, 'payments', { updated_at_begin_time: now }))).toEqual([id]);
    expect(await list(own, 'payments', { updated_at_begin_time: now, begin_time: now })).toEqual([]);
    expect(await list(own, 'payments', { sort_field: 'UPDATED_AT', end_time: START })).toEqual([]);
  });

  it('return the changes of the last year by default, and keep that range over all pages', async () => {
    const own = await frozen();
    await pay(server, own);
    await advance(server, own, 'P2Y');
    expect(await list(own, 'payments', { sort_field: 'UPDATED_AT' })).toEqual([]);
    const [one, two] = [await pay(server, own), await pay(server, own)];
    const path = '/v2/payments?sort_field=UPDATED_AT&sort_order=ASC&limit=1';
    const first = await server.call('GET', path, { token: own.token });
    await advance(server, own, 'PT1S');
    const [, last] = [one, two].toSorted((left, right) => (left.id < right.id ? -1 : 1));
    await refund(server, own, last as WirePayment);
    const next = await server.call('GET', `/v2/payments?cursor=${first.body.cursor}`, { token: own.token });
    // It changed after the first page: the next sync returns it.
    expect(next.body.payments ?? []).toEqual([]);
  });

  it.each(['payments', 'refunds'] as const)(
    'return nothing on %s for a time that lies ahead of the clock',
    async (kind) => {
      const own = await frozen();
      await refund(server, own, await pay(server, own));
      const ahead = later(START, 24 * HOUR_MS);
      expect(await list(own, kind, { updated_at_begin_time: START })).toHaveLength(1);
      expect(await list(own, kind, { updated_at_begin_time: ahead })).toEqual([]);
      expect(
        await list(own, kind, { updated_at_begin_time: ahead, sort_field: 'UPDATED_AT', sort_order: 'ASC' }),
      ).toEqual([]);
    },
  );

  it.each(['payments', 'refunds'])('refuse invalid parameters on %s, naming them', async (kind) => {
    const ask = (query: Record<string, string>) =>
      server.call('GET', `/v2/${kind}?${new URLSearchParams(query)}`, { token: who.token });
    const [begin, end] = [later(START, HOUR_MS), START];
    const range = { updated_at_begin_time: begin, updated_at_end_time: end };
    const field = 'updated_at_end_time';
    expectRefusal(await ask(range), { code: 'INVALID_TIME_RANGE', field, says: ['updated_at_begin_time'] });
    expectRefusal(await ask({ begin_time: begin, updated_at_end_time: end }), {
      code: 'INVALID_TIME_RANGE',
      field,
      says: ['begin_time', 'before it is created'],
    });
    const twoYearsAgo = { updated_at_end_time: later(START, -17_520 * HOUR_MS) };
    expectRefusal(await ask(twoYearsAgo), {
      code: 'INVALID_TIME_RANGE',
      field,
      says: ['send updated_at_begin_time too'],
    });
    expectRefusal(await ask({ updated_at_begin_time: 'yesterday' }), {
      code: 'INVALID_TIME',
      field: 'updated_at_begin_time',
    });
    expectRefusal(await ask({ sort_field: 'TOTAL' }), {
      code: 'INVALID_ENUM_VALUE',
      field: 'sort_field',
      says: ['CREATED_AT', 'UPDATED_AT'],
    });
  });
});
