/**
 * Weeks of random business through all surfaces at once: register, API, online store, operator and clock. Requests of
 * the same hour run concurrently. Afterwards all laws hold, and the bank account was paid to the cent.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { isLong } from '../support/long.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { expectPaidInFull, OLDEST_OFFLINE_MS } from './books-from-outside.js';
import { act, expectOrdinary } from './random-acts.js';
import { expectBalance } from './v1-balance.js';
import { ACT_KINDS, type Act, NEED_NOT_WORK, WholeBusiness } from './whole-business.js';

const HOURS_A_MOVE = 8;
/** Across a daylight saving change at both locations, and across the end of a year. Each start is also the seed of its days. */
const PERIODS: readonly (readonly [days: number, start: string])[] = [
  [31, '2020-03-05T10:30:00Z'],
  isLong ? [31, '2020-12-10T10:30:00Z'] : [14, '2020-12-23T10:30:00Z'],
];

const acts = fc.array(act, { minLength: 4, maxLength: 10, size: 'max' });

/** The kinds of acts that succeeded. */
const done = new Set<string>();

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

it.each(PERIODS)(
  '%i days from %s on leave valid books and settlements that are right to the cent',
  async (days, start) => {
    const business = await WholeBusiness.open(server, start);
    for (const together of fc.sample(acts, { seed: Date.parse(start), numRuns: (days * 24) / HOURS_A_MOVE })) {
      const answers = await business.doTogether(together);
      for (const [index, answer] of answers.entries()) {
        const act = together[index] as Act;
        expectOrdinary(act, answer);
        if (answer?.status === 200) done.add(act.kind);
      }
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
  expect(ACT_KINDS.filter((kind) => !done.has(kind) && !NEED_NOT_WORK.includes(kind))).toEqual([]);
});
