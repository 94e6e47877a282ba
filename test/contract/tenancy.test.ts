import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import type { ApiResponse } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, money, openBusiness, pay, register } from './business.js';
import { readRefusal } from './refusals.js';
import {
  callWell,
  goodRequest,
  identify,
  itemsIn,
  madeUp,
  nameOf,
  pageTokenIn,
  parametersOf,
  pathOf,
  requiredQuery,
  send,
} from './requests.js';

let server: TestServer;
let business: Business;
let stranger: Business;

/** Creates a second record of every kind that a list shows. */
const MORE = [
  ...['v1.createEmployeeRole', 'v1.createEmployee', 'v1.createTimecard', 'v2.createPayment', 'v2.refundPayment'],
  ...['register.openShift', 'register.paidIn', 'v1.updateOrder', 'dashboard.linkBankAccount'],
  ...['sandbox.placeHold', 'sandbox.placeHold'],
];

beforeAll(async () => {
  server = await startTestServer();
  [business, stranger] = [await openBusiness(server), await openBusiness(server)];
  for (const each of [business, stranger]) {
    for (const name of MORE) expect((await callWell(server, find(name), each)).status, name).toBe(200);
  }
});
afterAll(() => server.stop());

function find(name: string): Operation {
  const found = operations.find((each) => nameOf(each) === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

/** The comparable part of a response: everything except its time and the requested id. */
function comparable({ status, headers, text }: ApiResponse, id: string): unknown {
  const { date, 'x-request-id': requestId, ...rest } = headers;
  return { status, rest, text: text.replaceAll(id, 'ID') };
}

/** The response to a good request contains no record of the other merchant. */
function expectOwnRecords(operation: Operation, { status, text }: ApiResponse): void {
  const theirs = [
    ...Object.values(stranger.ids),
    ...stranger.merchant.locationIds,
    ...[stranger.device.id, stranger.attendant.employeeId, stranger.owner.email],
  ];
  const found = theirs.filter((id) => text.includes(id));
  expect([nameOf(operation), status, found], text).toEqual([nameOf(operation), 200, []]);
}

/** The operator of a sandbox is above merchants; every other caller belongs to one. */
const ofMerchants = operations.filter(({ surface }) => surface !== 'sandbox');

describe("another merchant's id in the path gets exactly the response of an unknown id (decision 0015)", () => {
  const concerned = ofMerchants.flatMap((each) =>
    parametersOf(each).map((name) => [nameOf(each), name, each] as const),
  );

  it.each(concerned)('%s {%s}', async (_, name, operation) => {
    const theirs = stranger.ids[name];
    if (theirs === undefined) throw new Error(`openBusiness makes no ${name}`);
    const request = await goodRequest(operation, business, server);
    const answers = [];
    for (const id of [theirs, madeUp(theirs)]) {
      const path = pathOf(operation, { ...request.ids, [name]: id });
      const answer = await send(server, operation, { ...request, path });
      expect(readRefusal(answer, operation.path).status).toBe(404);
      answers.push(comparable(answer, id));
    }
    expect(answers[0]).toEqual(answers[1]);
    // The id was the only reason for the refusal.
    expectOwnRecords(operation, await send(server, operation, request));
  });
});

/** Ids of other systems, which have no meaning here. */
const NOT_OURS = ['id', 'external_id', 'source_id', 'customer_id', 'order_id', 'reference_id'];

/** The kind of record for each name in a body or query. */
const ABOUT: Readonly<Record<string, string>> = {
  role_ids: 'role_id',
  role_id: 'role_id',
  location_ids: 'location_id',
  authorized_location_ids: 'location_id',
  clockin_location_id: 'location_id',
  clockout_location_id: 'location_id',
  location_id: 'location_id',
  employee_id: 'employee_id',
  payment_id: 'payment_id',
  'v1.listOrders query payment_id': 'order_payment_id',
  client_id: 'client_id',
  merchant_id: 'merchant_id',
  // The employee who has opened a drawer.
  'dashboard.listCashDrawerShifts query employee_id': 'attendant_id',
  category_id: 'category_id',
  picture_id: 'picture_id',
  tax_ids: 'tax_id',
  modifier_list_ids: 'modifier_list_id',
  tender_id: 'tender_id',
  sale_id: 'sale_id',
  // The employee who sold something.
  'dashboard.listSales query employee_id': 'attendant_id',
};

/** What was responded to an unknown id outside the path: a status, or `nothing` for an empty list. */
const answered: string[] = [];

const places = ofMerchants.flatMap((operation) =>
  (['body', 'query'] as const).flatMap((part) => {
    const { properties = {} } = (operation[part] ?? {}) as { properties?: Record<string, { type?: string }> };
    return Object.entries(properties)
      .filter(([name]) => /(?:^|_)ids?$/.test(name) && !NOT_OURS.includes(name))
      .map(([name, { type }]) => ({ key: `${nameOf(operation)} ${part} ${name}`, operation, part, name, type }));
  }),
);

describe("another merchant's id in a body or query gets exactly the response of an unknown id", () => {
  it.each(places)('$key', async ({ key, operation, part, name, type }) => {
    const kind = ABOUT[key] ?? ABOUT[name] ?? '';
    const [own, theirs] = [business.ids[kind] ?? '', stranger.ids[kind] ?? ''];
    expect([own, theirs]).not.toContain('');
    const request = await goodRequest(operation, business, server);
    const asking = (id: string): Promise<ApiResponse> => {
      if (part === 'query') return send(server, operation, { ...request, search: `?${name}=${id}` });
      return send(server, operation, { ...request, body: { ...request.body, [name]: type === 'array' ? [id] : id } });
    };
    const answers = [];
    for (const id of [theirs, madeUp(theirs)]) {
      const answer = await asking(id);
      if (answer.status === 200) expect(itemsIn(answer, operation), answer.text).toEqual([]);
      else expect([400, 401, 404]).toContain(readRefusal(answer, operation.path).status);
      answers.push(comparable(answer, id));
      if (id === theirs) answered.push(`${key} ${answer.status === 200 ? 'nothing' : answer.status}`);
    }
    expect(answers[0]).toEqual(answers[1]);
    // With its own id, the same request finds something.
    if (part === 'query') {
      const answer = await asking(own);
      expect([answer.status, operation.page && itemsIn(answer, operation).length]).not.toEqual([200, 0]);
      expect(answer.status, answer.text).toBe(200);
    } else expect((await send(server, operation, request)).status).toBe(200);
  });

  it('wherever an id can be sent, as it is recorded; `npm run docs` records it', async () => {
    expect(answered).toHaveLength(places.length);
    await expect(`${answered.sort().join('\n')}\n`).toMatchFileSnapshot('recorded/unknown-ids.txt');
  });
});

describe('the page token of another merchant (decision 0006)', () => {
  const lists = ofMerchants.filter((each) => each.page);
  /** The path or the token names a record, such as a location, which does not exist for other merchants. */
  const ofOneRecord = (list: Operation): boolean => parametersOf(list).length > 0 || requiredQuery(list).length > 0;

  it.each(lists.map((each) => [nameOf(each), each] as const))(
    '%s returns nothing of the other merchant',
    async (_, list) => {
      const token = list.page?.token ?? '';
      const [own, foreign] = [await goodRequest(list, business, server), await goodRequest(list, stranger, server)];
      const first = await send(server, list, { ...own, search: `${own.search || '?'}&limit=1` });
      const next = { ...own, search: `?${token}=${pageTokenIn(first, list)}` };
      const mine = await send(server, list, next);
      expect([mine.status, itemsIn(mine, list).length], mine.text).toEqual([200, 1]);

      const theirs = await send(server, list, { ...next, credential: foreign.credential });
      if (ofOneRecord(list)) {
        expect(readRefusal(theirs, list.path).status).toBe(404);
        return;
      }
      expect(theirs.status, theirs.text).toBe(200);
      const all = itemsIn(await send(server, list, { ...foreign, search: '' }), list).map(identify);
      for (const item of itemsIn(theirs, list)) expect(all).toContain(identify(item));
      for (const item of itemsIn(mine, list)) expect(all).not.toContain(identify(item));
    },
  );

  it('is sent to every list that has pages', () => {
    expect(lists.length).toBeGreaterThan(9);
    expect(lists.filter(ofOneRecord).length).toBeGreaterThan(5);
  });
});

describe('names that callers choose', () => {
  const statusOf = async ({ merchant }: Business, id: string): Promise<string> =>
    (await server.call('GET', `/v2/payments/${id}`, merchant)).body.payment.status;

  it('include an idempotency key, which cancels the payment of its own merchant only', async () => {
    const { id, idempotency_key } = await pay(server, stranger);
    const cancel = ({ merchant: { token } }: Business) =>
      server.call('POST', '/v2/payments/cancel', { token, body: { idempotency_key } });
    expect((await cancel(business)).body).toEqual({});
    expect(await statusOf(stranger, id)).toBe('COMPLETED');
    expect((await cancel(stranger)).body).toEqual({});
    expect(await statusOf(stranger, id)).toBe('CANCELED');
  });

  it('include an idempotency key, which creates a payment and a refund for each merchant that uses it', async () => {
    const idempotency_key = 'the-same-key';
    const payments = [];
    const refunds = [];
    for (const each of [business, stranger]) {
      const { id: payment_id } = await pay(server, each, { idempotency_key });
      const body = { idempotency_key, payment_id, amount_money: money(1) };
      const answer = await server.call('POST', '/v2/refunds', { token: each.merchant.token, body });
      expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([200, undefined]);
      payments.push(payment_id);
      refunds.push(answer.body.refund.id);
    }
    expect(payments[0]).not.toBe(payments[1]);
    expect(refunds[0]).not.toBe(refunds[1]);
  });

  it("include the id of a register's write, which is separate for each register", async () => {
    const own = [business.attendant.employeeId, stranger.attendant.employeeId];
    for (const each of [business, stranger]) await register(server, each, 'timecards/clock-out'); // refused if clocked out
    // A retry returns each register's first response, not the other's.
    for (const _ of ['first', 'again']) {
      const employees = [];
      for (const each of [business, stranger]) {
        const answer = await register(server, each, 'timecards/clock-in', { id: 'the-same-id' });
        expect(answer.status, answer.text).toBe(200);
        employees.push(answer.body.timecard.employee_id);
      }
      expect(employees).toEqual(own);
    }
  });
});

describe('no response', () => {
  it('contains a record of another merchant', async () => {
    // The responses of the others are checked above.
    const others = ofMerchants.filter((each) => parametersOf(each).length === 0);
    for (const each of others) expectOwnRecords(each, await callWell(server, each, business));
    const { text } = await callWell(server, find('dashboard.listDevices'), stranger);
    expect(text).toContain(stranger.device.id); // so that they would be found
  });
});
