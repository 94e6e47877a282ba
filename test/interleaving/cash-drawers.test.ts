/** Writes of cash drawers that something else overtakes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import { amount } from '../../src/base/money.js';
import { instant } from '../../src/base/time.js';
import { addEvent, saveShift } from '../../src/business/cash-drawers/actions.js';
import { type Shift, type ShiftEventKind, toEnded } from '../../src/business/cash-drawers/model.js';
import { findShiftWithEvents, readShift } from '../../src/business/cash-drawers/queries.js';
import type { Change } from '../../src/database/change.js';
import { makeShift } from '../support/drawers.js';
import { changeIn, interleave } from '../support/interleaving.js';
import { ensureDefined } from '../support/people.js';
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

function record(change: Change, kind: ShiftEventKind, units: number): void {
  const id = realIds.newUuid();
  addEvent(change, shift.id, {
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
    hold: (tx) => changeIn(tx, merchant.id, (change) => record(change, 'PAID_IN', 100)),
    work: () => server.database.change(merchant.id, async (change) => record(change, 'CASH_TENDER_PAYMENT', 250)),
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
    hold: (tx) =>
      changeIn(tx, merchant.id, async (change) => {
        const found = ensureDefined(await readShift(change, shift.id));
        saveShift(change, found, toEnded(found, { employeeId, at: LATER }));
      }),
    work: () => changeIn(server.database.sql, merchant.id, (change) => record(change, 'PAID_OUT', 300)),
  });
  await expect(recorded).rejects.toMatchObject({
    code: '40001',
    message: expect.stringContaining('add_cash_drawer_shifts'),
  });
  const found = await findShiftWithEvents(server.database.sql, keyOf(shift));
  expect(found).toMatchObject({ shift: { state: 'ENDED', cashPaidOut: 0, expectedCash: 1000 }, events: [] });
});
