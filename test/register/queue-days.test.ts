/** Random days at a register whose network is cut at random moments: in the end both sides have the same books. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { repetitions } from '../support/long.js';
import { hire, pairDevice, type Register, signInAt } from '../support/people.js';
import { CARD, item } from '../support/register-sales.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Fate, isOutage, Network, TestTablet } from './device.js';

const DAYS = repetitions({ usual: 6, long: 100 });
const HOUR_MS = 3_600_000;

let server: TestServer;
let owner: TestOwner;
let employeeId: string;
let network: Network;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
  employeeId = (await hire(server, owner, { role: { is_owner: true } })).id;
  network = new Network(server.baseUrl);
  vi.stubGlobal('fetch', network.fetch);
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await server.stop();
});

type Step =
  | { readonly do: 'sell'; readonly price: number; readonly tender: 'CASH' | 'OTHER' | 'CARD'; readonly tip: number }
  | { readonly do: 'split'; readonly price: number }
  | { readonly do: 'park'; readonly price: number }
  | { readonly do: 'pay'; readonly which: number }
  | { readonly do: 'cancel'; readonly which: number }
  | { readonly do: 'move'; readonly amount: number; readonly operation: 'paidIn' | 'paidOut' }
  | { readonly do: 'drawer' }
  | { readonly do: 'clock' }
  | { readonly do: 'plan'; readonly fates: readonly Fate[] }
  | { readonly do: 'unplug' | 'plug in' | 'restart' | 'send' | 'lose session' };

const price = fc.integer({ min: 1, max: 20_000 });
const which = fc.nat({ max: 10 });
const does = <Name extends Step['do']>(name: Name) => fc.constant(name);
const step: fc.Arbitrary<Step & { readonly tab: number }> = fc
  .tuple(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({
          do: does('sell'),
          price,
          tender: fc.constantFrom('CASH', 'CASH', 'OTHER', 'CARD'),
          tip: fc.constantFrom(0, 0, 150),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: does('split'), price }) },
      { weight: 3, arbitrary: fc.record({ do: does('park'), price }) },
      { weight: 3, arbitrary: fc.record({ do: does('pay'), which }) },
      { weight: 1, arbitrary: fc.record({ do: does('cancel'), which }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: does('move'),
          amount: price,
          operation: fc.constantFrom('paidIn' as const, 'paidOut' as const),
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: does('drawer') }) },
      { weight: 2, arbitrary: fc.record({ do: does('clock') }) },
      {
        weight: 5,
        arbitrary: fc.record({
          do: does('plan'),
          fates: fc.array(fc.constantFrom<Fate>('arrives', 'is lost', 'loses its response'), {
            minLength: 1,
            maxLength: 4,
          }),
        }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constantFrom(
            'unplug' as const,
            'plug in' as const,
            'plug in' as const,
            'restart' as const,
            'send' as const,
          ),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: does('lose session') }) },
    ) as fc.Arbitrary<Step>,
    fc.nat({ max: 1 }),
  )
  .map(([each, tab]) => ({ ...each, tab }));

interface KnownSale {
  readonly total: number;
  state: 'OPEN' | 'COMPLETED' | 'CANCELED';
  /** The cash that the sale added to the drawer, and the shift that has it. */
  cash: number;
}

interface KnownShift {
  readonly id: string;
  expected: number;
  isOpen: boolean;
}

/** What the register should have done, computed only from the steps. */
class Day {
  readonly sales = new Map<string, KnownSale>();
  readonly shifts: KnownShift[] = [];
  timecards = 0;
  isClockedIn = false;
  readonly #tablet: TestTablet;

  constructor(tablet: TestTablet) {
    this.#tablet = tablet;
  }

  get #shift(): KnownShift | undefined {
    return this.shifts.find(({ isOpen }) => isOpen);
  }

  #openSale(at: number): [id: string, sale: KnownSale] | undefined {
    const open = [...this.sales].filter(([, { state }]) => state === 'OPEN');
    return open[at % Math.max(open.length, 1)];
  }

  #receive(cash: number): void {
    if (this.#shift) this.#shift.expected += cash;
  }

  async play(step: Step & { readonly tab: number }): Promise<void> {
    const { tab } = step;
    const send = (...[operation, body]: [Parameters<TestTablet['send']>[0], Record<string, unknown>?]) =>
      this.#tablet.send(operation, { ...body }, tab);
    switch (step.do) {
      case 'sell': {
        // Without a network a card is not taken: the queue asks before it keeps one.
        const type = step.tender === 'CARD' && !network.isUp ? 'CASH' : step.tender;
        const id = randomUUID();
        const tender = {
          id: randomUUID(),
          type,
          tip_money: { amount: step.tip },
          ...(type === 'CARD' && { source_id: CARD }),
        };
        await send('ringUpSale', { id, itemizations: [item(step.price)], tenders: [tender] });
        this.sales.set(id, { total: step.price, state: 'COMPLETED', cash: 0 });
        if (type === 'CASH') this.#receive(step.price + step.tip);
        return;
      }
      case 'split': {
        const id = randomUUID();
        const half = Math.floor(step.price / 2);
        const tenders = [
          { id: randomUUID(), type: 'OTHER', name: 'Voucher', amount_money: { amount: step.price - half } },
          ...(half > 0 ? [{ id: randomUUID(), type: 'CASH' }] : []),
        ];
        await send('ringUpSale', { id, itemizations: [item(step.price)], tenders });
        this.sales.set(id, { total: step.price, state: 'COMPLETED', cash: 0 });
        this.#receive(half);
        return;
      }
      case 'park': {
        const id = randomUUID();
        await send('ringUpSale', { id, itemizations: [item(step.price)] });
        this.sales.set(id, { total: step.price, state: 'OPEN', cash: 0 });
        return;
      }
      case 'pay': {
        const [id, sale] = this.#openSale(step.which) ?? [];
        if (!sale) return;
        await send('takeTender', { sale_id: id, type: 'CASH' });
        sale.state = 'COMPLETED';
        this.#receive(sale.total);
        return;
      }
      case 'cancel': {
        const [id, sale] = this.#openSale(step.which) ?? [];
        if (!sale) return;
        await send('cancelSale', { sale_id: id });
        sale.state = 'CANCELED';
        return;
      }
      case 'move': {
        const shift = this.#shift;
        if (!shift || (step.operation === 'paidOut' && step.amount > shift.expected)) return;
        await send(step.operation, { shift_id: shift.id, amount_money: { amount: step.amount } });
        shift.expected += step.operation === 'paidIn' ? step.amount : -step.amount;
        return;
      }
      case 'drawer': {
        const shift = this.#shift;
        if (!shift) {
          const id = randomUUID();
          await send('openShift', { id, opened_cash_money: { amount: 5000 } });
          this.shifts.push({ id, expected: 5000, isOpen: true });
          return;
        }
        await send('endShift', { shift_id: shift.id });
        await send('closeShift', { shift_id: shift.id, closed_cash_money: { amount: shift.expected } });
        shift.isOpen = false;
        return;
      }
      case 'clock': {
        await send(this.isClockedIn ? 'clockOut' : 'clockIn');
        if (!this.isClockedIn) this.timecards++;
        this.isClockedIn = !this.isClockedIn;
        return;
      }
      case 'plan':
        return network.plan(step.fates);
      case 'unplug':
        network.isUp = false;
        return;
      case 'plug in':
        network.isUp = true;
        return;
      case 'restart':
        return this.#tablet.restart();
      case 'lose session':
        this.#tablet.hasSession = false;
        return;
      case 'send':
        return this.#tablet.sendAll().catch((error) => {
          if (!isOutage(error)) throw error;
        });
    }
  }
}

async function openDay(aheadMs: number): Promise<{ register: Register; tablet: TestTablet }> {
  network.heal();
  const device = await pairDevice(server, owner, { name: `Till ${randomUUID().slice(0, 8)}` });
  const register = await signInAt(device, employeeId);
  return { register, tablet: new TestTablet(register, network, { aheadMs }) };
}

async function expectEqualBooks(day: Day, { device }: Register): Promise<void> {
  const { sql } = server.database;
  const sales = await sql<{ id: string; state: string; due: number; paid: number }[]>`
    select register_sale_id as id, state, due, paid from sales
    where merchant_id = ${owner.merchant.id} and device_id = ${device.id}`;
  const found = sales.map(({ id, state, due, paid }) => [id, state, Number(due), Number(paid)]);
  const expected = [...day.sales].map(([id, { state, total }]) => [
    id,
    state,
    total,
    state === 'COMPLETED' ? total : 0,
  ]);
  expect(found.sort()).toEqual(expected.sort());
  const shifts = await sql<{ state: string; expected: number }[]>`
    select state, expected_cash as expected from cash_drawer_shifts
    where merchant_id = ${owner.merchant.id} and device_id = ${device.id} order by opened_at, shift_id`;
  expect(shifts.map(({ state, expected: cash }) => [state, Number(cash)]).sort()).toEqual(
    day.shifts.map(({ isOpen, expected: cash }) => [isOpen ? 'OPEN' : 'CLOSED', cash]).sort(),
  );
}

it('random days end with equal books on both sides, and each write exactly once', async () => {
  let days = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.constantFrom(0, 0, 3 * HOUR_MS, -26 * HOUR_MS),
      async (steps, aheadMs) => {
        const { register, tablet } = await openDay(aheadMs);
        const day = new Day(tablet);
        for (const each of steps) await day.play(each);
        if (day.isClockedIn) await day.play({ do: 'clock', tab: 0 });
        network.heal();
        await tablet.restart();
        await tablet.sendAll();
        expect(await tablet.writes()).toEqual([]);
        await expectEqualBooks(day, register);
        days++;
      },
    ),
    { seed: 20_200_226, numRuns: DAYS, endOnFailure: true },
  );
  expect(days).toBe(DAYS);
  const [{ timecards = 0 } = {}] = await server.database.sql<{ timecards: number }[]>`
    select count(*)::int as timecards from timecards where merchant_id = ${owner.merchant.id} and clockout_at is null`;
  expect(timecards).toBe(0);
  expect(await findBreaches(server.database)).toEqual([]);
}, 600_000);
