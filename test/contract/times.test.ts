/** Every time parameter and every time in a body accepts every form of ISO 8601 (decision 0010). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import { createEmployee } from '../support/employees.js';
import type { ApiResponse } from '../support/http.js';
import { ensureDefined } from '../support/people.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, openBusiness } from './business.js';
import { type GoodRequest, goodRequest, nameOf, send } from './requests.js';
import { fieldsOf, filtersOf, queryOf, type Schema, withValue } from './schemas.js';
import { shareAmongEqual } from './shares.js';

/** Forms of one time, as a list of times in whole seconds compares it. */
const FORMS = [
  '20200229T100000Z',
  '20200229T1000Z',
  '2020-W09-6T10:00:00Z',
  '2020W096T100000Z',
  '2020-060T10:00:00Z',
  '2020060T10Z',
  '2020-02-29T10Z',
  '2020-02-29T10:00:00.000000000000Z',
  '2020-02-29T10',
  '2020-02-29T09:59:60Z',
  '20200229T24+1400',
  '2020-02-28T24:00:00-10:00',
];
const SAME = '2020-02-29T10:00:00Z';

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
});
afterAll(() => server.stop());

const isTime = ({ format }: Schema): boolean => format === 'date-time';
const timesIn = (operation: Operation): string[] =>
  queryOf(operation)
    ? filtersOf(operation)
        .filter(([, schema]) => isTime(schema))
        .map(([name]) => name)
    : [];
const lists = operations.filter((each) => timesIn(each).length > 0);
const writes = operations.filter(
  ({ body }) => body && fieldsOf(body as unknown as Schema).some(({ schema }) => isTime(schema)),
);
const someForms = shareAmongEqual();

it('the declarations have times in queries and in bodies', () => {
  expect(lists.length).toBeGreaterThan(10);
  expect(writes.map(nameOf)).toEqual(expect.arrayContaining(['v1.createTimecard', 'register.ringUpSale']));
});

describe.each(lists.map((each) => [nameOf(each), each] as const))('%s', (_, operation) => {
  it('reads a time in every form', async () => {
    const request = await goodRequest(operation, business, server);
    const get = async (name: string, time: string): Promise<[number, string]> => {
      const search = `${request.search || '?'}&${name}=${encodeURIComponent(time)}`;
      const { status, body } = await send(server, operation, { ...request, search });
      return [status, JSON.stringify(body).replaceAll(/"cursor":"[^"]*"/g, '')];
    };
    for (const name of timesIn(operation)) {
      const expected = await get(name, SAME);
      for (const form of someForms(FORMS, operation.surface)) {
        expect([form, ...(await get(name, form))]).toEqual([form, ...expected]);
      }
    }
  });
});

describe.each(writes.map((each) => [nameOf(each), each] as const))('%s', (_, operation) => {
  it('reads a time in every form', async () => {
    const fields = fieldsOf(operation.body as unknown as Schema).filter(({ schema }) => isTime(schema));
    for (const field of fields) {
      for (const form of someForms(FORMS, operation.surface)) {
        const request: GoodRequest = await goodRequest(operation, business, server);
        const answer: ApiResponse = await send(server, operation, request, {
          body: withValue(request.body, field, form),
        });
        expect(answer.status, answer.text).toBeLessThan(500);
        expect(answer.text).not.toContain('must be a time');
      }
    }
  });
});

it('a timecard stores the time that was meant', async () => {
  const { token } = business.merchant;
  const { id: employee_id } = await createEmployee(server, business.merchant);
  for (const form of FORMS) {
    const body = { employee_id, clockin_time: '2020-02-28T08Z', clockout_time: form };
    const answer = await server.call('POST', '/v1/me/timecards', { token, body });
    expect([form, ensureDefined(answer.body).clockout_time]).toEqual([form, SAME]);
  }
});
