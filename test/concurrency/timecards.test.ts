/** Races for timecards and cash drawers: many requests at once, on one server and on two. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock } from '../support/clock.js';
import { createEmployee } from '../support/employees.js';
import type { ApiResponse } from '../support/http.js';
import { openBusiness, openShift } from '../support/people.js';
import { PLACES, spreadOver, startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const CARDS = '/v1/me/timecards';

let one: TestServer;
/** A second server on the same database. */
let two: TestServer;

beforeAll(async () => {
  one = await startTestServer();
  two = await startTestServer({ databaseUrl: one.databaseUrl });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

/** The servers of a race, as one. */
function crowdOf(servers: number): () => TestServer {
  let crowd: TestServer | undefined;
  return () => {
    crowd ??= spreadOver([one, two].slice(0, servers));
    return crowd;
  };
}

/** Sends all requests before any response arrives. */
function atOnce<Result>(count: number, start: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => start(index)));
}

function count(answers: readonly ApiResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe.each(PLACES)('many clock-ins of one employee, $where', ({ servers }) => {
  const crowd = crowdOf(servers);

  it('succeed once: one of 50 gets a timecard and 49 are refused with 422 (contract 3)', async () => {
    const merchant = await one.createMerchant();
    const { id: employee_id } = await createEmployee(one, merchant);
    const answers = await atOnce(50, () =>
      crowd().call('POST', CARDS, { token: merchant.token, body: { employee_id } }),
    );
    expect(count(answers)).toEqual({ 200: 1, 422: 49 });
    for (const { status, body } of answers) {
      if (status === 422) expect([body.type, body.field]).toEqual(['unprocessable_entity', 'employee_id']);
    }
    const made = answers.find(({ status }) => status === 200)?.body;
    expect((await one.call('GET', CARDS, { token: merchant.token })).body).toEqual([made]);
    expect((await one.call('GET', `${CARDS}/${made.id}/events`, { token: merchant.token })).body).toHaveLength(1);
  });

  it('clock in every employee who is not clocked in, and each only once', async () => {
    const merchant = await one.createMerchant();
    const employees = await atOnce(10, () => createEmployee(one, merchant));
    const answers = await atOnce(50, (index) => {
      const body = { employee_id: employees[index % employees.length]?.id };
      return crowd().call('POST', CARDS, { token: merchant.token, body });
    });
    expect(count(answers)).toEqual({ 200: 10, 422: 40 });
  });
});

interface Event {
  readonly event_type: string;
  readonly clockin_time: string;
  readonly clockout_time?: string;
  readonly created_at: string;
}

/** The events of a card, oldest first. */
async function expectLegalHistory({ token }: TestMerchant, cardId: string, edits: number): Promise<void> {
  const card = (await one.call('GET', `${CARDS}/${cardId}`, { token })).body;
  const events: Event[] = (await one.call('GET', `${CARDS}/${cardId}/events`, { token })).body;
  const kinds = events.map(({ event_type }) => event_type);
  const deletions = card.deleted ? ['API_DELETE'] : [];
  // The card is created first, deleted last and once, and every change with a 200 response is there.
  expect(kinds).toEqual(['API_CREATE', ...Array.from({ length: edits }, () => 'API_EDIT'), ...deletions]);
  const last = events.at(-1);
  expect([last?.clockin_time, last?.clockout_time]).toEqual([card.clockin_time, card.clockout_time]);
  expect(last?.created_at).toBe(card.updated_at);
  const times = events.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort());
  let open = true;
  for (const { clockin_time, clockout_time } of events) {
    if (clockout_time !== undefined) expect(clockout_time >= clockin_time).toBe(true);
    expect(open || clockout_time !== undefined).toBe(true); // never reopened
    open = clockout_time === undefined;
  }
}

const minute = (index: number): string => new Date(1_582_711_200_000 + index * 60_000).toISOString();

describe.each(PLACES)('many changes of one card, $where', ({ servers }) => {
  const crowd = crowdOf(servers);

  it('succeed for 30 updates, one after the other, and the last event matches the card', async () => {
    const merchant = await one.createMerchant();
    const { token } = merchant;
    const { id: employee_id } = await createEmployee(one, merchant);
    for (let round = 0; round < 3; round++) {
      const times = { clockin_time: minute(-1), clockout_time: minute(600) };
      const { id } = (await one.call('POST', CARDS, { token, body: { employee_id, ...times } })).body;
      const answers = await atOnce(30, (index) => {
        const body = index % 2 ? { clockin_time: minute(index) } : { clockout_time: minute(100 + index) };
        return crowd().call('PUT', `${CARDS}/${id}`, { token, body });
      });
      expect(count(answers)).toEqual({ 200: 30 });
      await expectLegalHistory(merchant, id, 30);
    }
  });

  it('that update and delete end in a deleted card with one deletion, at the end of its history', async () => {
    const merchant = await one.createMerchant();
    const { token } = merchant;
    for (let round = 0; round < 5; round++) {
      const { id: employee_id } = await createEmployee(one, merchant);
      const body = { employee_id, clockin_time: minute(-1) };
      const { id } = (await one.call('POST', CARDS, { token, body })).body;
      const deletes = [7, 12, 20 + round];
      const answers = await atOnce(30, (index) => {
        const server = crowd();
        if (deletes.includes(index)) return server.call('DELETE', `${CARDS}/${id}`, { token });
        const change = index % 2 ? { clockin_time: minute(index) } : { clockout_time: minute(100 + index) };
        return server.call('PUT', `${CARDS}/${id}`, { token, body: change });
      });
      const updates = answers.filter((_, index) => !deletes.includes(index));
      expect(count(answers.filter((_, index) => deletes.includes(index)))).toEqual({ 200: 3 });
      const { 200: done = 0, 422: refused = 0, ...others } = count(updates);
      expect(others).toEqual({});
      expect(done + refused).toBe(27);
      await expectLegalHistory(merchant, id, done);
    }
  });

  it('that clock in, clock out and delete never leave two open cards', async () => {
    const merchant = await one.createMerchant();
    const { token } = merchant;
    const { id: employee_id } = await createEmployee(one, merchant);
    const { id } = (await one.call('POST', CARDS, { token, body: { employee_id } })).body;
    const answers = await atOnce(30, (index) => {
      const server = crowd();
      if (index === 5) return server.call('DELETE', `${CARDS}/${id}`, { token });
      return server.call('POST', CARDS, { token, body: { employee_id } });
    });
    expect(Object.keys(count(answers)).filter((status) => !['200', '422'].includes(status))).toEqual([]);
    const cards = (await one.call('GET', `${CARDS}?deleted=false`, { token })).body;
    expect(cards.length).toBeLessThanOrEqual(1);
    const clockIns = answers.filter((_, index) => index !== 5);
    expect(clockIns.filter(({ status }) => status === 200)).toHaveLength(cards.length);
  });
});

describe('a server that does not know of a new clock time yet', () => {
  it('does not date a change before the one that it follows', async () => {
    const merchant = await one.createMerchant({ clock: { now: minute(0), frozen: true } });
    const { token } = merchant;
    const { id: employee_id } = await createEmployee(one, merchant);
    const body = { employee_id, clockin_time: minute(-60), clockout_time: minute(-1) };
    const { id } = (await one.call('POST', CARDS, { token, body })).body;
    const path = `${CARDS}/${id}`;
    let edits = 0;
    const edit = async (server: TestServer) => {
      const change = { clockin_time: minute(-59 + edits++) };
      return (await server.call('PUT', path, { token, body: change })).body.updated_at;
    };
    for (let round = 1; round <= 5; round++) {
      await two.call('GET', path, { token }); // still uses the old time
      await changeClock(one, merchant.id, { now: minute(round) });
      const now = await edit(one);
      expect(now).toBe(minute(round).replace('.000', ''));
      expect(await edit(two)).toBe(now);
    }
    await expectLegalHistory(merchant, id, edits);
    await two.call('GET', path, { token });
    await changeClock(one, merchant.id, { now: minute(10) });
    await edit(one);
    await two.call('DELETE', path, { token });
    await expectLegalHistory(merchant, id, edits);
  });
});

const SHIFTS = '/api/register/cash-drawer-shifts';

describe.each(PLACES)('many operations at one cash drawer, $where', ({ servers }) => {
  const crowd = crowdOf(servers);

  it('add up to the cent for 50 paid-ins, in the sums and in the events', async () => {
    const { owner, register } = await openBusiness(crowd());
    const { id } = await openShift(register, 10_000);
    const answers = await atOnce(50, (index) =>
      register.write(`${SHIFTS}/${id}/paid-in`, { amount_money: { amount: 1 + index } }),
    );
    expect(count(answers)).toEqual({ 200: 50 });
    const { shift, events } = (await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${id}`)).body;
    const sum = events.reduce(
      (total: number, event: { event_money: { amount: number } }) => total + event.event_money.amount,
      0,
    );
    expect(events).toHaveLength(50);
    expect([sum, shift.cash_paid_in_money.amount, shift.expected_cash_money.amount]).toEqual([1275, 1275, 11_275]);
    // Each response has the sums after its own event, and no two are the same.
    const seen = answers.map(({ body }) => body.cash_drawer_shift.cash_paid_in_money.amount);
    expect(new Set(seen).size).toBe(50);
    expect(Math.max(...seen)).toBe(1275);
  });

  it('of paid-ins, paid-outs and one end leave accepted ones in the sums and refused ones nowhere', async () => {
    const { owner, register } = await openBusiness(crowd());
    const { id } = await openShift(register, 10_000);
    const answers = await atOnce(30, (index) => {
      if (index === 15) return register.write(`${SHIFTS}/${id}/end`);
      return register.write(`${SHIFTS}/${id}/${index % 2 ? 'paid-in' : 'paid-out'}`, {
        amount_money: { amount: 2 ** (index % 15) },
      });
    });
    expect(Object.keys(count(answers)).filter((status) => !['200', '400'].includes(status))).toEqual([]);
    expect(answers[15]?.status).toBe(200);
    const accepted = answers.flatMap(({ status }, index) => (status === 200 && index !== 15 ? [index] : []));
    const expected = accepted.reduce((total, index) => total + (index % 2 ? 1 : -1) * 2 ** (index % 15), 10_000);
    const { shift, events } = (await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${id}`)).body;
    expect([shift.state, events.length, shift.expected_cash_money.amount]).toEqual([
      'ENDED',
      accepted.length,
      expected,
    ]);
  });

  it('that end it (20) or close it (20) succeed once', async () => {
    const { register } = await openBusiness(crowd());
    const { id } = await openShift(register);
    expect(count(await atOnce(20, () => register.write(`${SHIFTS}/${id}/end`)))).toEqual({ 200: 1, 400: 19 });
    const close = () => register.write(`${SHIFTS}/${id}/close`, { closed_cash_money: { amount: 1 } });
    expect(count(await atOnce(20, close))).toEqual({ 200: 1, 400: 19 });
  });
});
