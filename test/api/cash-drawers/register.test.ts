/** Cash drawers at a register: shifts and their events, and the X and Z reports. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeClock, pollUntil } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { expectBooksInOrder } from '../../support/payments.js';
import {
  closeShift,
  endShift,
  ensureDefined,
  hire,
  mainLocation,
  OPEN_DRAWER,
  openBusiness,
  openShift,
  pairDevice,
  type Register,
  signInAt,
} from '../../support/people.js';
import { backdateSignIns, sendLate } from '../../support/queue.js';
import { card, cash, DECLINED, item, sell, usd } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('drawers at a register', () => {
  const SHIFTS = '/api/register/cash-drawer-shifts';
  const UNKNOWN_ID = '0190a0a0-0000-7000-8000-000000000000';
  const NOW = Date.parse('2020-02-26T10:00:00.500Z');
  const ago = (milliseconds: number): string => new Date(NOW - milliseconds).toISOString();
  const HOUR_MS = 3_600_000;

  /** A business whose clock is frozen at 10:00:00.500, and an employee who may open the drawer. */
  let owner: TestOwner;
  let cashierId: string;

  beforeAll(async () => {
    const business = await openBusiness(server, { clock: { now: ago(0), frozen: true } });
    owner = business.owner;
    cashierId = business.register.employeeId;
  });

  /** The cashier at a separate drawer. */
  const newTill = async (): Promise<Register> => signInAt(await pairDevice(server, owner), cashierId);

  const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
  const usd = (amount: number) => ({ amount, currency: 'USD' });
  const shiftOf = async (id: string) => (await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${id}`)).body;

  /** What a register did so long ago, sent by its queue now. */
  const earlier = (register: Register, operation: string, ms: number, body: Record<string, unknown> = {}) =>
    sendLate(register, ago(0), operation, { occurred_at: ago(ms), body });
  const openEarlier = (register: Register, hours: number, cash: number) =>
    earlier(register, 'openShift', hours * HOUR_MS, { opened_cash_money: usd(cash) });

  /** The five requests that change a shift. */
  const ACTS: Record<string, Record<string, unknown>> = {
    'no-sale': {},
    'paid-in': { amount_money: { amount: 100 } },
    'paid-out': { amount_money: { amount: 40 } },
    end: {},
    close: { closed_cash_money: { amount: 10_000 } },
  };
  const act = (register: Register, shiftId: string, word: string, body: Record<string, unknown> = {}) =>
    register.write(`${SHIFTS}/${shiftId}/${word}`, { ...ACTS[word], ...body });

  describe('register.openShift', () => {
    it('opens a shift with the counted cash', async () => {
      const till = await newTill();
      const answer = await till.write(SHIFTS, { opened_cash_money: usd(10_050), description: 'Front till' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        cash_drawer_shift: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          state: 'OPEN',
          location_id: mainLocation(owner.merchant),
          opened_at: '2020-02-26T10:00:00.500Z',
          description: 'Front till',
          employee_ids: [cashierId],
          team_member_ids: [cashierId],
          opening_employee_id: cashierId,
          opening_team_member_id: cashierId,
          opened_cash_money: usd(10_050),
          cash_payment_money: usd(0),
          cash_refunds_money: usd(0),
          cash_paid_in_money: usd(0),
          cash_paid_out_money: usd(0),
          expected_cash_money: usd(10_050),
          device: { id: till.device.id, name: till.device.name },
        },
      });
      const shown = await till.call('GET', `${SHIFTS}/open`);
      expect([shown.status, shown.body]).toEqual([200, answer.body]);
      const v2 = `/v2/cash-drawers/shifts/${answer.body.cash_drawer_shift.id}`;
      expect((await server.call('GET', v2, { token: owner.merchant.token })).body).toEqual(answer.body);
    });

    it('accepts an empty drawer', async () => {
      expect((await openShift(await newTill(), 0)).opened_cash_money).toEqual(usd(0));
    });

    it('allows one open shift per device, and the next one when it has ended', async () => {
      const [till, other] = [await newTill(), await newTill()];
      const first = await openShift(till);
      expect(refusal(await till.write(SHIFTS, { opened_cash_money: usd(1) }))).toEqual([400, 'BAD_REQUEST', undefined]);
      expect((await openShift(other)).state).toBe('OPEN');
      await endShift(till, first.id);
      const second = await openShift(till);
      expect((await till.call('GET', `${SHIFTS}/open`)).body.cash_drawer_shift.id).toBe(second.id);
      await closeShift(till, first.id);
      expect((await till.write(SHIFTS, { opened_cash_money: usd(1) })).status).toBe(400);
    });

    it('returns 404 if no shift is open', async () => {
      const till = await newTill();
      expect(refusal(await till.call('GET', `${SHIFTS}/open`))).toEqual([404, 'NOT_FOUND', undefined]);
      const { id } = await openShift(till);
      await endShift(till, id);
      expect((await till.call('GET', `${SHIFTS}/open`)).status).toBe(404);
    });
  });

  describe('an action at a drawer', () => {
    it('is recorded with its employee and adds to the sums', async () => {
      const till = await newTill();
      const { id } = await openShift(till, 10_000);
      const colleague = await signInAt(
        till.device,
        (await hire(server, owner, { role: { permissions: [OPEN_DRAWER] } })).id,
      );
      const answers = [
        await act(till, id, 'no-sale', { description: 'change for the meter' }),
        await act(colleague, id, 'paid-in', { amount_money: usd(2500), description: 'from the bank' }),
        await act(till, id, 'paid-out', { amount_money: usd(700) }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers.map(({ body }) => body.cash_drawer_shift.expected_cash_money.amount)).toEqual([
        10_000, 12_500, 11_800,
      ]);
      expect(answers[2]?.body.cash_drawer_shift).toMatchObject({
        employee_ids: [cashierId, colleague.employeeId],
        team_member_ids: [cashierId, colleague.employeeId],
        cash_paid_in_money: usd(2500),
        cash_paid_out_money: usd(-700),
        cash_payment_money: usd(0),
      });
      const { events } = await shiftOf(id);
      const event = { id: expect.any(String), created_at: '2020-02-26T10:00:00.500Z' };
      expect(events).toEqual([
        {
          ...event,
          employee_id: cashierId,
          team_member_id: cashierId,
          event_type: 'NO_SALE',
          event_money: usd(0),
          description: 'change for the meter',
        },
        {
          ...event,
          employee_id: colleague.employeeId,
          team_member_id: colleague.employeeId,
          event_type: 'PAID_IN',
          event_money: usd(2500),
          description: 'from the bank',
        },
        { ...event, employee_id: cashierId, team_member_id: cashierId, event_type: 'PAID_OUT', event_money: usd(700) },
      ]);
    });

    it('ends and closes the shift, each with employee, time and counted cash (contract 23)', async () => {
      const till = await newTill();
      const { id } = (await openEarlier(till, 10, 10_000)).response.cash_drawer_shift;
      await earlier(till, 'paidIn', 5 * HOUR_MS, { shift_id: id, amount_money: { amount: 100 } });
      const colleague = await signInAt(till.device, (await hire(server, owner)).id); // without a role
      const ended = await earlier(colleague, 'endShift', 2 * HOUR_MS, { shift_id: id });
      expect(ended.response.cash_drawer_shift).toMatchObject({
        state: 'ENDED',
        ended_at: ago(2 * HOUR_MS),
        ending_employee_id: colleague.employeeId,
        ending_team_member_id: colleague.employeeId,
        employee_ids: [cashierId, colleague.employeeId],
        team_member_ids: [cashierId, colleague.employeeId],
        expected_cash_money: usd(10_100),
      });
      expect(ended.response.cash_drawer_shift).not.toHaveProperty('closed_cash_money');
      const counted = { shift_id: id, closed_cash_money: usd(10_090) };
      const closed = await earlier(till, 'closeShift', HOUR_MS, counted);
      expect(closed.response.cash_drawer_shift).toMatchObject({
        state: 'CLOSED',
        opened_at: ago(10 * HOUR_MS),
        ended_at: ago(2 * HOUR_MS),
        closed_at: ago(HOUR_MS),
        closing_employee_id: cashierId,
        closing_team_member_id: cashierId,
        expected_cash_money: usd(10_100),
        closed_cash_money: usd(10_090),
      });
    });

    /** Contract 23: the result of each action in each state. */
    const TABLE: Record<'OPEN' | 'ENDED' | 'CLOSED', Record<string, string>> = {
      OPEN: { 'no-sale': 'OPEN', 'paid-in': 'OPEN', 'paid-out': 'OPEN', end: 'ENDED', close: 'refused' },
      ENDED: { 'no-sale': 'refused', 'paid-in': 'refused', 'paid-out': 'refused', end: 'refused', close: 'CLOSED' },
      CLOSED: { 'no-sale': 'refused', 'paid-in': 'refused', 'paid-out': 'refused', end: 'refused', close: 'refused' },
    };

    it.each(
      Object.entries(TABLE).flatMap(([state, row]) =>
        Object.entries(row).map(([word, next]) => ({ state, word, next })),
      ),
    )('in state $state with $word gives $next', async ({ state, word, next }) => {
      const till = await newTill();
      const { id } = await openShift(till);
      if (state !== 'OPEN') await endShift(till, id);
      if (state === 'CLOSED') await closeShift(till, id);
      const before = await shiftOf(id);
      const answer = await act(till, id, word);
      if (next === 'refused') {
        expect(refusal(answer)).toEqual([400, 'BAD_REQUEST', undefined]);
        expect(await shiftOf(id)).toEqual(before);
      } else {
        expect([answer.status, answer.body.cash_drawer_shift.state]).toEqual([200, next]);
      }
    });

    it("applies to the device's own shift: another device's or merchant's returns 404 (decision 0015)", async () => {
      const [mine, theirs] = [await newTill(), await newTill()];
      const stranger = (await openBusiness(server)).register;
      const ids = [(await openShift(theirs)).id, (await openShift(stranger)).id, UNKNOWN_ID, 'nothing'];
      for (const id of ids) {
        for (const word of Object.keys(ACTS)) {
          const answer = await act(mine, id, word);
          expect([answer.status, answer.body.errors[0].detail], word).toEqual([
            404,
            `There is no cash drawer shift with the id ${id}.`,
          ]);
        }
      }
      expect((await shiftOf(ensureDefined(ids[0]))).events).toEqual([]);
    });
  });

  describe('permissions at a drawer (contract 2)', () => {
    /** Every employee may open, end and close a shift; cash in or out outside a sale requires a role. */
    async function tryEverything(hiring: Parameters<typeof hire>[2]): Promise<Record<string, number>> {
      const register = await signInAt(await pairDevice(server, owner), (await hire(server, owner, hiring)).id);
      const { id } = await openShift(register);
      const statuses: Record<string, number> = {};
      for (const word of Object.keys(ACTS)) {
        const answer = await act(register, id, word);
        statuses[word] = answer.status;
        if (answer.status === 403) {
          expect(answer.body.errors[0]).toMatchObject({
            code: 'INSUFFICIENT_SCOPES',
            detail: `Missing permission: ${OPEN_DRAWER}`,
          });
        }
      }
      return statuses;
    }

    const refused = { 'no-sale': 403, 'paid-in': 403, 'paid-out': 403, end: 200, close: 200 };
    const allowed = { 'no-sale': 200, 'paid-in': 200, 'paid-out': 200, end: 200, close: 200 };

    it.each([
      ['no role', {}, refused],
      ['a role without permissions', { role: {} }, refused],
      [
        'a role with other permissions',
        { role: { permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_EDIT_ITEM'] } },
        refused,
      ],
      ['a role with the permission', { role: { permissions: [OPEN_DRAWER] } }, allowed],
      ['an owner role without listed permissions', { role: { is_owner: true } }, allowed],
    ])('%s', async (_who, hiring, expected) => {
      expect(await tryEverything(hiring)).toEqual(expected);
    });

    it('follow a change of the role within a second', async () => {
      const employee = await hire(server, owner, { role: { permissions: [] } });
      const register = await signInAt(await pairDevice(server, owner), employee.id);
      const { id } = await openShift(register);
      expect((await act(register, id, 'no-sale')).status).toBe(403);
      const role = `/v1/me/roles/${employee.role_ids[0]}`;
      await server.call('PUT', role, { token: owner.merchant.token, body: { permissions: [OPEN_DRAWER] } });
      const status = async () => (await act(register, id, 'no-sale')).status;
      expect(await pollUntil(status, (answer) => answer === 200, 1000)).toBe(200);
    });

    it('need no approval: cash drawers are not employee management (decision 0020)', async () => {
      const { owner: own, register } = await openBusiness(server);
      await server.operator('PUT', `/api/sandbox/merchants/${own.merchant.id}/approval`, { approved: false });
      const { id } = await openShift(register);
      for (const word of Object.keys(ACTS)) expect((await act(register, id, word)).status, word).toBe(200);
    });
  });

  describe('amounts at a drawer', () => {
    /** Each amount in a request: its path, its field, and its minimum. */
    const PLACES = [
      { word: 'open', field: 'opened_cash_money', least: 0 },
      { word: 'paid-in', field: 'amount_money', least: 1 },
      { word: 'paid-out', field: 'amount_money', least: 1 },
      { word: 'close', field: 'closed_cash_money', least: 0 },
    ];

    it.each(PLACES)(
      'of $word: whole, $least or more, below the maximum, in the merchant’s currency',
      async ({ word, field, least }) => {
        const till = await newTill();
        const shift = word === 'open' ? undefined : await openShift(till);
        if (word === 'close') await endShift(till, ensureDefined(shift).id);
        const path = shift ? `${SHIFTS}/${shift.id}/${word}` : SHIFTS;
        const say = async (money: unknown) => refusal(await till.write(path, { [field]: money }));

        expect(await say(undefined)).toEqual([400, 'MISSING_REQUIRED_PARAMETER', field]);
        expect(await say(500)).toEqual([400, 'EXPECTED_OBJECT', field]);
        expect(await say({})).toEqual([400, 'MISSING_REQUIRED_PARAMETER', `${field}.amount`]);
        expect(await say(usd(least - 1))).toEqual([400, 'VALUE_TOO_LOW', `${field}.amount`]);
        expect(await say(usd(-99_999))).toEqual([400, 'VALUE_TOO_LOW', `${field}.amount`]);
        for (const fraction of [1.5, 1e-7])
          expect(await say(usd(fraction))).toEqual([400, 'EXPECTED_INTEGER', `${field}.amount`]);
        expect(await say({ amount: '5' })).toEqual([400, 'EXPECTED_INTEGER', `${field}.amount`]);
        for (const much of [100_000_000_000, Number.MAX_SAFE_INTEGER + 1, 1e300]) {
          expect(await say(usd(much))).toEqual([400, 'VALUE_TOO_HIGH', `${field}.amount`]);
        }
        for (const currency of ['EUR', 'usd', 'XX']) {
          expect(await say({ amount: 5, currency })).toEqual([400, 'INVALID_VALUE', `${field}.currency`]);
        }
        expect(await say({ amount: 5, currency: 'EURO' })).toEqual([400, 'VALUE_TOO_LONG', `${field}.currency`]);
        if (shift) expect((await shiftOf(shift.id)).shift.expected_cash_money).toEqual(usd(10_000));

        const accepted = await till.write(path, { [field]: usd(99_999_999_999) });
        expect(accepted.status, accepted.text).toBe(200);
        if (word === 'paid-in') {
          expect(
            (await till.write(path, { [field]: { amount: 1 } })).body.cash_drawer_shift.cash_paid_in_money,
          ).toEqual(usd(100_000_000_000));
        }
      },
    );

    it('can make the expected cash negative if more is taken out than was there', async () => {
      const till = await newTill();
      const { id } = await openShift(till, 10);
      const { body } = await act(till, id, 'paid-out', { amount_money: usd(25) });
      expect(body.cash_drawer_shift.expected_cash_money).toEqual(usd(-15));
    });

    it('are in the currency of the merchant', async () => {
      const { register } = await openBusiness(server, { currency: 'JPY', country: 'JP' });
      expect((await openShift(register, 500)).opened_cash_money).toEqual({ amount: 500, currency: 'JPY' });
      const answer = await register.write(SHIFTS, { opened_cash_money: usd(5) });
      expect(refusal(answer)).toEqual([400, 'INVALID_VALUE', 'opened_cash_money.currency']);
    });
  });

  describe('the time of an action at a drawer', () => {
    it('is at most 72 hours ago, not in the future, and not before the shift was opened (contract 8)', async () => {
      const till = await newTill();
      await backdateSignIns(server, cashierId, 4 * 24 * HOUR_MS);
      const send = async (operation: string, ms: number, body: Record<string, unknown> = {}) => {
        const { error, response } = await earlier(till, operation, ms, body);
        return error ? [error.code, error.field] : response.cash_drawer_shift.state;
      };
      const wrong = ['INVALID_VALUE', 'occurred_at'];
      const tooOld = ['TOO_OLD', 'occurred_at'];
      const future = await till.write(SHIFTS, { opened_cash_money: usd(0), occurred_at: ago(-1) });
      expect(refusal(future)).toEqual([400, ...wrong]);
      expect(await send('openShift', 72 * HOUR_MS + 1, { opened_cash_money: usd(0) })).toEqual(tooOld);
      const shift = (await openEarlier(till, 72, 0)).response.cash_drawer_shift;
      expect(shift.opened_at).toBe(ago(72 * HOUR_MS));

      const ofFirst = { shift_id: shift.id, amount_money: usd(1) };
      for (const operation of ['noSale', 'paidIn', 'paidOut', 'endShift']) {
        expect(await send(operation, 72 * HOUR_MS + 1, ofFirst)).toEqual(tooOld);
      }
      for (const word of ['no-sale', 'paid-in', 'paid-out', 'end']) {
        expect(refusal(await act(till, shift.id, word, { occurred_at: ago(-1) }))).toEqual([400, ...wrong]);
      }
      expect(await send('endShift', 60 * HOUR_MS, ofFirst)).toBe('ENDED');
      const counted = { shift_id: shift.id, closed_cash_money: usd(0) };
      expect(await send('closeShift', 60 * HOUR_MS + 1, counted)).toBe('CLOSED');
      expect((await shiftOf(shift.id)).shift.closed_at).toBe(ago(60 * HOUR_MS));

      const later = (await openEarlier(till, 10, 0)).response.cash_drawer_shift;
      const ofLater = { shift_id: later.id, amount_money: usd(1) };
      expect(await send('paidIn', 10 * HOUR_MS + 1, ofLater)).toEqual(wrong);
      expect(await send('paidIn', 10 * HOUR_MS, ofLater)).toBe('OPEN');
    });

    it('orders the events, in whatever order they arrive', async () => {
      const till = await newTill();
      const { id } = (await openEarlier(till, 10, 0)).response.cash_drawer_shift;
      for (const hours of [2, 8, 5]) {
        await earlier(till, 'paidIn', hours * HOUR_MS, { shift_id: id, amount_money: { amount: hours } });
      }
      const { events } = await shiftOf(id);
      expect(events.map((event: { event_money: { amount: number } }) => event.event_money.amount)).toEqual([8, 5, 2]);
    });
  });

  describe('a retry of a write at a drawer', () => {
    it('returns the first response, also after the shift has changed', async () => {
      const till = await newTill();
      const { id } = await openShift(till);
      const first = await act(till, id, 'paid-in', { id: 'first' });
      await act(till, id, 'paid-in', { id: 'second' });
      await endShift(till, id);
      const again = await act(till, id, 'paid-in', { id: 'first' });
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect((await shiftOf(id)).shift.cash_paid_in_money).toEqual(usd(200));
    });

    it('is recognized if the currency is written out, an empty text is sent, or a time has another format', async () => {
      const till = await newTill();
      const { id } = await openShift(till);
      const occurred_at = ago(0);
      const first = await act(till, id, 'paid-in', { id: 'same', occurred_at, amount_money: { amount: 100 } });
      const offset = ago(-3_600_000).replace('Z', '+01:00');
      const written = { description: '', amount_money: usd(100), occurred_at: offset };
      const again = await act(till, id, 'paid-in', { id: 'same', ...written });
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    });

    it('is refused with 409 for another amount, action or shift with the same id', async () => {
      const till = await newTill();
      const one = await openShift(till);
      await act(till, one.id, 'paid-in', { id: 'taken' });
      const conflict = [409, 'CONFLICT', 'id'];
      expect(refusal(await act(till, one.id, 'paid-in', { id: 'taken', amount_money: { amount: 101 } }))).toEqual(
        conflict,
      );
      expect(refusal(await act(till, one.id, 'paid-out', { id: 'taken', amount_money: { amount: 100 } }))).toEqual(
        conflict,
      );
      await endShift(till, one.id);
      const two = await openShift(till);
      expect(refusal(await act(till, two.id, 'paid-in', { id: 'taken' }))).toEqual(conflict);
      expect((await shiftOf(one.id)).shift.cash_paid_in_money).toEqual(usd(100));
    });

    it('may come from any employee who is signed in by then', async () => {
      const { owner: own, register } = await openBusiness(server);
      const body = { id: 'offline', opened_cash_money: { amount: 5 } };
      const first = await register.write(SHIFTS, body);
      const other = await signInAt(register.device, (await hire(server, own)).id);
      const again = await other.write(SHIFTS, body);
      expect([again.status, again.text]).toEqual([200, first.text]);
    });

    it('may be late: it returns the first response, however long ago the action happened', async () => {
      const { owner: own, register } = await openBusiness(server, { clock: { now: ago(0), frozen: true } });
      const opening = { id: 'opening', opened_cash_money: usd(5), occurred_at: ago(HOUR_MS) };
      const first = await register.write(SHIFTS, opening);
      const { id } = first.body.cash_drawer_shift;
      const acts = Object.keys(ACTS).map((word) => [word, { id: word, occurred_at: ago(0) }] as const);
      const answers = [];
      for (const [word, body] of acts) answers.push(await act(register, id, word, body));
      await changeClock(server, own.merchant.id, { advance: 'P4D' });
      const again = [await register.write(SHIFTS, opening)];
      for (const [word, body] of acts) again.push(await act(register, id, word, body));
      expect(again.map(({ status, text }) => [status, text])).toEqual(
        [first, ...answers].map(({ text }) => [200, text]),
      );
      const fresh = await register.write(SHIFTS, { opened_cash_money: usd(5), occurred_at: ago(0) });
      expect(refusal(fresh)).toEqual([400, 'TOO_OLD', 'occurred_at']);
    });
  });
});

describe('the reports of a drawer', () => {
  const SHIFTS = '/api/register/cash-drawer-shifts';

  let owner: TestOwner;
  let bossId: string;

  beforeAll(async () => {
    owner = await createOwner(server);
    bossId = (await hire(server, owner, { role: { is_owner: true } })).id;
  });

  const newRegister = async (): Promise<Register> => signInAt(await pairDevice(server, owner), bossId);
  const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code, body.errors?.[0]?.field];
  const reportOf = async (register: Register, shiftId: string) =>
    (await register.call('GET', `${SHIFTS}/${shiftId}/report`)).body.report;

  describe('register.showShiftReport', () => {
    it('adds up sales, tenders, tips, taxes, refunds and cash: X while it runs, Z once it is closed', async () => {
      const [register, other] = [await newRegister(), await newRegister()];
      await sell(register, { tenders: [cash()] }); // before the shift
      const shift = await openShift(register, 10_000);
      const taxes = [{ name: 'VAT', rate: '0.1' }];
      const discounts = [{ name: 'Rainy', amount_money: { amount: 100 } }];
      const first = await sell(register, { taxes, discounts, tenders: [cash()] }); // 1000 - 100 + 90
      await sell(register, {
        itemizations: [item(2000)],
        surcharges: [{ name: 'Service', rate: '0.05' }],
        tenders: [card(1500, { tip_money: { amount: 300 } }), cash(600)],
      });
      await sell(register, { tenders: [{ id: 'g', type: 'GIFT_CARD', source_id: 'cnon:gift-card-nonce-ok' }] });
      await sell(register, { tenders: [{ id: 'o', type: 'OTHER', name: 'Voucher' }] });
      await sell(register, { tenders: [card(1000, { source_id: DECLINED })] }); // stays open
      await sell(other, { tenders: [cash()] }); // another device
      const returns = [{ payment_id: first.payment_id, reason: 'Size', amount_money: { amount: 300 } }];
      await sell(register, { itemizations: [item(500)], returns, tenders: [cash()] });
      const refund = { payment_id: first.payment_id, type: 'PARTIAL', reason: 'x', refunded_money: { amount: 90 } };
      expect((await register.write('/api/register/refunds', refund)).status).toBe(200);
      await register.write(`${SHIFTS}/${shift.id}/paid-in`, { amount_money: { amount: 1000 } });
      await register.write(`${SHIFTS}/${shift.id}/paid-out`, { amount_money: { amount: 250 } });

      const running = await reportOf(register, shift.id);
      const expected = 10_000 + 990 + 600 + 200 - 90 + 1000 - 250;
      const sums = {
        sales_count: 5,
        refunds_count: 2,
        gross_money: usd(1000 + 2000 + 1000 + 1000 + 500),
        discounts_money: usd(-100),
        net_money: usd(5400),
        taxes_money: usd(90),
        surcharges_money: usd(100),
        tips_money: usd(300),
        total_money: usd(5890),
        tenders: [
          { type: 'CASH', count: 3, amount_money: usd(990 + 600 + 200) },
          { type: 'CARD', count: 1, amount_money: usd(1800) },
          { type: 'GIFT_CARD', count: 1, amount_money: usd(1000) },
          { type: 'OTHER', count: 1, amount_money: usd(1000) },
          { type: 'EXCHANGE', count: 1, amount_money: usd(300) },
        ],
        refunds_money: usd(-390),
        refunds: [
          { type: 'CASH', count: 1, amount_money: usd(-90) },
          { type: 'EXCHANGE', count: 1, amount_money: usd(-300) },
        ],
        collected_money: usd(5500),
        paid_in_money: usd(1000),
        paid_out_money: usd(-250),
        expected_cash_money: usd(expected),
      };
      expect(running).toMatchObject({ kind: 'X', shift: { id: shift.id, state: 'OPEN' }, ...sums });
      expect([running.counted_cash_money, running.over_short_money]).toEqual([undefined, undefined]);
      const paid = running.tenders.reduce(
        (sum: number, each: { amount_money: { amount: number } }) => sum + each.amount_money.amount,
        0,
      );
      expect(paid).toBe(running.total_money.amount);

      await endShift(register, shift.id);
      expect(await reportOf(register, shift.id)).toMatchObject({ kind: 'X', ...sums });
      await closeShift(register, shift.id, expected - 5);
      await sell(register, { tenders: [cash()] }); // after the shift
      expect(await reportOf(register, shift.id)).toMatchObject({
        kind: 'Z',
        ...sums,
        counted_cash_money: usd(expected - 5),
        over_short_money: usd(-5),
      });
    });

    it('is of this device only, and empty for a shift without sales', async () => {
      const [register, other] = [await newRegister(), await newRegister()];
      const shift = await openShift(register, 500);
      expect(await reportOf(register, shift.id)).toMatchObject({
        sales_count: 0,
        total_money: usd(0),
        tenders: [],
        refunds: [],
        expected_cash_money: usd(500),
      });
      for (const id of [shift.id, 'nothing', '0190a0a0-0000-7000-8000-000000000000']) {
        const at = id === shift.id ? other : register;
        expect(refusal(await at.call('GET', `${SHIFTS}/${id}/report`))).toEqual([404, 'NOT_FOUND', undefined]);
      }
    });
  });

  describe('register.listShifts', () => {
    it("lists the device's shifts, newest first, in pages", async () => {
      const [register, other] = [await newRegister(), await newRegister()];
      await openShift(other, 1);
      const ids: string[] = [];
      for (let round = 0; round < 3; round++) {
        const { id } = await openShift(register, 100 + round);
        ids.unshift(id);
        await endShift(register, id);
        await closeShift(register, id, 100 + round);
      }
      const list = async (query = '') => (await register.call('GET', `${SHIFTS}?${query}`)).body;
      const all = await list();
      expect(all.cash_drawer_shifts.map(({ id }: { id: string }) => id)).toEqual(ids);
      const first = await list('limit=2');
      const rest = await list(`limit=2&cursor=${first.cursor}`);
      expect([...first.cash_drawer_shifts, ...rest.cash_drawer_shifts]).toEqual(all.cash_drawer_shifts);
    });
  });

  describe('two tablets at one drawer', () => {
    it('that end and close one shift at once: each happens once', async () => {
      const register = await newRegister();
      const colleague = await signInAt(register.device, (await hire(server, owner)).id);
      for (let round = 0; round < 4; round++) {
        const { id } = await openShift(register, 1000);
        const ended = await Promise.all([register, colleague].map((at) => at.write(`${SHIFTS}/${id}/end`)));
        expect(ended.map(({ status }) => status).sort()).toEqual([200, 400]);
        const closed = await Promise.all(
          [register, colleague].map((at, index) =>
            at.write(`${SHIFTS}/${id}/close`, { closed_cash_money: { amount: 900 + index } }),
          ),
        );
        expect(closed.map(({ status }) => status).sort()).toEqual([200, 400]);
        const winner = ensureDefined(closed.find(({ status }) => status === 200)).body.cash_drawer_shift;
        expect(await reportOf(register, id)).toMatchObject({ kind: 'Z', counted_cash_money: winner.closed_cash_money });
      }
      const opened = await Promise.all(
        [register, colleague].map((at) => at.write(SHIFTS, { opened_cash_money: { amount: 1 } })),
      );
      expect(opened.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    it('one that sells for cash while the other ends the shift: the drawer and the sales agree', async () => {
      const register = await newRegister();
      const colleague = await signInAt(register.device, (await hire(server, owner)).id);
      for (let round = 0; round < 5; round++) {
        const { id } = await openShift(register, 1000);
        const [sale] = await Promise.all([
          sell(register, { tenders: [cash()] }),
          colleague.write(`${SHIFTS}/${id}/end`),
        ]);
        const inDrawer = ensureDefined(sale.tenders[0]).in_drawer;
        const report = await reportOf(register, id);
        expect(report.expected_cash_money).toEqual(usd(inDrawer ? 2000 : 1000));
        await closeShift(colleague, id, 1000);
      }
    });
  });
});
