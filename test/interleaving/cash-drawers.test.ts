/** Writes of cash drawers that something else overtakes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import { amount } from '../../src/base/money.js';
import { instant } from '../../src/base/time.js';
import type { Shift, ShiftEventKind } from '../../src/business/cash-drawers/model.js';
import { findShiftWithEvents, insertShiftEvent, moveShiftToEnded } from '../../src/business/cash-drawers/queries.js';
import type { Tx } from '../../src/database/database.js';
import { makeShift } from '../support/drawers.js';
import { interleave, refusalOf } from '../support/interleaving.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const OPENED = '2020-02-26T10:00:00Z';
const LATER = instant(Date.parse('2020-02-26T11:00:00Z'));

let server: TestServer;
let merchant: TestMerchant;
let shift: Shift;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

const keyOf = ({ id }: Shift) => ({ merchantId: merchant.id, shiftId: id });
const employeeId = realIds.newUuid();

function record(tx: Tx, kind: ShiftEventKind, units: number): Promise<void> {
  const id = realIds.newUuid();
  return insertShiftEvent(tx, keyOf(shift), {
    id,
    employeeId,
    kind,
    amount: amount(units),
    description: null,
    createdAt: LATER,
  });
}

it('the sums of a shift contain an event that is recorded while another one waits', async () => {
  shift = await makeShift(server, merchant, { at: OPENED, opened: 1000 });
  await interleave(server, {
    hold: (tx) => record(tx, 'PAID_IN', 100),
    work: () => server.database.statement((tx) => record(tx, 'CASH_TENDER_PAYMENT', 250)),
  });
  const found = await findShiftWithEvents(server.database.sql, keyOf(shift));
  expect(found?.events.map(({ kind, amount: units }) => [kind, units]).sort()).toEqual([
    ['CASH_TENDER_PAYMENT', 250],
    ['PAID_IN', 100],
  ]);
  expect(found?.shift).toMatchObject({ cashPayments: 250, cashPaidIn: 100, expectedCash: 1350 });
  expect(found?.shift.employeeIds).toEqual([shift.openingEmployeeId, employeeId]);
});

it('an event is refused if its shift ends while it waits', async () => {
  shift = await makeShift(server, merchant, { at: OPENED, opened: 1000 });
  const recorded = interleave(server, {
    hold: (tx) => moveShiftToEnded(tx, { ...keyOf(shift), from: 'OPEN', employeeId, at: LATER }),
    work: () => server.database.statement((tx) => record(tx, 'PAID_OUT', 300)),
  });
  expect(await refusalOf(recorded)).toBe('open_drawer_shift');
  const found = await findShiftWithEvents(server.database.sql, keyOf(shift));
  expect(found).toMatchObject({ shift: { state: 'ENDED', cashPaidOut: 0, expectedCash: 1000 }, events: [] });
});
