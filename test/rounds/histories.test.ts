/**
 * Random days of a business through all its surfaces at once. After each, every law of the books holds, and what the API returns adds up
 * to the same.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { expectBooksAgree, OLDEST_OFFLINE_MS } from '../laws/books-from-outside.js';
import { act, expectOrdinary } from '../laws/random-acts.js';
import { type Act, WholeBusiness } from '../laws/whole-business.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Counts, playRounds, type Round } from './rounds.js';

/** The laws read all books: after so many histories the next one begins with an empty database. */
const ROUNDS_A_SERVER = 20;
/** Around changes to and from daylight saving time at both locations, and around the end of a year. */
const STARTS = ['2020-03-06T10:30:00Z', '2020-04-03T05:00:00Z', '2020-10-30T04:00:00Z', '2020-12-29T10:30:00Z'];

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const move = fc.record({
  together: fc.array(act, { minLength: 2, maxLength: 10, size: 'max' }),
  hours: fc.integer({ min: 0, max: 20 }),
});
const history = fc.record({
  start: fc.constantFrom(...STARTS),
  moves: fc.array(move, { minLength: 4, maxLength: 12, size: 'max' }),
});

async function play({ number, draw }: Round): Promise<Counts> {
  if (number % ROUNDS_A_SERVER === 0) {
    await server.stop();
    server = await startTestServer();
  }
  const { start, moves } = draw(history);
  const business = await WholeBusiness.open(server, start);
  // Every history has a sale for cash, and a card that is paid out.
  await business.doTogether([
    { kind: 'sell for cash', place: 0, which: 0, units: 700 },
    { kind: 'sell by card', place: 1, which: 0, units: 900 },
  ]);
  let [acts, successes] = [0, 0];
  for (const { together, hours } of moves) {
    const answers = await business.doTogether(together);
    for (const [index, answer] of answers.entries()) expectOrdinary(together[index] as Act, answer);
    acts += together.length;
    successes += answers.filter((answer) => answer?.status === 200).length;
    await business.wait(hours);
  }
  // All work in flight finishes, and the last day closes and becomes visible.
  await business.wait(13 * 24);
  const equations = await expectBooksAgree(business, new Date(Date.parse(start) - OLDEST_OFFLINE_MS).toISOString());
  expect(await findBreaches(server.database)).toEqual([]);
  return { acts, 'of them successful': successes, equations };
}

it('random histories over all surfaces leave books that hold, and that agree wherever they are shown', {
  timeout: 0,
}, async () => {
  const { counts } = await playRounds({ name: 'histories', usual: 10, play });
  expect(counts['of them successful']).toBeGreaterThan(0);
});
