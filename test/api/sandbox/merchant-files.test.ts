/** A merchant as a file (decision 0276): what is exported from one server is the same merchant on another. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../src/operations.js';
import { FILE_TABLES, LEFT_OUT } from '../../../src/sandbox/merchant-file-tables.js';
import { COPIED_TABLES } from '../../../src/sandbox/snapshot-tables.js';
import { type Business, openBusiness } from '../../contract/business.js';
import { nameOf, pathOf, requiredQuery } from '../../contract/requests.js';
import { changeClock } from '../../support/clock.js';
import { expectBooksInOrder, paymentBody } from '../../support/payments.js';
import { isCluster, startTestServer, type TestServer } from '../../support/server.js';

let first: TestServer;
let second: TestServer;
let business: Business;

beforeAll(async () => {
  [first, second] = await Promise.all([startTestServer(), startTestServer()]);
  business = await openBusiness(first);
});
afterAll(() => Promise.all([first.stop(), second.stop()]));

// biome-ignore lint/suspicious/noExplicitAny: tests read and change any member
type File = any;

async function exportFrom(server: TestServer, merchantId: string): Promise<File> {
  const { status, body } = await server.operator('GET', `/api/sandbox/merchants/${merchantId}/file`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.file;
}

const importInto = (server: TestServer, file: unknown, more: Record<string, unknown> = {}) =>
  server.operator('POST', '/api/sandbox/merchant-files', { file, ...more });

/** The file with another value at a place such as `clock.now`. Undefined: there is none. */
function withValue(file: File, place: string, value: unknown): File {
  const copy = structuredClone(file);
  const names = place.split('.');
  const last = names.pop() ?? '';
  const owner = names.reduce((at, name) => at[name], copy);
  owner[last] = value;
  return copy;
}

interface Created {
  readonly id: string;
  readonly token: string;
}

async function create(server: TestServer, file: unknown): Promise<Created> {
  const { status, body } = await importInto(server, file);
  expect(status, JSON.stringify(body)).toBe(200);
  return { id: body.merchant.id, token: body.access_token };
}

/** What all operations of both generations that only read return, without the id of the merchant and the address of the server. */
async function readAll(server: TestServer, { id, token }: Created): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const operation of operations) {
    const isPublished = operation.surface === 'v1' || operation.surface === 'v2';
    if (!isPublished || operation.method !== 'GET' || requiredQuery(operation).length > 0) continue;
    if (/webhook/i.test(operation.name)) continue; // the set-up of a developer, and not in a file
    const answer = await server.call('GET', pathOf(operation, { ...business.ids, merchant_id: id }), { token });
    const text = `${answer.status} ${answer.text}`;
    answers[nameOf(operation)] = text.replaceAll(id, 'MERCHANT').replaceAll(server.baseUrl, '');
  }
  return answers;
}

describe('the tables', () => {
  it('are in a file, or left out for a reason', () => {
    expect(Object.keys(LEFT_OUT).filter((table) => !COPIED_TABLES.includes(table))).toEqual([]);
    expect([...FILE_TABLES, ...Object.keys(LEFT_OUT), 'merchants'].sort()).toEqual([...COPIED_TABLES].sort());
  });
});

describe.runIf(isCluster)('a distributed database', () => {
  it('has no files of merchants', async () => {
    expect((await first.operator('GET', `/api/sandbox/merchants/${business.merchant.id}/file`)).status).toBe(400);
  });
});

describe.skipIf(isCluster)('a merchant that is created from a file', () => {
  it('is the same in all lists and records of both generations, and in its file', async () => {
    const file = await exportFrom(first, business.merchant.id);
    const text = JSON.stringify(file);
    for (const secret of [business.merchant.id, business.merchant.token, business.session])
      expect(text).not.toContain(secret);
    const created = await create(second, file);
    expect(await exportFrom(second, created.id)).toEqual(file);
    const [before, after] = [await readAll(first, business.merchant), await readAll(second, created)];
    expect(Object.keys(before).length).toBeGreaterThan(20);
    expect(after).toEqual(before);
    expect(Object.values(before).filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(20);
    await expectBooksInOrder(second);
  });

  it('works on: it takes payments and refunds, its holds expire, and its clock moves on', async () => {
    const held = await first.call('POST', '/v2/payments', {
      token: business.merchant.token,
      body: { ...paymentBody(), autocomplete: false },
    });
    const file = await exportFrom(first, business.merchant.id);
    const created = await create(second, file);
    const paid = await second.call('POST', '/v2/payments', { token: created.token, body: paymentBody() });
    expect(paid.body.payment?.status, paid.text).toBe('COMPLETED');
    await changeClock(second, created.id, { advance: 'P10D' });
    const expired = await second.call('GET', `/v2/payments/${held.body.payment.id}`, { token: created.token });
    expect(expired.body.payment.status).toBe('CANCELED');
    await expectBooksInOrder(second);
  });

  it('can be created many times on one server, also beside the one that it is from', async () => {
    const file = await exportFrom(first, business.merchant.id);
    const [one, other] = [await create(first, file), await create(first, file)];
    expect(one.id).not.toBe(other.id);
    await first.call('POST', '/v2/payments', { token: one.token, body: paymentBody() });
    expect(await exportFrom(first, other.id)).toEqual(file);
    expect(await exportFrom(first, business.merchant.id)).toEqual(file);
    await expectBooksInOrder(first);
  });

  it('has the owner that is given', async () => {
    const owner = { email: 'owner-of-a-file@example.com', password: 'correct horse battery' };
    const file = await exportFrom(first, business.merchant.id);
    expect((await importInto(second, file, { owner })).status).toBe(200);
    const signedIn = await second.call('POST', '/api/dashboard/session', { body: owner });
    expect(signedIn.status).toBe(200);
  });
});

describe.skipIf(isCluster)('a file that is wrong', () => {
  it('is refused with the place of what is wrong, and creates nothing', async () => {
    const file = await exportFrom(first, business.merchant.id);
    const count = async () => (await second.database.sql`select 1 from merchants`).length;
    const before = await count();
    const cases: readonly (readonly [place: string, value: unknown, expected: RegExp])[] = [
      ['tillhouse_merchant', undefined, /^file\.tillhouse_merchant: .* must be 1/],
      ['clock', null, /^file\.clock: .* must be an object/],
      ['clock.now', 'noon', /^file\.clock\.now: .* must be a time/],
      ['clock.frozen', 'yes', /^file\.clock\.frozen: /],
      ['records', [], /^file\.records: .* must be an object/],
      ['records.access_tokens', [], /^file\.records\.access_tokens: .* is not known/],
      ['records.locations', [], /^file\.records\.locations: .* must have a location/],
      ['records.locations.0.timezone', 'Mars/Base', /^file\.records\.locations\.0\.timezone: .* must be a time zone/],
      ['records.payments', {}, /^file\.records\.payments: .* must be a list/],
      ['records.payments.0', 1, /^file\.records\.payments\.0: .* must be an object/],
      ['records.payments.0.amuont', 1, /amuont is not known\. Did you mean amount\?/],
      ['records.payments.0.amount', 'much', /^file: .*much/],
      ['records.payments.0.amount', -1, /^file\.records\.payments: /],
      ['records.payments.0.amount', 10 ** 30, /^file/],
      ['records.payments.0.currency', '\0', /^file/],
      ['records.payments.0.payment_id', undefined, /^file\.records\.payments: /],
      ['records.payments.0', file.records.payments[1], /^file\.records\.payments: .*already exists/],
      ['records.employees.0.role_id', 'none', /^file\.records\.employees: .*not present/],
      ['records.timecards.0.clockin_at', 'never', /^file/],
      ['merchant.currency', null, /^file\.merchant\.currency: /],
      ['merchant.business_name', null, /^file\.merchant: /],
      ['merchant.id', 'M', /^file\.merchant\.id: .* is not known/],
    ];
    for (const [place, value, expected] of cases) {
      const { status, body } = await importInto(second, withValue(file, place, value));
      expect([place, status]).toEqual([place, 400]);
      expect(`${body.errors[0].field}: ${body.errors[0].detail}`).toMatch(expected);
    }
    for (const wrong of [null, [], 'text', 1]) expect((await importInto(second, wrong)).status).toBe(400);
    expect(await count()).toBe(before);
  });

  it('is unknown for a merchant that does not exist', async () => {
    expect((await first.operator('GET', '/api/sandbox/merchants/none/file')).status).toBe(404);
  });
});
