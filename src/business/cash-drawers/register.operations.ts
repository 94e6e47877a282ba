/** Register operations on cash drawers. */
import { reportPaidOut } from '../../access/devices/kept-writes.js';
import { parseOccurredAt, WRITE_FIELDS, writeOnce } from '../../access/devices/register-writes.js';
import { fromWireAmount, WireAmount } from '../../api/money.js';
import { type AttendantContext, listOperation, operation } from '../../api/operation.js';
import { about, optional, type Static, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { ZERO } from '../../base/money.js';
import { closeShift, type DrawerContext, endShift, openShift, recordDrawerEvent } from './actions.js';
import type { Shift } from './model.js';
import { findOpenShift, findShift, listShiftPage } from './queries.js';
import { ShiftReport, toShiftReport } from './report.view.js';
import { findReport } from './reports.js';
import { CashDrawerShift, toShift } from './v2.view.js';

const Write = Type.Object(WRITE_FIELDS);
const ShiftResponse = Type.Object({ cash_drawer_shift: about('The shift after the write.', CashDrawerShift) });

const description = about('A note about it.', optional(text(255)));

function toDrawerContext(context: AttendantContext, { occurred_at }: Static<typeof Write>): DrawerContext {
  const { merchant, ids, device, attendant } = context;
  return { merchant, ids, device, employeeId: attendant.employeeId, at: parseOccurredAt(context, occurred_at) };
}

function toResponse(shift: Shift): Static<typeof ShiftResponse> {
  return { cash_drawer_shift: toShift(shift) };
}

const RECORD = {
  surface: 'register',
  method: 'POST',
  permission: 'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE',
  response: ShiftResponse,
} as const;

const CashBody = Type.Object({
  ...WRITE_FIELDS,
  description,
  amount_money: about('The cash that was moved.', WireAmount),
});

/** An operation that records cash put into or taken out of the drawer outside a sale. */
function cashOperation(
  name: 'paidIn' | 'paidOut',
  word: string,
  kind: 'PAID_IN' | 'PAID_OUT',
  example: Static<typeof CashBody>,
) {
  return operation({
    ...RECORD,
    name,
    path: `/api/register/cash-drawer-shifts/{shift_id}/${word}`,
    summary: `Records a ${kind} event in the device's open shift.`,
    body: CashBody,
    example: { body: example },
    async handle(context, { params: { shift_id }, body }) {
      const { currency } = context.merchant;
      const amount = fromWireAmount(body.amount_money, { currency, field: 'amount_money', least: 1 });
      const event = { shiftId: shift_id, kind, amount, description: body.description ?? null };
      const write = { operation: `${name}:${shift_id}`, body };
      return writeOnce(context, write, async (change, flag) => {
        const shift = await recordDrawerEvent(change, toDrawerContext(context, body), event);
        if (kind === 'PAID_OUT') reportPaidOut(change, { ...context, flag }, { amount });
        return toResponse(shift);
      });
    },
  });
}

export const registerCashDrawerOperations = [
  operation({
    surface: 'register',
    name: 'showOpenShift',
    method: 'GET',
    path: '/api/register/cash-drawer-shifts/open',
    permission: 'EMPLOYEE',
    summary: "Shows the device's open shift.",
    response: ShiftResponse,
    async handle({ database, merchant, device }) {
      const shift = await findOpenShift(database.sql, merchant.id, device.id);
      if (!shift) throw notFound('open cash drawer shift of the device', device.id);
      return toResponse(shift);
    },
  }),

  listOperation({
    surface: 'register',
    name: 'listShifts',
    method: 'GET',
    path: '/api/register/cash-drawer-shifts',
    permission: 'REGISTER_VIEW_SUMMARY_REPORTS',
    summary: "Lists the device's shifts, newest first. Each has a report.",
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['cash_drawer_shifts'] },
    item: CashDrawerShift,
    async handle({ database, merchant, device }, { page }) {
      const { items, next } = await listShiftPage(database.sql, {
        ...{ merchantId: merchant.id, locationId: device.locationId, deviceId: device.id },
        ...{ opened: {}, bounds: 'ASC', order: 'DESC', page },
      });
      return { items: items.map(toShift), next };
    },
  }),

  operation({
    surface: 'register',
    name: 'showShiftReport',
    method: 'GET',
    path: '/api/register/cash-drawer-shifts/{shift_id}/report',
    permission: 'REGISTER_VIEW_SUMMARY_REPORTS',
    summary:
      'Adds up what the device sold and gave back in a shift: an X report while it runs. Once the shift is closed, the Z report that was stored then.',
    response: Type.Object({ report: about('What was sold and given back in the shift.', ShiftReport) }),
    async handle({ database: { sql }, merchant, device, now }, { params: { shift_id } }) {
      const shift = await findShift(sql, { merchantId: merchant.id, shiftId: shift_id, locationId: device.locationId });
      if (shift?.device.id !== device.id) throw notFound('cash drawer shift', shift_id);
      return { report: toShiftReport(await findReport(sql, merchant.id, shift), now) };
    },
  }),

  operation({
    surface: 'register',
    name: 'openShift',
    method: 'POST',
    path: '/api/register/cash-drawer-shifts',
    permission: 'EMPLOYEE',
    summary: 'Opens a shift with the counted cash.',
    body: Type.Object({
      ...WRITE_FIELDS,
      description,
      opened_cash_money: about('The cash in the drawer at the beginning.', WireAmount),
    }),
    example: { body: { id: 'till-7-0010', opened_cash_money: { amount: 10_000 } } },
    response: ShiftResponse,
    async handle(context, { body }) {
      const { currency } = context.merchant;
      const openedCash = fromWireAmount(body.opened_cash_money, { currency, field: 'opened_cash_money', least: 0 });
      const opening = { openedCash, description: body.description ?? null };
      return writeOnce(context, { operation: 'openShift', body }, async (change) =>
        toResponse(openShift(change, toDrawerContext(context, body), opening)),
      );
    },
  }),

  operation({
    ...RECORD,
    name: 'noSale',
    path: '/api/register/cash-drawer-shifts/{shift_id}/no-sale',
    summary: "Records that the drawer of the device's open shift was opened without a sale.",
    body: Type.Object({ ...WRITE_FIELDS, description }),
    example: { body: { id: 'till-7-0011', description: 'Changed a note' } },
    async handle(context, { params: { shift_id }, body }) {
      const event = {
        shiftId: shift_id,
        kind: 'NO_SALE',
        amount: ZERO,
        description: body.description ?? null,
      } as const;
      const write = { operation: `noSale:${shift_id}`, body };
      return writeOnce(context, write, async (change) =>
        toResponse(await recordDrawerEvent(change, toDrawerContext(context, body), event)),
      );
    },
  }),

  cashOperation('paidIn', 'paid-in', 'PAID_IN', {
    ...{ id: 'till-7-0012', amount_money: { amount: 2000 }, description: 'Change from the bank' },
  }),
  cashOperation('paidOut', 'paid-out', 'PAID_OUT', {
    ...{ id: 'till-7-0013', amount_money: { amount: 500 }, description: 'Milk' },
  }),

  operation({
    surface: 'register',
    name: 'endShift',
    method: 'POST',
    path: '/api/register/cash-drawer-shifts/{shift_id}/end',
    permission: 'EMPLOYEE',
    summary: 'Ends the shift. Its cash is counted when it is closed.',
    body: Write,
    example: { body: { id: 'till-7-0014' } },
    response: ShiftResponse,
    async handle(context, { params: { shift_id }, body }) {
      const write = { operation: `endShift:${shift_id}`, body };
      return writeOnce(context, write, async (change) =>
        toResponse(await endShift(change, toDrawerContext(context, body), shift_id)),
      );
    },
  }),

  operation({
    surface: 'register',
    name: 'closeShift',
    method: 'POST',
    path: '/api/register/cash-drawer-shifts/{shift_id}/close',
    permission: 'EMPLOYEE',
    summary: 'Closes the shift with the counted cash.',
    body: Type.Object({
      ...WRITE_FIELDS,
      closed_cash_money: about('The cash that was counted at the end.', WireAmount),
      note: about(
        'What the count needs to be understood, such as why it differs from the expected cash.',
        optional(text(255)),
      ),
    }),
    example: { body: { id: 'till-7-0015', closed_cash_money: { amount: 9_950 }, note: 'Gave too much change' } },
    response: ShiftResponse,
    async handle(context, { params: { shift_id }, body }) {
      const { currency } = context.merchant;
      const cash = fromWireAmount(body.closed_cash_money, { currency, field: 'closed_cash_money', least: 0 });
      const count = { cash, note: body.note ?? null };
      const write = { operation: `closeShift:${shift_id}`, body };
      return writeOnce(context, write, async (change) =>
        toResponse(await closeShift(change, toDrawerContext(context, body), shift_id, count)),
      );
    },
  }),
];
