import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, openBusiness } from './business.js';
import { expectRefusal, NOT_FOUND, readRefusal } from './refusals.js';
import { goodRequest, nameOf, parametersOf, pathOf, send } from './requests.js';
import { writingNothing } from './stored.js';

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
});
afterAll(() => server.stop());

const BAD_IDS: readonly (readonly [string, string])[] = [
  ['a NUL', '%00'],
  ['a NUL inside', 'abc%00def'],
  ['10,000 characters', 'a'.repeat(10_000)],
  ['10,000 digits', '9'.repeat(10_000)],
  ['2,000 characters of four bytes', '%F0%9F%92%A9'.repeat(1000)],
  ['a percent sign that encodes nothing', '%ZZ'],
  ['half an encoding', 'abc%'],
  ['a byte that is not UTF-8', '%ff'],
  ['half a surrogate pair', '%ED%A0%80'],
  ['other scripts', '%E5%91%98%E5%B7%A5'],
  ['a slash', 'a%2Fb'],
  ['dots', '%2e%2e'],
  ['SQL', "'%20or%201=1;--"],
  ['a quote and a backslash', '%22%5C%27'],
  ['a line break', 'a%0d%0aset-cookie:x'],
  ['a name of the JavaScript prototype', '__proto__'],
  ['an unknown UUID', '00000000-0000-0000-0000-000000000000'],
  ['half a UUID', '00000000-0000-0000-0000'],
  ['nothing', ''],
];

const withIds = operations.filter((each) => parametersOf(each).length > 0);

it('the declarations have paths with ids', () => {
  expect(withIds.length).toBeGreaterThan(35);
});

describe.each(withIds.map((each) => [nameOf(each), each] as const))('%s, given a bad id', (_, operation) => {
  const { path } = operation;

  it('returns 404 and writes nothing', async () => {
    const request = await goodRequest(operation, business, server);
    await writingNothing(server, async () => {
      for (const [, id] of BAD_IDS) {
        for (const name of parametersOf(operation)) {
          const target = pathOf(operation, { ...request.ids, [name]: 'BAD' }).replace('BAD', id);
          const answer = await send(server, operation, { ...request, path: target });
          expectRefusal(answer, path, NOT_FOUND);
        }
      }
    });
  });

  it.runIf(operation.permission !== 'ANYONE')('authenticates before it checks the id (decision 4)', async () => {
    for (const id of ['%00', 'a'.repeat(10_000)]) {
      const [first = ''] = parametersOf(operation);
      const target = pathOf(operation, { ...business.ids, [first]: 'BAD' }).replace('BAD', id);
      expect(readRefusal(await server.call(operation.method, target), path).status).toBe(401);
    }
  });
});
