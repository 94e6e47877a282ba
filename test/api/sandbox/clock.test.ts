/** The clock of a merchant, changed by the operator (decisions 0040 and 0042). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock, readClock } from '../../support/clock.js';
import { createEmployee, createRole } from '../../support/employees.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:00:00.000Z';
const DAY_MS = 86_400_000;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const frozenAt = (now: string): Promise<TestMerchant> => server.createMerchant({ clock: { now, frozen: true } });
const post = (merchantId: string, change: unknown) =>
  server.operator('POST', `/api/sandbox/merchants/${merchantId}/clock`, change);

describe('sandbox.retrieveClock', () => {
  it('returns real time for a clock that was never moved', async () => {
    const { id } = await server.createMerchant();
    const before = Date.now();
    const clock = await readClock(server, id);
    expect(clock).toMatchObject({ frozen: false, offset_ms: 0 });
    expect(Date.parse(clock.now)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(clock.now)).toBeLessThanOrEqual(Date.now());
  });

  it('returns 404 for an unknown merchant, for reads and changes', async () => {
    expect((await server.operator('GET', '/api/sandbox/merchants/M000000000000/clock')).status).toBe(404);
    expect((await post('M000000000000', { advance: 'P1D' })).status).toBe(404);
  });
});

describe('sandbox.changeClock', () => {
  it.each([
    ['P61D', '2020-04-27T10:00:00.000Z'],
    ['PT36H', '2020-02-27T22:00:00.000Z'],
    ['PT1S', '2020-02-26T10:00:01.000Z'],
    ['P1M', '2020-03-26T10:00:00.000Z'],
    ['P1Y', '2021-02-26T10:00:00.000Z'],
    ['P5Y', '2025-02-26T10:00:00.000Z'],
    ['P0D', START],
  ])('advances by %s', async (advance, now) => {
    const { id } = await frozenAt(START);
    expect(await changeClock(server, id, { advance })).toEqual({ now, frozen: true, offset_ms: 0 });
    expect((await readClock(server, id)).now).toBe(now);
  });

  it('advances a running clock, which keeps running', async () => {
    const { id } = await server.createMerchant();
    const moved = await changeClock(server, id, { advance: 'P61D' });
    expect(moved).toMatchObject({ frozen: false, offset_ms: 61 * DAY_MS });
    await changeClock(server, id, { advance: 'PT1H' });
    const before = Date.now();
    const clock = await readClock(server, id);
    expect(clock.offset_ms).toBe(61 * DAY_MS + 3_600_000);
    expect(Date.parse(clock.now) - clock.offset_ms).toBeGreaterThanOrEqual(before);
    expect(Date.parse(clock.now) - clock.offset_ms).toBeLessThanOrEqual(Date.now());
  });

  it('sets a clock, which stays running or frozen', async () => {
    const [running, frozen] = [await server.createMerchant(), await frozenAt(START)];
    const later = '2021-01-01T00:00:00.000Z';
    expect(await changeClock(server, frozen.id, { now: later })).toEqual({ now: later, frozen: true, offset_ms: 0 });
    const set = await changeClock(server, running.id, { now: '2021-01-01T01:00:00+01:00' });
    expect(set.frozen).toBe(false);
    expect(set.now.slice(0, 17)).toBe('2021-01-01T00:00:');
  });

  it('moves and freezes in one request', async () => {
    const { id } = await server.createMerchant();
    const change = { now: START, frozen: true };
    expect(await changeClock(server, id, change)).toEqual({ now: START, frozen: true, offset_ms: 0 });
    expect(await changeClock(server, id, { advance: 'P1D', frozen: true })).toMatchObject({
      now: '2020-02-27T10:00:00.000Z',
      frozen: true,
    });
  });

  it('freezes the current time of the clock', async () => {
    const { id } = await server.createMerchant({ clock: { now: START } });
    const frozen = await changeClock(server, id, { frozen: true });
    expect(frozen.frozen).toBe(true);
    expect(Date.parse(frozen.now) - Date.parse(START)).toBeLessThan(10_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect((await readClock(server, id)).now).toBe(frozen.now);
    expect((await changeClock(server, id, { frozen: true })).now).toBe(frozen.now);
  });

  it('restarts a clock from its frozen time', async () => {
    const { id } = await frozenAt(START);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = Date.now();
    const { now, frozen } = await changeClock(server, id, { frozen: false });
    expect(frozen).toBe(false);
    expect(Date.parse(now)).toBeGreaterThanOrEqual(Date.parse(START));
    expect(Date.parse(now) - Date.parse(START)).toBeLessThanOrEqual(Date.now() - before);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(Date.parse((await readClock(server, id)).now)).toBeGreaterThanOrEqual(Date.parse(now) + 30);
  });

  it('sets created_at and updated_at of new records, from the next request on', async () => {
    const merchant = await frozenAt(START);
    for (const [change, time] of [
      [{}, '2020-02-26T10:00:00Z'],
      [{ advance: 'P61D' }, '2020-04-27T10:00:00Z'],
      [{ now: '2020-06-01T12:34:56.999Z' }, '2020-06-01T12:34:56Z'],
    ] as const) {
      if (Object.keys(change).length > 0) await changeClock(server, merchant.id, change);
      expect(await createEmployee(server, merchant)).toMatchObject({ created_at: time, updated_at: time });
      expect(await createRole(server, merchant)).toMatchObject({ created_at: time });
    }
  });

  it("moves one merchant's clock only", async () => {
    const [one, two] = [await frozenAt(START), await frozenAt(START)];
    await changeClock(server, one.id, { advance: 'P1D' });
    expect((await createEmployee(server, two)).created_at).toBe('2020-02-26T10:00:00Z');
    expect((await createEmployee(server, one)).created_at).toBe('2020-02-27T10:00:00Z');
    expect((await readClock(server, two.id)).now).toBe(START);
  });

  it('moves a clock back to any time while there are no records', async () => {
    const merchant = await server.createMerchant();
    await changeClock(server, merchant.id, { now: '2013-05-01T00:00:00Z', frozen: true });
    expect((await createEmployee(server, merchant)).created_at).toBe('2013-05-01T00:00:00Z');
  });

  it.each([
    ['an employee', createEmployee],
    ['a role', createRole],
  ])('never moves back if there is %s, and keeps the clock (decision 0042)', async (_what, create) => {
    const merchant = await frozenAt(START);
    await create(server, merchant);
    for (const change of [
      { now: '2020-02-26T09:59:59.999Z' },
      { now: '2013-01-01' },
      { now: '2013-01-01', frozen: false },
    ]) {
      const answer = await post(merchant.id, change);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0]).toMatchObject({ code: 'BAD_REQUEST', field: 'now' });
    }
    expect(await readClock(server, merchant.id)).toEqual({ now: START, frozen: true, offset_ms: 0 });
    expect((await changeClock(server, merchant.id, { now: START })).now).toBe(START);
    expect((await changeClock(server, merchant.id, { advance: 'PT1S' })).now).toBe('2020-02-26T10:00:01.000Z');
  });

  it.each([
    [{ advance: 'P5YT1S' }, 'advance'],
    [{ advance: 'P61M' }, 'advance'],
    [{ advance: 'P1828D' }, 'advance'],
    [{ advance: 'P9999Y' }, 'advance'],
    [{ advance: 'P99999999999999999999D' }, 'advance'],
    [{ now: '2025-02-26T10:00:00.001Z' }, 'now'],
    [{ now: '9999-12-31' }, 'now'],
  ])('refuses %j as more than five years, naming the field, and keeps the clock', async (change, field) => {
    const { id } = await frozenAt(START);
    const answer = await post(id, change);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    expect(answer.body.errors[0].detail).toContain('five years');
    expect((await readClock(server, id)).now).toBe(START);
  });

  it('moves further than five years in several requests', async () => {
    const { id } = await frozenAt(START);
    await changeClock(server, id, { advance: 'P5Y' });
    expect((await changeClock(server, id, { advance: 'P5Y' })).now).toBe('2030-02-26T10:00:00.000Z');
  });

  it.each([
    ['an invalid duration', { advance: '61 days' }, 'INVALID_VALUE', 'advance'],
    ['an empty duration', { advance: '' }, 'VALUE_EMPTY', 'advance'],
    ['a duration without parts', { advance: 'P' }, 'INVALID_VALUE', 'advance'],
    ['a negative duration', { advance: '-P1D' }, 'INVALID_VALUE', 'advance'],
    ['a part of a day', { advance: 'P1.5D' }, 'INVALID_VALUE', 'advance'],
    ['a number', { advance: 61 }, 'EXPECTED_STRING', 'advance'],
    ['a day that does not exist', { now: '2026-02-30' }, 'INVALID_TIME', 'now'],
    ['text for frozen', { frozen: 'yes' }, 'EXPECTED_BOOLEAN', 'frozen'],
    ['both now and advance', { advance: 'P1D', now: '2021-01-01' }, 'CONFLICTING_PARAMETERS', 'now'],
    ['nothing', {}, 'MISSING_REQUIRED_PARAMETER', undefined],
    ['nulls', { advance: null, now: null, frozen: null }, 'MISSING_REQUIRED_PARAMETER', undefined],
  ])('refuses %s with 400 and keeps the clock', async (_what, change, code, field) => {
    const { id } = await frozenAt(START);
    const answer = await post(id, change);
    expect([answer.status, answer.body.errors[0].code, answer.body.errors[0].field]).toEqual([400, code, field]);
    expect(await readClock(server, id)).toEqual({ now: START, frozen: true, offset_ms: 0 });
  });
});
