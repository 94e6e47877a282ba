/** What a request costs whose sender needs no secret: at most as much as twenty plain ones, whatever its body (decision 0216). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyLimitOf } from '../../src/api/body-limits.js';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import type { CallOptions } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, openBusiness } from './business.js';
import { goodRequest, nameOf, send } from './requests.js';

const MOST_PLAIN = 20;
const ROUNDS = 5;
const MOST_ROUNDS = 50;
const MANY = 100_000;
const LARGE = 1024 * 1024;

const fill = (text: string, size: number): string => text.repeat(Math.floor(size / text.length));
const members = Array.from({ length: 1200 }, (_, index) => `"m${index}":[${index}]`).join(',');

const jsonBodies = (allowed: number): Readonly<Record<string, string>> => ({
  'a megabyte of open lists': fill('[', LARGE),
  'a megabyte of open objects': fill('{"a":', LARGE),
  'a megabyte of empty lists': `{"a":[${fill('[],', LARGE)}1]}`,
  'as many open lists as allowed': fill('[', allowed),
  'as many empty lists as allowed': `{"a":[${fill('[],', allowed - 20)}1]}`,
  'as many members as allowed': `{${members}}`,
  'as many escapes as allowed': `{"a":"${fill('\\"', allowed - 20)}"}`,
});
const FORMS: Readonly<Record<string, string>> = {
  'a form of a megabyte': fill('a=%41&', LARGE),
  'a form with as many fields as allowed': Array.from({ length: 2000 }, (_, index) => `m${index}=1`).join('&'),
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const FORM_REQUESTS = Object.entries(FORMS).map(([name, body]) => [name, { body, headers: FORM }] as const);

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer({ guards: { pairingCodes: MANY, checkoutWrites: MANY } });
  business = await openBusiness(server);
});
afterAll(() => server.stop());

/** Nobody needs a secret for these: publishable keys are public, and any application can be named at `/oauth2`. */
const open = operations.filter(
  ({ method, permission, surface }) =>
    method !== 'GET' && (permission === 'ANYONE' || surface === 'checkout' || surface === 'oauth2'),
);

/** The CPU time of the whole process in microseconds, server and client together. */
async function measure(ask: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await ask();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * A collection of garbage, or what another file has left to do, adds to a cost and never takes from it. So the least of several rounds counts,
 * and a body that seems too dear is asked for more often.
 */
async function costOf(ask: () => Promise<unknown>, atMost = Number.POSITIVE_INFINITY): Promise<number> {
  let cost = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS || (cost > atMost && round < MOST_ROUNDS); round++) {
    cost = Math.min(cost, await measure(ask));
  }
  return cost;
}

async function expectCheap(
  ask: (change: CallOptions) => Promise<unknown>,
  plainRequest: CallOptions,
  others: readonly (readonly [string, CallOptions])[],
): Promise<void> {
  const plain = await costOf(async () => {
    for (let sent = 0; sent < MOST_PLAIN; sent++) await ask(plainRequest);
  });
  for (const [name, change] of others) {
    const cost = await costOf(() => ask(change), plain);
    const costs = `${cost} µs for one, ${plain} µs for ${MOST_PLAIN} plain ones`;
    expect([name, cost <= plain], costs).toEqual([name, true]);
  }
}

it('there are operations without a secret on five surfaces', () => {
  expect([...new Set(open.map(({ surface }) => surface))].sort()).toEqual([
    ...['checkout', 'dashboard', 'oauth2', 'register', 'sandbox'],
  ]);
});

describe.each(open.map((operation) => [nameOf(operation), operation] as const))('%s', (_, operation: Operation) => {
  it(`costs at most as much as ${MOST_PLAIN} plain requests with any body`, async () => {
    const request = await goodRequest(operation, business, server);
    const ask = (change: CallOptions) => send(server, operation, request, change);
    const bodies = [
      ...Object.entries(jsonBodies(bodyLimitOf(operation))).map(([name, body]) => [name, { body }] as const),
      ...(operation.acceptsForm ? FORM_REQUESTS : []),
    ];
    await expectCheap(ask, { body: {} }, bodies);
  });
});

it('a page with a form costs at most as much as well', async () => {
  const ask = (change: CallOptions) => server.call('POST', '/oauth2/authorize', change);
  await expectCheap(ask, { body: 'a=1', headers: FORM }, FORM_REQUESTS);
});

it('a list that is too long costs at most twice as much as one that nobody reads, also where the sender is known', async () => {
  const operation = operations.find((each) => nameOf(each) === 'register.ringUpSale') as Operation;
  const request = await goodRequest(operation, business, server);
  const lines = Array(Math.floor(LARGE / 4)).fill({});
  const cost = (body: object) => costOf(() => send(server, operation, request, { body }));
  expect(await cost({ itemizations: lines })).toBeLessThan(2 * (await cost({ unknown: lines })));
});
