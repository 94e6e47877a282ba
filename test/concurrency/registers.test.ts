/** Races at registers, at sign-in and in the sandbox, on one server and on two. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock, readClock } from '../support/clock.js';
import { createOwner, signIn, type TestOwner } from '../support/dashboard.js';
import type { ApiResponse } from '../support/http.js';
import { expectBooksInOrder } from '../support/payments.js';
import { hire, openBusiness, pairDevice, type Register, signInAt } from '../support/people.js';
import { withFullHashes } from '../support/quick-argon2.js';
import { card, cash, item, SALES, sell, tryToSell, usd } from '../support/register-sales.js';
import { PLACES, spreadOver, startTestServer, type TestServer } from '../support/server.js';
import { linkAccount, tryToLink } from '../support/settlements.js';

const SHIFTS = '/api/register/cash-drawer-shifts';
const NOW = '2020-02-26T10:00:00.500Z';

let all: TestServer[];

beforeAll(async () => {
  const first = await startTestServer();
  all = [first, await startTestServer({ databaseUrl: first.databaseUrl })];
});
afterAll(async () => {
  for (const server of [...all].reverse()) await server.stop();
});

/** Sends all requests before any response arrives. */
const atOnce = <Result>(count: number, start: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => start(index)));
const statusesOf = (answers: readonly ApiResponse[]) => answers.map(({ status }) => status).sort();
const all200 = (answers: readonly ApiResponse[]) => answers.map(() => 200);

describe.each(PLACES)('at a register $where', ({ servers }) => {
  let server: TestServer;
  let owner: TestOwner;
  let cashierId: string;

  beforeAll(async () => {
    server = spreadOver(all.slice(0, servers));
    const business = await openBusiness(
      server,
      { clock: { now: NOW, frozen: true } },
      { role: { permissions: ['REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE', 'REGISTER_ISSUE_REFUNDS'] } },
    );
    owner = business.owner;
    cashierId = business.register.employeeId;
  });
  afterAll(() => expectBooksInOrder(server));

  /** Opens a register for the cashier with a new drawer. */
  const newTill = async (): Promise<Register> => signInAt(await pairDevice(server, owner), cashierId);
  const token = () => ({ token: owner.merchant.token });

  it('opens one shift when 20 requests try at once', async () => {
    const till = await newTill();
    const answers = await atOnce(20, (amount) => till.write(SHIFTS, { opened_cash_money: { amount } }));
    expect(statusesOf(answers)).toEqual([200, ...Array(19).fill(400)]);
    const [row] = await server.database.sql<{ shifts: number }[]>`
      select count(*)::int as shifts from cash_drawer_shifts where device_id = ${till.device.id}`;
    expect(row).toEqual({ shifts: 1 });
  });

  it('does each of the six drawer writes once when it is sent 20 times at once', async () => {
    const till = await newTill();
    const repeat = async (path: string, body: Record<string, unknown>, id: string) => {
      const answers = await atOnce(20, () => till.write(path, { ...body, id }));
      expect(statusesOf(answers), id).toEqual(all200(answers));
      expect(new Set(answers.map(({ text }) => text)).size, id).toBe(1);
      return answers[0]?.body.cash_drawer_shift;
    };
    const { id } = await repeat(SHIFTS, { opened_cash_money: usd(1000) }, 'open');
    for (const [word, body] of Object.entries({
      'no-sale': {},
      'paid-in': { amount_money: { amount: 100 } },
      'paid-out': { amount_money: { amount: 40 } },
      end: {},
      close: { closed_cash_money: { amount: 10_000 } },
    })) {
      await repeat(`${SHIFTS}/${id}/${word}`, body, word);
    }
    const { shift, events } = (await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${id}`)).body;
    expect([shift.state, shift.expected_cash_money.amount]).toEqual(['CLOSED', 1060]);
    const kinds = events.map(({ event_type }: { event_type: string }) => event_type);
    expect(kinds).toEqual(['NO_SALE', 'PAID_IN', 'PAID_OUT']);
  });

  it('does a clock-in once when it is sent 20 times at once, with the same response to all', async () => {
    const till = await signInAt(await pairDevice(server, owner), (await hire(server, owner)).id);
    const answers = await atOnce(20, () => till.write('/api/register/timecards/clock-in', { id: 'once' }));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(statusesOf(answers)).toEqual(all200(answers));
    const cards = `/v1/me/timecards`;
    const made = (await server.call('GET', `${cards}?employee_id=${till.employeeId}`, token())).body;
    expect(made).toEqual([answers[0]?.body.timecard]);
    expect((await server.call('GET', `${cards}/${made[0].id}/events`, token())).body).toHaveLength(1);
  });

  it('takes a tender once when it is sent 8 times at once', async () => {
    const till = await newTill();
    const sale = await sell(till, {});
    const body = card(400);
    const answers = await atOnce(8, () => till.call('POST', `${SALES}/${sale.id}/tenders`, { body }));
    expect(statusesOf(answers)).toEqual(all200(answers));
    expect(answers.at(-1)?.body.sale).toMatchObject({ remaining_money: usd(600), tenders: [{ status: 'COMPLETED' }] });
  });

  it('takes no more than the amount due when tenders race', async () => {
    const till = await newTill();
    const sale = await sell(till, {});
    const answers = await atOnce(6, () => till.write(`${SALES}/${sale.id}/tenders`, card(400)));
    expect(statusesOf(answers)).toEqual([200, 200, 400, 400, 400, 400]);
  });

  it('takes back no more than what is left when exchanges race', async () => {
    const till = await newTill();
    const old = await sell(till, { itemizations: [item(1000)], tenders: [card(400), cash()] });
    const returns = [{ payment_id: old.id, amount_money: { amount: 600 }, reason: 'too small' }];
    const answers = await atOnce(3, () => tryToSell(till, { itemizations: [item(600)], returns }));
    expect(statusesOf(answers)).toEqual([200, 400, 400]);
    const shown = (await server.call('GET', `/v1/me/payments/${old.id}`, token())).body;
    expect(shown.refunded_money.amount).toBe(-600);
  });

  it('counts concurrent passcode guesses, and resets the count after a right one', async () => {
    const [device, employee] = [await pairDevice(server, owner), await hire(server, owner)];
    for (let attempt = 0; attempt < 4; attempt++) await device.signIn(employee.id, '000000');
    expect((await device.signIn(employee.id)).status).toBe(200);
    const guesses = await withFullHashes(() => atOnce(20, (guess) => device.signIn(employee.id, String(1000 + guess))));
    expect(statusesOf(guesses)).toEqual([...Array(5).fill(401), ...Array(15).fill(429)]);
  });

  it('checks five of twenty password guesses, and then refuses the right password too', async () => {
    const { email } = await createOwner(server);
    const guesses = await withFullHashes(() => atOnce(20, () => signIn(server, email, 'wrong')));
    expect(statusesOf(guesses)).toEqual([...Array(5).fill(401), ...Array(15).fill(429)]);
    expect((await signIn(server, email)).status).toBe(429);
  });

  it('has one active bank account when many are linked and activated at once, and links each once', async () => {
    const shop = await createOwner(server);
    const inForce = async () => {
      const { bank_accounts } = (await shop.call('GET', '/api/dashboard/bank-accounts')).body;
      return bank_accounts.filter(({ in_force }: { in_force: boolean }) => in_force).length;
    };
    const ids = await atOnce(8, (index) => linkAccount(shop, { account_number: String(40_000 + index) }));
    expect(await inForce()).toBe(1);
    const chosen = await Promise.all(
      ids.map((id) => shop.call('POST', `/api/dashboard/bank-accounts/${id}/put-in-force`)),
    );
    expect(statusesOf(chosen)).toEqual(all200(chosen));
    expect(await inForce()).toBe(1);
    const account_number = '123456789';
    const answers = await atOnce(6, () => tryToLink(shop, { account_number }));
    expect(statusesOf(answers)).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it('adds up concurrent advances of a clock', async () => {
    const { id } = await server.createMerchant({ clock: { now: NOW, frozen: true } });
    await atOnce(24, () => changeClock(server, id, { advance: 'PT1H' }));
    expect((await readClock(server, id)).now).toBe('2020-02-27T10:00:00.500Z');
  });

  it('injects a fault into exactly as many requests as it specifies', async () => {
    const { id: merchant_id, token: own } = await server.createMerchant();
    const fault = { merchant_id, effect: 'STATUS', status: 503, times: 7 };
    await server.operator('POST', '/api/sandbox/faults', fault);
    const answers = await atOnce(30, () => server.call('GET', '/v1/me', { token: own }));
    expect(statusesOf(answers)).toEqual([...Array(23).fill(200), ...Array(7).fill(503)]);
  });
});
