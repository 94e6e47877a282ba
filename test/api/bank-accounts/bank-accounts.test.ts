import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { expectBooksInOrder, expectRefusal, type Json } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { accountBody, linkAccount, MORNING, made, ROUTING_NUMBER, tryToLink } from '../../support/settlements.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const open = (change: Json = {}): Promise<TestOwner> =>
  createOwner(server, { clock: { now: MORNING, frozen: true }, ...change });
const accountsOf = async (owner: TestOwner): Promise<readonly Json[]> =>
  made(await owner.call('GET', '/api/dashboard/bank-accounts')).bank_accounts;
const activeAccounts = async (owner: TestOwner): Promise<unknown[]> =>
  (await accountsOf(owner)).filter((account) => account['in_force']).map(({ id }) => id);

describe('dashboard.linkBankAccount', () => {
  it('links an account, and returns only the last four digits of its number', async () => {
    const owner = await open();
    const { bank_account } = made(await tryToLink(owner));
    expect(bank_account).toEqual({
      id: expect.stringMatching(/^\w{24}$/),
      bank_name: 'First Bank',
      name: 'Ana Ruiz',
      routing_number: ROUTING_NUMBER,
      type: 'BUSINESS_CHECKING',
      account_number_suffix: '6789',
      currency: 'USD',
      in_force: true,
      linked_at: MORNING,
    });
    expect(await accountsOf(owner)).toEqual([bank_account]);
  });

  it.each([
    ['1234', '34'],
    ['12345', '45'],
    ['1234567', '567'],
    ['12345678', '5678'],
    ['12345678901234567', '4567'],
  ])('shows at most half of a short number: %s', async (account_number, suffix) => {
    const { bank_account } = made(await tryToLink(await open(), { account_number }));
    expect(bank_account.account_number_suffix).toBe(suffix);
  });

  it.each([
    ['a wrong digit', { routing_number: '021000022' }, 'routing_number', 'INVALID_VALUE'],
    ['two digits swapped', { routing_number: '012000021' }, 'routing_number', 'INVALID_VALUE'],
    ['too few digits', { routing_number: '02100002' }, 'routing_number', 'INVALID_VALUE'],
    ['zeros only', { routing_number: '000000000' }, 'routing_number', 'INVALID_VALUE'],
    ['too many digits', { routing_number: '0210000210' }, 'routing_number', 'VALUE_TOO_LONG'],
    ['three digits', { account_number: '123' }, 'account_number', 'VALUE_REGEX_MISMATCH'],
    ['eighteen digits', { account_number: '123456789012345678' }, 'account_number', 'VALUE_REGEX_MISMATCH'],
    ['letters', { account_number: '1234X' }, 'account_number', 'VALUE_REGEX_MISMATCH'],
    ['digits of another script', { account_number: '１２３４５' }, 'account_number', 'VALUE_REGEX_MISMATCH'],
    ['an unknown type', { type: 'PIGGY_BANK' }, 'type', 'INVALID_ENUM_VALUE'],
    ['nobody', { name: '' }, 'name', 'VALUE_EMPTY'],
    ['no bank', { bank_name: null }, 'bank_name', 'MISSING_REQUIRED_PARAMETER'],
  ])('refuses %s, and never repeats the number', async (_, change, field, code) => {
    const owner = await open();
    const answer = await tryToLink(owner, change);
    expectRefusal(answer, { code, field });
    expect(answer.text).not.toContain(String(accountBody(change)['account_number']));
    expect(await accountsOf(owner)).toEqual([]);
  });

  it('refuses the same account twice, and accepts it for another merchant or at another bank', async () => {
    const [owner, other] = [await open(), await open()];
    await linkAccount(owner);
    const again = await tryToLink(owner, { name: 'Somebody else' });
    expectRefusal(again, { status: 409, code: 'CONFLICT', field: 'account_number' });
    await linkAccount(owner, { routing_number: '011401533' });
    await linkAccount(other);
    expect(await accountsOf(owner)).toHaveLength(2);
  });

  it('does not store the full number', async () => {
    const account_number = '73519284650';
    await linkAccount(await open(), { account_number });
    const { sql } = server.database;
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public'`;
    expect(tables.map(({ name }) => name)).toContain('bank_accounts');
    for (const { name } of tables) {
      const rows = await sql.unsafe(`select t::text as row from ${name} t where t::text like '%${account_number}%'`);
      expect([name, rows.length]).toEqual([name, 0]);
    }
    const [found] = await sql`select 1 from bank_accounts t where t::text like '%4650%'`;
    expect(found).toBeDefined(); // proves that the search finds what is stored
  });

  it('hashes with a key that is not in the database', async () => {
    await linkAccount(await open(), { account_number: '5550001' });
    const [row] = await server.database.sql<{ hash: Buffer; plain: boolean }[]>`
      select number_hash as hash, number_hash = sha256(convert_to(routing_number || ':5550001', 'UTF8')) as plain
      from bank_accounts
      where account_number_suffix = '001'`;
    expect([row?.hash.length, row?.plain]).toEqual([32, false]);
  });

  it('accepts fifty accounts at most', async () => {
    const owner = await open();
    for (let count = 0; count < 50; count++) await linkAccount(owner, { account_number: String(10_000 + count) });
    expectRefusal(await tryToLink(owner, { account_number: '99999' }), { code: 'BAD_REQUEST', says: ['50'] });
  });
});

describe('the clock of a merchant with a bank account', () => {
  it('cannot move back (decision 0042)', async () => {
    const owner = await open();
    const path = `/api/sandbox/merchants/${owner.merchant.id}/clock`;
    expect((await server.operator('POST', path, { now: '2019-01-01T00:00:00Z' })).status).toBe(200);
    await linkAccount(owner);
    const answer = await server.operator('POST', path, { now: '2018-01-01T00:00:00Z' });
    expectRefusal(answer, { code: 'BAD_REQUEST', field: 'now' });
  });
});

describe('the active account', () => {
  it('is the first one, until the owner chooses another', async () => {
    const owner = await open();
    const first = await linkAccount(owner);
    const second = await linkAccount(owner, { account_number: '987654321' });
    expect(await activeAccounts(owner)).toEqual([first]);
    const path = `/api/dashboard/bank-accounts/${second}/put-in-force`;
    expect(made(await owner.call('POST', path)).bank_account).toMatchObject({ id: second, in_force: true });
    expect(await activeAccounts(owner)).toEqual([second]);
    expect((await owner.call('POST', path)).status).toBe(200);
    expect(await activeAccounts(owner)).toEqual([second]);
  });

  it('is never an account of another merchant', async () => {
    const [owner, other] = [await open(), await open()];
    const [own, theirs] = [await linkAccount(owner), await linkAccount(other)];
    const answer = await owner.call('POST', `/api/dashboard/bank-accounts/${theirs}/put-in-force`);
    expectRefusal(answer, { status: 404, code: 'NOT_FOUND' });
    expect([await activeAccounts(owner), await activeAccounts(other)]).toEqual([[own], [theirs]]);
  });
});

describe('v1 bank accounts (decision 0036)', () => {
  it('are the same under each location, with the location as their merchant', async () => {
    const owner = await open({ locations: [{ name: 'One' }, { name: 'Two' }] });
    const { merchant } = owner;
    const id = await linkAccount(owner);
    const second = await linkAccount(owner, { account_number: '987654321', type: 'SAVINGS', name: 'Savings' });
    for (const locationId of merchant.locationIds) {
      const path = `/v1/${locationId}/bank-accounts`;
      const list = await server.call('GET', path, merchant);
      expect([list.status, list.body.map((each: Json) => each['id'])]).toEqual([200, [id, second]]);
      const one = await server.call('GET', `${path}/${id}`, merchant);
      expect(one.body).toEqual({
        id,
        merchant_id: locationId,
        bank_name: 'First Bank',
        name: 'Ana Ruiz',
        routing_number: ROUTING_NUMBER,
        account_number_suffix: '6789',
        currency_code: 'USD',
        type: 'BUSINESS_CHECKING',
      });
      expect(list.body[0]).toEqual(one.body);
      for (const { headers } of [list, one]) expect(headers['deprecation']).toBeDefined();
    }
  });

  it('are an empty list for a merchant without bank accounts', async () => {
    const { merchant } = await open();
    const answer = await server.call('GET', `/v1/${merchant.locationIds[0]}/bank-accounts`, merchant);
    expect([answer.status, answer.body]).toEqual([200, []]);
  });

  it('are those of the business under `me` (decision 0018)', async () => {
    const owner = await open();
    const { merchant } = owner;
    const id = await linkAccount(owner);
    const list = await server.call('GET', '/v1/me/bank-accounts', merchant);
    const one = await server.call('GET', `/v1/me/bank-accounts/${id}`, merchant);
    expect([one.status, one.body]).toMatchObject([200, { id, merchant_id: merchant.id }]);
    expect([list.status, list.body]).toEqual([200, [one.body]]);
  });

  it('return 404 under unknown locations', async () => {
    const [owner, other] = [await open(), await open()];
    const { merchant } = owner;
    const id = await linkAccount(owner);
    const theirs = await linkAccount(other);
    const [own = ''] = merchant.locationIds;
    for (const path of [
      ...['/v1/nowhere/bank-accounts', `/v1/nowhere/bank-accounts/${id}`, `/v1/me/bank-accounts/${theirs}`],
      ...[`/v1/${other.merchant.locationIds[0]}/bank-accounts`, `/v1/${own}/bank-accounts/${theirs}`],
    ]) {
      const answer = await server.call('GET', path, merchant);
      expect([path, answer.status, answer.body.type]).toEqual([path, 404, 'not_found']);
    }
  });
});
