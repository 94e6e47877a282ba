import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { changeClock } from '../support/clock.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { repetitions } from '../support/long.js';
import { cancelByKey, tryToPay, tryToRefund, usd } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { adjust, fail, hold, linkAccount, listed, made, release, settlementsOf } from '../support/settlements.js';

/** fast-check prints it with every failure, together with the path to the shortest failing month. */
const SEED = 20_200_226;
const MONTHS = repetitions({ usual: 6, long: 50 });
const HOUR_MS = 3_600_000;
const ZONES = ['America/New_York', 'Asia/Tokyo', 'Europe/London'];

type Command =
  | { readonly kind: 'pay'; readonly place: number; readonly amount: number }
  | { readonly kind: 'refund' | 'hold'; readonly which: number; readonly tenths: number }
  | { readonly kind: 'cancel by key' | 'release' | 'fail'; readonly which: number }
  | { readonly kind: 'adjust'; readonly place: number; readonly amount: number }
  | { readonly kind: 'link an account' }
  | { readonly kind: 'advance'; readonly hours: number };

const [which, place, tenths] = [fc.nat(1000), fc.nat(ZONES.length - 1), fc.integer({ min: 1, max: 10 })];

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('pay' as const), place, amount: fc.integer({ min: 1, max: 5000 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('refund' as const, 'hold' as const), which, tenths }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('cancel by key' as const, 'release' as const, 'fail' as const),
      which,
    }),
  },
  {
    // Few amounts, so that some days add up to zero.
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('adjust' as const), place, amount: fc.constantFrom(-100, 100, -5000, 7) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'link an account' } as const) },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), hours: fc.constantFrom(1, 5, 11, 24, 60) }),
  },
);

/** Months with a daylight saving change, and one with the end of a year. */
const starts = fc.constantFrom('2020-03-01T12:00:00Z', '2020-10-15T12:00:00Z', '2020-12-15T12:00:00Z');

interface Row {
  readonly id: string;
  readonly locationId: string;
  readonly net: number;
  readonly at: number;
  readonly settlementId: string | null;
}

interface Settled {
  readonly locationId: string;
  readonly initiatedAt: number;
  readonly total: number;
  readonly movements: readonly string[];
}

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** One merchant's month. Its clock is frozen unless it is moved. */
class Month {
  readonly #owner: TestOwner;
  readonly #merchant: TestMerchant;
  readonly #payments: { readonly id: string; readonly key: string }[] = [];
  readonly #start: number;
  #now: number;
  #accounts = 0;
  #linkedAt = Number.POSITIVE_INFINITY;

  constructor(owner: TestOwner, start: string) {
    this.#owner = owner;
    this.#merchant = owner.merchant;
    this.#start = Date.parse(start);
    this.#now = this.#start;
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const each of commands) {
      // No two actions happen at the same moment.
      await this.#advance(1000);
      await this.#obey(each);
    }
    await this.#advance(10_000);
    await this.#compare();
    if (this.#accounts === 0) await this.#link();
    await this.#advance(72 * HOUR_MS);
    await this.#compare();
  }

  async #advance(ms: number): Promise<void> {
    this.#now += ms;
    await changeClock(server, this.#merchant.id, { now: new Date(this.#now).toISOString() });
  }

  async #link(): Promise<void> {
    await linkAccount(this.#owner, { account_number: String(10_000 + this.#accounts++) });
    this.#linkedAt = Math.min(this.#linkedAt, this.#now);
  }

  #locationAt(index: number): string {
    return this.#merchant.locationIds[index] ?? '';
  }

  async #obey(given: Command): Promise<void> {
    const merchant = this.#merchant;
    switch (given.kind) {
      case 'advance':
        return this.#advance(given.hours * HOUR_MS);
      case 'link an account':
        return this.#link();
      case 'pay': {
        const key = randomUUID();
        const body = {
          idempotency_key: key,
          amount_money: usd(given.amount),
          location_id: this.#locationAt(given.place),
        };
        const { payment } = made(await tryToPay(server, merchant, body));
        this.#payments.push({ id: payment.id, key });
        return;
      }
      case 'adjust': {
        const locationId = this.#locationAt(given.place);
        made(await adjust(server, { ...merchant, locationId }, given.amount));
        return;
      }
      case 'fail': {
        const seen = (await listed(server, merchant, 'me/settlements')).filter(({ status }) => status === 'SENT');
        const settlement = seen[given.which % seen.length];
        if (settlement) made(await fail(server, merchant, settlement.id));
        return;
      }
      default: {
        const payment = this.#payments[given.which % this.#payments.length];
        if (payment) await this.#change(given, payment);
      }
    }
  }

  /** An action on a payment may be refused: too much, or too late. */
  async #change(
    given: Extract<Command, { readonly which: number }>,
    payment: { readonly id: string; readonly key: string },
  ): Promise<void> {
    const merchant = this.#merchant;
    const answers = {
      refund: () => tryToRefund(server, merchant, payment, { amount_money: usd(amountOf(given)) }),
      hold: () => hold(server, merchant, payment.id, amountOf(given)),
      release: () => release(server, merchant, payment.id),
      'cancel by key': () => cancelByKey(server, merchant, payment.key),
      fail: () => fail(server, merchant, payment.id),
    };
    expect([200, 400]).toContain((await answers[given.kind]()).status);
  }

  async #movements(): Promise<readonly Row[]> {
    return server.database.sql<Row[]>`
      select movement_id as id, location_id, amount + fee as net, (extract(epoch from occurred_at) * 1000)::bigint as at,
        settlement_id
      from movements
      where merchant_id = ${this.#merchant.id}`;
  }

  /** Recomputes the settlements day by day and location by location, and expects exactly those. */
  async #compare(): Promise<void> {
    const movements = await this.#movements();
    const expected = this.#merchant.locationIds.flatMap((locationId, index) =>
      settlementsAt(
        movements.filter((each) => each.locationId === locationId),
        closesIn(ZONES[index] ?? '', this.#start, this.#now).filter((close) => close > this.#linkedAt),
      ).map((settled) => ({ locationId, ...settled })),
    );
    const rows = await server.database.sql<(Omit<Settled, 'movements'> & { id: string })[]>`
      select settlement_id as id, location_id, initiated_at, total
      from settlements
      where merchant_id = ${this.#merchant.id}`;
    const found = rows.map(({ id, ...rest }) => ({
      ...rest,
      movements: movements.filter(({ settlementId }) => settlementId === id).map((each) => each.id),
    }));
    expect(inOrder(found)).toEqual(inOrder(expected));
    const unsettled = movements.filter(({ settlementId }) => settlementId === null);
    expect(sum(rows.map(({ total }) => total)) + sum(unsettled.map(({ net }) => net))).toBe(
      sum(movements.map(({ net }) => net)),
    );
    for (const { total_money, entries = [] } of await settlementsOf(server, this.#merchant)) {
      expect(sum(entries.map(({ amount_money }) => amount_money.amount))).toBe(total_money.amount);
      for (const { fee_money } of entries) expect(fee_money.amount).toBeLessThanOrEqual(0);
    }
  }
}

function amountOf(given: Command): number {
  return 'tenths' in given ? given.tenths * 100 : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((so, each) => so + each, 0);
}

/** Each full hour of the period at which it is 17:00 local time; the zones here are whole hours from UTC. */
function closesIn(timezone: string, from: number, to: number): number[] {
  const hour = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit' });
  const hours = Array.from({ length: Math.ceil((to - from) / HOUR_MS) + 1 }, (_, index) => from + index * HOUR_MS);
  return hours.filter((each) => each > from && each <= to && hour.format(each) === '17');
}

function settlementsAt(movements: readonly Row[], closes: readonly number[]): Omit<Settled, 'locationId'>[] {
  let waiting = [...movements];
  return closes.flatMap((initiatedAt) => {
    const taken = waiting.filter(({ at }) => at < initiatedAt);
    const total = sum(taken.map(({ net }) => net));
    if (total === 0) return [];
    waiting = waiting.filter((each) => !taken.includes(each));
    return [{ initiatedAt, total, movements: taken.map(({ id }) => id) }];
  });
}

function inOrder(settlements: readonly Settled[]): Settled[] {
  return settlements
    .map((each) => ({ ...each, movements: [...each.movements].sort() }))
    .sort((a, b) => a.initiatedAt - b.initiatedAt || (a.locationId < b.locationId ? -1 : 1));
}

describe('every month', () => {
  it('settles every movement once, on its day, and loses nothing', async () => {
    const months = fc.asyncProperty(
      starts,
      fc.boolean(),
      fc.array(command, { minLength: 30, maxLength: 70, size: 'max' }),
      async (start, linked, commands) => {
        const locations = ZONES.map((timezone) => ({ name: timezone, timezone }));
        const owner = await createOwner(server, { locations, clock: { now: start, frozen: true } });
        await new Month(owner, start).run(linked ? [{ kind: 'link an account' }, ...commands] : commands);
      },
    );
    await fc.assert(months, { seed: SEED, numRuns: MONTHS, endOnFailure: true });
    expect(await findBreaches(server.database)).toEqual([]);
    const kinds = await server.database.sql<{ kind: string }[]>`
      select distinct kind from movements where settlement_id is not null order by kind`;
    expect(kinds.map(({ kind }) => kind)).toEqual(
      ['ADJUSTMENT', 'CHARGE', 'HOLD', 'HOLD_RELEASE', 'REFUND', 'RETURNED_PAYOUT', 'REVERSAL'].sort(),
    );
  }, 300_000);
});
