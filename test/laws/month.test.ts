/**
 * Weeks of random business through all surfaces at once: register, API, online store, operator and clock. Requests of
 * the same hour run concurrently. Afterwards all laws hold, and the bank account was paid to the cent.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/laws.js';
import { walkV1, walkV2 } from '../support/lists.js';
import { isLong } from '../support/long.js';
import type { WireFee, WirePayment, WireRefund } from '../support/payments.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { settlementsOf, type WireSettlement } from '../support/settlements.js';
import { expectBalance } from './v1-balance.js';
import { ACT_KINDS, type Act, NEED_NOT_WORK, WholeBusiness } from './whole-business.js';

const HOURS_A_MOVE = 8;
/** Offline sales of the first day may have happened before it. */
const OLDEST_OFFLINE_MS = 72 * 3_600_000;
/** Across a daylight saving change at both locations, and across the end of a year. Each start is also the seed of its days. */
const PERIODS: readonly (readonly [days: number, start: string])[] = [
  [31, '2020-03-05T10:30:00Z'],
  isLong ? [31, '2020-12-10T10:30:00Z'] : [14, '2020-12-24T10:30:00Z'],
];

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...ACT_KINDS),
  place: fc.nat(1),
  which: fc.nat(100_000),
  units: fc.integer({ min: 30, max: 5000 }),
});

const acts = fc.array(act, { minLength: 4, maxLength: 10, size: 'max' });

/** Records which actions succeeded. A failed action must be an ordinary refusal. */
class Tally {
  readonly #done = new Set<string>();

  count({ kind }: Act, answer: { readonly status: number; readonly text: string } | undefined): void {
    if (!answer) return;
    expect([200, 400, 404, 409, 422], `${kind}: ${answer.status} ${answer.text}`).toContain(answer.status);
    if (answer.status === 200) this.#done.add(kind);
  }

  hasDone(kind: string): boolean {
    return this.#done.has(kind);
  }
}

const tally = new Tally();

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const sum = (numbers: readonly number[]): number => numbers.reduce((so, each) => so + each, 0);
const feesOf = ({ processing_fee = [] }: { readonly processing_fee?: readonly WireFee[] }): number =>
  sum(processing_fee.map(({ amount_money }) => amount_money.amount));

async function readBooks({ owner: { merchant } }: WholeBusiness, begin_time: string) {
  const get = (path: string) => server.call('GET', path, { token: merchant.token });
  const payments: WirePayment[] = (
    await Promise.all(
      merchant.locationIds.map((location_id) =>
        walkV2({ get, path: '/v2/payments', parameters: { location_id, begin_time } }),
      ),
    )
  ).flatMap((pages) => pages.flatMap(({ body }) => body.payments));
  const refunds: WireRefund[] = (await walkV2({ get, path: '/v2/refunds', parameters: { begin_time } })).flatMap(
    ({ body }) => body.refunds,
  );
  const sales: V1Payment[] = (await walkV1({ get, path: '/v1/me/payments', parameters: { begin_time } })).flatMap(
    ({ body }) => body,
  );
  return { payments, refunds, sales, settlements: await settlementsOf(server, merchant) };
}

interface V1Payment {
  readonly id: string;
  readonly tender: readonly { readonly type: string }[];
}

/** The amount owed for cards, computed from v2 alone. */
function owedForCards(payments: readonly WirePayment[], refunds: readonly WireRefund[]): number {
  const charged = payments.filter(({ status }) => status === 'COMPLETED');
  // A payment that was cancelled by its key refunded what earlier refunds had left, so its sum is zero.
  const ids = new Set(charged.map(({ id }) => id));
  const given = refunds.filter(({ status, payment_id }) => status === 'COMPLETED' && ids.has(payment_id));
  return (
    sum(charged.map((payment) => payment.total_money.amount - feesOf(payment))) -
    sum(given.map((refund) => refund.amount_money.amount + feesOf(refund)))
  );
}

/** The amount paid out for cards, computed from v1 alone: reversals are adjustments with a payment. */
function paidForCards(settlements: readonly WireSettlement[]): number {
  const entries = settlements.flatMap(({ entries = [] }) => entries);
  const forCards = entries.filter(({ type, payment_id }) => payment_id !== undefined && type !== 'HOLD_ADJUSTMENT');
  return sum(forCards.map(({ amount_money }) => amount_money.amount));
}

async function expectPaidInFull(business: WholeBusiness, from: string): Promise<void> {
  const { payments, refunds, sales, settlements } = await readBooks(business, from);
  expect(paidForCards(settlements)).toBe(owedForCards(payments, refunds));
  for (const { total_money, entries = [] } of settlements) {
    expect(total_money.amount).toBe(sum(entries.map(({ amount_money }) => amount_money.amount)));
  }
  const byHand = sales
    .filter(({ tender }) => tender.length > 0 && tender.every(({ type }) => type === 'CASH'))
    .map(({ id }) => id);
  const settled = new Set(settlements.flatMap(({ entries = [] }) => entries.map(({ payment_id }) => payment_id)));
  expect(byHand.length).toBeGreaterThan(0);
  expect(byHand.filter((id) => settled.has(id))).toEqual([]);
}

it.each(PERIODS)(
  '%i days from %s on leave valid books and settlements that are right to the cent',
  async (days, start) => {
    const business = await WholeBusiness.open(server, start);
    for (const together of fc.sample(acts, { seed: Date.parse(start), numRuns: (days * 24) / HOURS_A_MOVE })) {
      const answers = await business.doTogether(together);
      for (const [index, answer] of answers.entries()) tally.count(together[index] as Act, answer);
      await business.wait(HOURS_A_MOVE);
    }
    // All work in flight finishes, and the last day closes and becomes visible.
    await business.wait(13 * 24);
    const from = new Date(Date.parse(start) - OLDEST_OFFLINE_MS).toISOString();
    await expectPaidInFull(business, from);
    expect((await expectBalance(server, business.owner.merchant, from)).givenUp).toBeGreaterThan(0);
    expect(await findBreaches(server.database)).toEqual([]);
  },
  300_000,
);

it('these days contain every action', () => {
  expect(ACT_KINDS.filter((kind) => !tally.hasDone(kind) && !NEED_NOT_WORK.includes(kind))).toEqual([]);
});
