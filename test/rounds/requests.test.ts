/** Random requests to every operation: each gets a proper response, and the books hold. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { findBreaches } from '../../src/check/check.js';
import { operations } from '../../src/operations.js';
import { type Business, type Json, openBusiness } from '../contract/business.js';
import { expectDecent } from '../contract/refusals.js';
import { type GoodRequest, goodRequest, nameOf, parametersOf, send } from '../contract/requests.js';
import { BAD_TIMES, type Field, fieldsOf, filtersOf, LAST_TIMES, type Schema, withValue } from '../contract/schemas.js';
import type { ApiResponse, CallOptions } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Counts, playRounds, type Round } from './rounds.js';

const REQUESTS_A_ROUND = 25;
/** After so many rounds the books are checked, and another business is opened on an empty database. */
const ROUNDS_A_SERVER = 100;

/** Faults would make other requests fail on purpose, and a sandbox clock that was moved by years makes every due thing happen. */
const LEFT_OUT = ['sandbox.addFault', 'sandbox.changeClock'];

const chosen = operations.filter((each) => !LEFT_OUT.includes(nameOf(each)));
const fields = new Map(chosen.map((each) => [each, each.body ? fieldsOf(each.body as unknown as Schema) : []]));

let server: TestServer;
let business: Business;

beforeAll(() => begin());
afterAll(() => end());

async function begin(): Promise<void> {
  server = await startTestServer();
  business = await openBusiness(server);
}

async function end(): Promise<void> {
  expect(await findBreaches(server.database)).toEqual([]);
  await server.stop();
}

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom<unknown>(
    ...BAD_TIMES,
    ...LAST_TIMES,
    '',
    ' ',
    '\0',
    '\ud800',
    'x'.repeat(5000),
    'null',
    '../..',
    '%00',
  ),
  fc.integer({ min: -5, max: 200_000 }),
  fc.constantFrom<unknown>(2 ** 31, 2 ** 53, -(2 ** 53), 1e300, 0.1, -0, null, true, [], {}, [[]], { amount: 1 }),
  fc.constant(undefined),
);

/** One way in which a request differs from a good one. */
type Twist =
  | { readonly kind: 'field' | 'second field'; readonly which: number; readonly value: unknown }
  | { readonly kind: 'body'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly at: number; readonly text: string }
  | { readonly kind: 'query'; readonly which: number; readonly text: string }
  | { readonly kind: 'path'; readonly which: number; readonly text: string }
  | { readonly kind: 'credential'; readonly text: string };

const text = fc.string({ unit: 'binary', maxLength: 40 });
const which = fc.nat(1000);
const twist: fc.Arbitrary<Twist> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('field', 'second field'), which, value: junk }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('body'), value: junk }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('bytes'), at: fc.nat(2000), text }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('query'), which, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('path'), which, text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('credential'), text: fc.stringMatching(/^[ -~]{0,60}$/) }) },
) as fc.Arbitrary<Twist>;
const twists = fc.array(twist, { minLength: 1, maxLength: 3, size: 'max' });
const round = fc.array(twists, { minLength: REQUESTS_A_ROUND, maxLength: REQUESTS_A_ROUND });

interface Twisted {
  readonly request: GoodRequest;
  readonly change: CallOptions;
}

function applied(operation: Operation, { request, change }: Twisted, given: Twist): Twisted {
  const body = change.body ?? request.body;
  const isJson = typeof body !== 'string';
  const known = fields.get(operation) as readonly Field[];
  switch (given.kind) {
    case 'field':
    case 'second field': {
      const field = known[given.which % Math.max(known.length, 1)];
      const twisted = field && isJson ? tryWithValue(body as Json | undefined, field, given.value) : body;
      return { request, change: { ...change, ...(twisted !== undefined && { body: twisted }) } };
    }
    case 'body':
      return { request, change: { ...change, body: JSON.stringify(given.value) ?? '' } };
    case 'bytes': {
      const whole = isJson ? (JSON.stringify(body) ?? '') : body;
      const at = given.at % (whole.length + 1);
      return { request, change: { ...change, body: whole.slice(0, at) + given.text + whole.slice(at + 3) } };
    }
    case 'query': {
      const names = [...filtersOf(operation).map(([name]) => name), 'limit', 'cursor', 'batch_token', 'other'];
      const query = `${names[given.which % names.length]}=${encoded(given.text)}`;
      return { request: { ...request, search: `${request.search || '?'}&${query}` }, change };
    }
    case 'path': {
      const names = parametersOf(operation);
      const name = names[given.which % Math.max(names.length, 1)];
      if (name === undefined) return { request, change };
      const parts = operation.path.split('/').map((part) => {
        const own = /^\{(\w+)\}$/.exec(part)?.[1];
        return own === name ? encoded(given.text) || '-' : own ? encoded(request.ids[own] ?? 'none') : part;
      });
      return { request: { ...request, path: parts.join('/') }, change };
    }
    case 'credential':
      return { request: { ...request, credential: {} }, change: { ...change, headers: { authorization: given.text } } };
  }
}

/** Another twist may have put something else where the field's parent was. */
function tryWithValue(body: Json | undefined, field: Field, value: unknown): unknown {
  try {
    return withValue(body, field, value);
  } catch {
    return body;
  }
}

/** Half of a surrogate pair has no encoding. */
function encoded(given: string): string {
  return encodeURIComponent(given.toWellFormed());
}

function expectProper(operation: Operation, answer: ApiResponse, twisted: readonly Twist[]): void {
  const what = () => `${nameOf(operation)} ${JSON.stringify(twisted)}: ${answer.status} ${answer.text.slice(0, 400)}`;
  if (answer.status >= 500) expect.fail(what());
  // A path that belongs to another operation, or to a page, has its own headers.
  if (twisted.some(({ kind }) => kind === 'path')) return;
  expectDecent(answer, operation.path);
  if (answer.status < 400) return;
  const { type, message, errors } = answer.body ?? {};
  const words = errors === undefined ? [type, message] : [errors[0]?.category, errors[0]?.code, errors[0]?.detail];
  if (!words.every((word: unknown) => typeof word === 'string' && word !== '')) expect.fail(what());
}

async function play({ number, draw }: Round): Promise<Counts> {
  if (number % ROUNDS_A_SERVER === 0) {
    await end();
    await begin();
  }
  const operation = draw(fc.constantFrom(...chosen));
  const good = await goodRequest(operation, business, server);
  let successes = 0;
  for (const twisted of draw(round)) {
    const { request, change } = twisted.reduce<Twisted>((so, each) => applied(operation, so, each), {
      request: good,
      change: {},
    });
    const answer = await send(server, operation, request, change);
    expectProper(operation, answer, twisted);
    if (answer.status < 400) successes += 1;
  }
  return { requests: REQUESTS_A_ROUND, 'of them accepted': successes };
}

it('random requests to every operation get a proper response', { timeout: 0 }, async () => {
  const { counts } = await playRounds({ name: 'requests', usual: 60, play });
  expect(counts['of them accepted']).toBeGreaterThan(0);
});
