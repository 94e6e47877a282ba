/** Functions of timecards, stopped in the middle while something else is committed. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createEmployee } from '../support/employees.js';
import { interleave } from '../support/interleaving.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const CARDS = '/v1/me/timecards';

let server: TestServer;
let merchant: TestMerchant;
let employeeId: string;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  merchant = await server.createMerchant();
  ({ id: employeeId } = await createEmployee(server, merchant));
});

const call = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { token: merchant.token, body });

async function createCard(): Promise<string> {
  const times = { clockin_time: '2026-03-02T09:00:00Z', clockout_time: '2026-03-02T17:00:00Z' };
  return (await call('POST', CARDS, { employee_id: employeeId, ...times })).body.id;
}

it('a clock-in that waits for another one of the employee leaves nothing', async () => {
  const answer = await interleave(server, {
    hold: (tx) => tx`
      insert into timecards (merchant_id, timecard_id, employee_id, clockin_at, deleted, created_at, updated_at)
      values (${merchant.id}, gen_random_uuid(), ${employeeId}, now(), false, now(), now())`,
    work: () => call('POST', CARDS, { employee_id: employeeId }),
  });
  expect([answer.status, answer.body.field]).toEqual([422, 'employee_id']);
  const written = await server.database.sql`
    select event_id
    from timecards
    left join timecard_events using (merchant_id, timecard_id)
    where merchant_id = ${merchant.id}`;
  expect(written).toEqual([{ eventId: null }]); // the other card, which was inserted without an event
});

it('a deletion has the times of a change that it waited for, and is not older', async () => {
  const id = await createCard();
  const answer = await interleave(server, {
    hold: (tx) => tx`
      update timecards
      set clockout_at = '2026-03-02T18:00:00Z', updated_at = '2100-01-01T00:00:00Z'
      where merchant_id = ${merchant.id} and timecard_id = ${id}`,
    work: () => call('DELETE', `${CARDS}/${id}`),
  });
  expect(answer.status).toBe(200);
  const deletion = (await call('GET', `${CARDS}/${id}/events`)).body.at(-1);
  expect([deletion.event_type, deletion.clockout_time, deletion.created_at]).toEqual([
    'API_DELETE',
    '2026-03-02T18:00:00Z',
    '2100-01-01T00:00:00Z',
  ]);
});

it('a deletion that waits for another one is recorded once', async () => {
  const id = await createCard();
  const answer = await interleave(server, {
    hold: (tx) => tx`update timecards set deleted = true where merchant_id = ${merchant.id} and timecard_id = ${id}`,
    work: () => call('DELETE', `${CARDS}/${id}`),
  });
  expect(answer.status).toBe(200);
  const events: { event_type: string }[] = (await call('GET', `${CARDS}/${id}/events`)).body;
  expect(events.map(({ event_type }) => event_type)).toEqual(['API_CREATE']); // the other one wrote no event
});

it('a change that waits for a deletion is refused and leaves no event', async () => {
  const id = await createCard();
  const answer = await interleave(server, {
    hold: (tx) => tx`update timecards set deleted = true where merchant_id = ${merchant.id} and timecard_id = ${id}`,
    work: () => call('PUT', `${CARDS}/${id}`, { clockout_time: '2026-03-02T18:00:00Z' }),
  });
  expect(answer.status).toBe(422);
  expect((await call('GET', `${CARDS}/${id}/events`)).body).toHaveLength(1);
});
