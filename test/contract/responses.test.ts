import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { Printed } from '../../src/api/printed.js';
import { responseSchema } from '../../src/api/routes.js';
import { operations } from '../../src/operations.js';
import { TEST_SOURCES } from '../../src/processor/sources.js';
import { isLong } from '../support/long.js';
import { ensureDefined } from '../support/people.js';
import { FULL_RECEIPT, FULL_TENDERS, insertRegisterSale } from '../support/sales.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { expectValid } from '../support/valid-response.js';
import { type Business, equip, FULL_ADDRESS, type Json, money, openBusiness } from './business.js';
import { expectDecent, readError } from './refusals.js';
import { callWell, goodRequest, nameOf, pathOf, send } from './requests.js';

let server: TestServer;
let dataDir: string;
/** A new merchant, and the demo, whose employees and locations have every optional field. */
let businesses: Business[];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-responses-'));
  server = await startTestServer({ config: { demo: true, dataDir } });
  businesses = [await openBusiness(server), await openDemo()];
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function openDemo(): Promise<Business> {
  const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  const merchant = { id: demo.merchant_id, token: demo.access_token, locationIds: demo.location_ids };
  const [role] = (await server.call('GET', '/v1/me/roles', merchant)).body;
  const [employee] = (await server.call('GET', '/v1/me/employees', merchant)).body;
  const business = await equip(server, merchant, demo.dashboard);
  return { ...business, ids: { ...business.ids, role_id: role.id, employee_id: employee.id, id: employee.id } };
}

/** Merchants and locations, which clients look up first (contract 25). */
function isDiscovery({ permission }: Operation): boolean {
  return permission === 'MERCHANT_PROFILE_READ';
}

function find(name: string): Operation {
  const found = operations.find((each) => nameOf(each) === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

/** Parses what a view has printed. */
function parsed(given: unknown): unknown {
  return given instanceof Printed ? JSON.parse(`${given.text}`) : given;
}

/** One text can have several items, with commas between them. */
function parsedItems(items: readonly unknown[]): unknown[] {
  return items.flatMap((item) => (item instanceof Printed ? JSON.parse(`[${item.text}]`) : [item]));
}

/** The properties of all schemas, and those that some response below has filled. */
const [declared, filled] = [new Set<string>(), new Set<string>()];

describe.each(operations.map((each) => [nameOf(each), each] as const))('%s', (_, operation) => {
  it('matches its schema, and its handler returns nothing that the schema does not name', async () => {
    const shown = responseSchema(operation);
    const schemaOfHandler = operation.item
      ? { type: 'array', items: operation.item }
      : ensureDefined(operation.response);
    // What a write returns follows from its body, which is the same in both.
    const concerned = isLong || operation.method === 'GET' ? businesses : businesses.slice(0, 1);
    for (const business of concerned) {
      const request = await goodRequest(operation, business, server);
      // The serialiser drops unknown properties, so the handler's own result is checked too.
      const handle = vi.spyOn(operation, 'handle');
      const { status, body, text } = await send(server, operation, request);
      expect(status, text).toBe(200);
      expectValid(shown, body);
      note(operation, body);
      const given = (await handle.mock.results.at(-1)?.value) as Json;
      handle.mockRestore();
      if (operation.item) expectValid(schemaOfHandler, parsedItems(given['items'] as unknown[]));
      else expectValid(schemaOfHandler, parsed('headers' in given && 'body' in given ? given['body'] : given));
    }
  });
});

describe('a decline (decision 0024)', () => {
  const createPayment = find('v2.createPayment');
  const declining = [...TEST_SOURCES].filter(([, { outcome }]) => outcome !== 'APPROVED' && outcome !== 'ALREADY_USED');

  it.each(declining.map(([source]) => source))(
    'of %s returns the failed payment with its errors',
    async (source_id) => {
      const [business] = businesses as [Business];
      const request = await goodRequest(createPayment, business, server);
      const body = { ...request.body, source_id, customer_id: 'CUSTOMER', amount_money: money(1000) };
      const answer = await send(server, createPayment, request, { body });
      expectDecent(answer, createPayment.path);
      expect([400, 402]).toContain(answer.status);
      expect(Object.keys(answer.body)).toEqual(['errors', 'payment']);
      const { errors, payment } = answer.body;
      expect(errors.length).toBeGreaterThan(0);
      for (const error of errors) expect(readError(error).category).toBe('PAYMENT_METHOD_ERROR');
      expectValid(responseSchema(createPayment), { payment });
      expect([payment.status, payment.card_details.status]).toEqual(['FAILED', 'FAILED']);
      expect(payment.card_details.errors).toEqual(errors);

      const path = pathOf(find('v2.getPayment'), { payment_id: payment.id });
      expect((await server.call('GET', path, business.merchant)).body).toEqual({ payment });
      // Stored, and returned again (decision 0027).
      const again = await send(server, createPayment, request, { body });
      expect([again.status, again.body]).toEqual([answer.status, answer.body]);
    },
  );

  it('exists among the test sources', () => {
    expect(declining.length).toBeGreaterThan(8);
  });
});

/** The responses that the API reference shows fill more: each operation's example names what it needs. */
const examples: Readonly<Record<string, unknown>> = JSON.parse(readFileSync('docs/examples.json', 'utf8'));

describe('the properties of the schemas', () => {
  it('are filled by some response, except the recorded ones; `npm run docs` records them', async () => {
    const [first] = businesses as [Business];
    const full = await server.operator('POST', '/api/sandbox/merchants', {
      locations: [{ address: FULL_ADDRESS, phone_number: '+1 415-555-0100' }],
    });
    const { merchant, access_token } = full.body;
    const [location] = merchant.locations;
    const wellKnown: Business = {
      ...first,
      merchant: { id: merchant.id, token: access_token, locationIds: [location.id] },
      ids: { ...first.ids, merchant_id: merchant.id, location_id: location.id },
    };
    const decline = { source_id: 'cnon:card-nonce-declined', idempotency_key: 'declined', amount_money: money(100) };
    const { payment } = (await server.call('POST', '/v2/payments', { ...first.merchant, body: decline })).body;
    const declined: Business = { ...first, ids: { ...first.ids, payment_id: payment.id } };
    const sale = { receipt: FULL_RECEIPT, tenders: FULL_TENDERS, at: '2020-02-26T10:00:00Z' };
    const { id: payment_id } = await insertRegisterSale(server, first.merchant, sale);
    const rungUp: Business = { ...first, ids: { ...first.ids, payment_id } };

    const atRegister: Business = { ...first, ids: { ...first.ids, payment_id: first.ids['tender_id'] ?? '' } };

    const paidInCash: Business = { ...first, ids: { ...first.ids, transaction_id: first.ids['tender_id'] ?? '' } };

    for (const [name, business] of [
      ...operations.filter(isDiscovery).map((each) => [nameOf(each), wellKnown] as const),
      ...[declined, atRegister].map((each) => ['v2.getPayment', each] as const),
      ['v1.retrievePayment', rungUp],
      ['v2.retrieveTransaction', paidInCash],
      ['dashboard.listTokens', first], // by now some are revoked
    ] as const) {
      note(find(name), (await callWell(server, find(name), business)).body);
    }
    for (const operation of operations.filter(({ page }) => page)) {
      // One element per page, so that there is a next page.
      const request = await goodRequest(operation, first, server);
      const { body } = await send(server, operation, { ...request, search: `${request.search || '?'}&limit=1` });
      note(operation, body);
    }
    expect(declared.size).toBeGreaterThan(250);
    for (const operation of operations) note(operation, examples[nameOf(operation)]);
    const empty = [...declared].filter((name) => !filled.has(name)).sort();
    await expect(`${empty.join('\n')}\n`).toMatchFileSnapshot('recorded/empty-properties.txt');
  });
});

function note(operation: Operation, body: unknown): void {
  collect(responseSchema(operation) as unknown as Json, body, nameOf(operation));
}

/** Walks schema and response together: which properties are declared, and which are present. */
function collect(schema: Json, value: unknown, at: string): void {
  const name = typeof schema['title'] === 'string' ? schema['title'] : at;
  if (schema['type'] === 'array') {
    const list = Array.isArray(value) && value.length > 0 ? value : [undefined];
    for (const each of list) collect(schema['items'] as Json, each, `${name}[]`);
  }
  for (const [key, child] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    const inside = (value as Json | undefined)?.[key];
    declared.add(`${name}.${key}`);
    if (inside !== undefined) filled.add(`${name}.${key}`);
    collect(child, inside, `${name}.${key}`);
  }
}
