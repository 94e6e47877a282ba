/** Both published clients with the operations beyond the contract (decision 0103): transactions, bank accounts, shifts, changes. */
import { createRequire } from 'node:module';
import { SquareClient } from 'square';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEmployee } from '../support/employees.js';
import { advance, expectBooksInOrder, later, pay, refund, usd, type WirePayment } from '../support/payments.js';
import { ensureDefined } from '../support/people.js';
import { card, cash, item } from '../support/register-sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { plain, refusalOf } from './connect.js';

type Model = Record<string, unknown> & { readonly id: string };

interface ApiClient {
  basePath: string;
  authentications: { oauth2: { accessToken?: string } };
}

interface Package {
  readonly ApiClient: new () => ApiClient;
  readonly TransactionsApi: new (
    client: ApiClient,
  ) => {
    listTransactions(place: string, options?: object): Promise<{ transactions: Model[]; cursor?: string }>;
    retrieveTransaction(place: string, id: string): Promise<{ transaction: Model }>;
  };
  readonly LaborApi: new (client: ApiClient) => { searchShifts(body: object): Promise<{ shifts: Model[] }> };
}

const SquareConnect: Package = createRequire(import.meta.url)('square-connect');

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
let merchant: TestMerchant;
let place: string;
let accountId: string;
/** A partially refunded payment of the API, and a sale at a register in cash and by a contactless card. */
let paid: WirePayment;
let sold: { readonly id: string; readonly tenders: readonly { readonly id: string }[] };
let square: SquareClient;
let connect: ApiClient;

beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {}); // one client warns of each call that it is deprecated
  server = await startTestServer();
  const made = await server.operator('POST', '/api/sandbox/merchants', {
    clock: { now: START, frozen: true },
    bank_account: true,
  });
  const { merchant: opened, access_token: token, bank_account } = made.body;
  merchant = { id: opened.id, token, locationIds: [opened.locations[0].id] };
  [place, accountId] = [ensureDefined(merchant.locationIds[0]), bank_account.id];
  square = new SquareClient({ baseUrl: server.baseUrl, token, maxRetries: 0 });
  connect = new SquareConnect.ApiClient();
  connect.basePath = server.baseUrl;
  connect.authentications.oauth2.accessToken = token;
  paid = await pay(server, merchant, { tip_money: usd(150), reference_id: 'A-17', note: 'Two coffees' });
  await refund(server, merchant, paid, { amount_money: usd(200), reason: 'Cold' });
  await advance(server, merchant, 'PT1H');
  sold = await sellAtRegister();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await expectBooksInOrder(server);
  await server.stop();
});

async function sellAtRegister() {
  const path = `/api/sandbox/merchants/${merchant.id}/registers`;
  const { device_token, session } = (await server.operator('POST', path, { location_id: place })).body;
  const tenders = [
    cash(400, { tendered_money: { amount: 500 } }),
    card(600, { source_id: 'cnon:test-visa-contactless' }),
  ];
  const answer = await server.call('POST', '/api/register/sales', {
    token: device_token,
    headers: { 'tillhouse-employee-session': session },
    body: { id: crypto.randomUUID(), itemizations: [item(1000)], tenders },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.sale;
}

describe('square-connect, TransactionsApi', () => {
  const api = () => new SquareConnect.TransactionsApi(connect);

  it('lists sales newest first, a split one under its own id', async () => {
    const { transactions, cursor } = await api().listTransactions(place);
    expect(cursor).toBeUndefined();
    expect(transactions.map(({ id }) => id)).toEqual([sold.id, paid.id]);
    const oldestFirst = await api().listTransactions(place, { sortOrder: 'ASC', beginTime: START });
    expect(oldestFirst.transactions.map(({ id }) => id)).toEqual([paid.id, sold.id]);
    expect((await api().listTransactions(place, { endTime: START })).transactions).toBeUndefined();
  });

  it('retrieves a payment of the API, with its tender and refund', async () => {
    const { transaction } = await api().retrieveTransaction(place, paid.id);
    expect(plain(transaction)).toMatchObject({
      id: paid.id,
      location_id: place,
      created_at: START,
      reference_id: 'A-17',
      product: 'EXTERNAL_API',
      order_id: paid.order_id,
      tenders: [
        {
          ...{ id: paid.id, transaction_id: paid.id, payment_id: paid.id, location_id: place, type: 'CARD' },
          ...{ amount_money: usd(1150), tip_money: usd(150), processing_fee_money: usd(63), note: 'Two coffees' },
          card_details: { status: 'CAPTURED', entry_method: 'KEYED', card: { card_brand: 'VISA', last_4: '5858' } },
        },
      ],
      refunds: [
        { transaction_id: paid.id, tender_id: paid.id, reason: 'Cold', amount_money: usd(200), status: 'APPROVED' },
      ],
    });
  });

  it('retrieves a sale of a register by the id of any tender, with both tenders', async () => {
    for (const { id } of sold.tenders) {
      const { transaction } = await api().retrieveTransaction(place, id);
      expect(plain(transaction)).toMatchObject({
        id: sold.id,
        product: 'REGISTER',
        tenders: [
          {
            ...{ type: 'CASH', amount_money: usd(400), processing_fee_money: usd(0) },
            cash_details: { buyer_tendered_money: usd(500), change_back_money: usd(100) },
          },
          { type: 'CARD', amount_money: usd(600), card_details: { entry_method: 'CONTACTLESS' } },
        ],
      });
      expect(transaction).not.toHaveProperty('refunds.0');
    }
  });

  it('is refused for an unknown transaction, also for one of another location', async () => {
    const nowhere = { status: 404, body: { errors: [{ code: 'NOT_FOUND' }] } };
    expect(await refusalOf(api().retrieveTransaction(place, 'nothing'))).toMatchObject(nowhere);
    expect(await refusalOf(api().retrieveTransaction('me', paid.id))).toMatchObject(nowhere);
    expect(await refusalOf(api().listTransactions('me'))).toMatchObject(nowhere);
  });
});

describe('square, bankAccounts', () => {
  it('lists the accounts, and finds one by its id and by its v1 id, which is the same', async () => {
    const expected = {
      id: accountId,
      country: 'US',
      currency: 'USD',
      accountType: 'CHECKING',
      holderName: 'Sandbox business',
      primaryBankIdentificationNumber: '021000021',
      accountNumberSuffix: expect.stringMatching(/^\d{4}$/),
      bankName: 'Sandbox Bank',
      status: 'VERIFIED',
      creditable: true,
      debitable: true,
      version: 1,
    };
    const { data } = await square.bankAccounts.list({ limit: 10, locationId: place });
    expect(data).toEqual([expected]);
    expect((await square.bankAccounts.get({ bankAccountId: accountId })).bankAccount).toEqual(expected);
    const byV1Id = await square.bankAccounts.getByV1Id({ v1BankAccountId: accountId });
    expect(byV1Id.bankAccount).toEqual(expected);
    expect((await square.bankAccounts.list({ customerId: 'C1' })).data).toEqual([]);
    expect((await square.bankAccounts.list({ locationId: 'elsewhere' })).data).toEqual([]);
  });

  it('walks over pages in the order in which the accounts were linked', async () => {
    const more = `/api/sandbox/merchants/${merchant.id}/bank-accounts`;
    const linked = [accountId];
    for (const type of ['LOAN', 'SAVINGS'])
      linked.push((await server.operator('POST', more, { type })).body.bank_account.id);
    const seen: (string | undefined)[] = [];
    for await (const account of await square.bankAccounts.list({ limit: 1 })) seen.push(account.id);
    expect(seen.toSorted()).toEqual(linked.toSorted());
    const types = (await square.bankAccounts.list()).data.map(({ accountType }) => accountType);
    expect(types.toSorted()).toEqual(['CHECKING', 'OTHER', 'SAVINGS']);
  });
});

describe('the search for shifts', () => {
  it('finds a timecard through both clients', async () => {
    const { id: employee_id } = await createEmployee(server, merchant);
    const times = { clockin_time: '2020-02-25T09:00:00Z', clockout_time: '2020-02-25T17:30:00Z' };
    const body = { employee_id, ...times, clockin_location_id: place };
    const made = await server.call('POST', '/v1/me/timecards', { token: merchant.token, body });
    expect(made.status, made.text).toBe(200);
    const { shifts } = await square.labor.shifts.search({
      query: {
        filter: {
          teamMemberIds: [employee_id],
          workday: { dateRange: { startDate: '2020-02-25', endDate: '2020-02-25' }, matchShiftsBy: 'START_AT' },
        },
      },
      limit: 100,
    });
    expect(shifts).toEqual([
      {
        ...{ id: made.body.id, employeeId: employee_id, teamMemberId: employee_id, locationId: place },
        ...{
          timezone: 'America/Los_Angeles',
          startAt: times.clockin_time,
          endAt: times.clockout_time,
          status: 'CLOSED',
        },
        ...{ breaks: [], createdAt: made.body.created_at, updatedAt: made.body.updated_at },
      },
    ]);
    const labor = new SquareConnect.LaborApi(connect);
    const found = await labor.searchShifts({ query: { filter: { employee_ids: [employee_id], status: 'CLOSED' } } });
    expect(found.shifts.map(({ id }) => id)).toEqual([made.body.id]);
  });
});

describe('square, updated since', () => {
  it('lists updated payments and refunds, oldest update first', async () => {
    const since = later(START, 1);
    const order = { sortField: 'UPDATED_AT', sortOrder: 'ASC' } as const;
    const payments = await square.payments.list({ updatedAtBeginTime: since, ...order, limit: 1 });
    const seen: (string | undefined)[] = [];
    for await (const payment of payments) seen.push(payment.id);
    expect(seen).toEqual([paid.id, sold.tenders[1]?.id]);
    const refunds = await square.refunds.list({
      updatedAtBeginTime: since,
      updatedAtEndTime: later(START, 3001),
      ...order,
    });
    expect(refunds.data).toMatchObject([{ paymentId: paid.id, status: 'COMPLETED', updatedAt: later(START, 3000) }]);
  });
});
