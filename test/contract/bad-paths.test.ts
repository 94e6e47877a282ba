import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import { isLong } from '../support/long.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, openBusiness } from './business.js';
import { expectRefusal, NOT_FOUND, readRefusal } from './refusals.js';
import { type GoodRequest, goodRequest, nameOf, parametersOf, pathOf, send } from './requests.js';
import { createCaseSelector, inNeighbourhoods } from './shares.js';
import { itHasWrittenNothing } from './stored.js';

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
});
afterAll(() => server.stop());

/** Refused for every operation by the same code, before its handler. */
const NOT_IDS = [
  '%00',
  'abc%00def',
  'a'.repeat(10_000),
  '9'.repeat(10_000),
  '%F0%9F%92%A9'.repeat(1000), // four bytes each
  '%ZZ', // a percent sign that encodes nothing
  'abc%',
  '%ff', // not UTF-8
  '%ED%A0%80', // half a surrogate pair
];

/** Unknown to every operation, after the same code has decoded them. */
const ODD_IDS = [
  '%E5%91%98%E5%B7%A5', // other scripts
  'a%2Fb',
  '%2e%2e',
  '%22%5C%27', // a quote and a backslash
  'a%0d%0aset-cookie:x',
  '',
];

/** These reach the handler of each operation. */
const UNKNOWN_IDS = ["'%20or%201=1;--", '__proto__', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000'];

const withIds = operations.filter((each) => parametersOf(each).length > 0);
const partFor = createCaseSelector(withIds);

it('the declarations have paths with ids', () => {
  expect(withIds.length).toBeGreaterThan(35);
});

/** The ids that an operation is sent: those that reach its handler, and its share of the others. */
const idsFor = (operation: Operation): readonly string[] => [
  ...partFor(operation, NOT_IDS),
  ...(isLong ? ODD_IDS : partFor(operation, ODD_IDS)),
  ...UNKNOWN_IDS,
];

for (const neighbours of inNeighbourhoods(withIds)) {
  describe(`from ${neighbours.map(nameOf).at(0)} to ${neighbours.map(nameOf).at(-1)}`, () => {
    const requests = new Map<Operation, GoodRequest>();
    beforeAll(async () => {
      for (const each of neighbours) requests.set(each, await goodRequest(each, business, server));
    });

    describe.each(neighbours.map((each) => [nameOf(each), each] as const))('%s, given a bad id', (_, operation) => {
      const { path } = operation;

      it('returns 404', async () => {
        const request = requests.get(operation) as GoodRequest;
        for (const id of idsFor(operation)) {
          for (const name of parametersOf(operation)) {
            const target = pathOf(operation, { ...request.ids, [name]: 'BAD' }).replace('BAD', id);
            if (/^\/v[12]\/.*\/$/.test(target)) continue; // the path of a list with a slash (decision 0278)
            const answer = await send(server, operation, { ...request, path: target });
            expectRefusal(answer, path, NOT_FOUND);
          }
        }
      });

      it.runIf(operation.permission !== 'ANYONE')('authenticates before it checks the id (decision 0004)', async () => {
        for (const id of partFor(operation, ['%00', 'a'.repeat(10_000)])) {
          const [first = ''] = parametersOf(operation);
          const target = pathOf(operation, { ...business.ids, [first]: 'BAD' }).replace('BAD', id);
          expect(readRefusal(await server.call(operation.method, target), path).status).toBe(401);
        }
      });
    });

    itHasWrittenNothing(() => server);
  });
}
