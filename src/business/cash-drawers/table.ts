/** Defines the tables of cash drawer shifts, their events, and their reports. */
import { Table } from '../../database/table.js';
import { expectedCash, type Shift, type ShiftEvent, type ShiftSum } from './model.js';
import type { DrawerSums, StoredReport } from './report-model.js';

/** The expected cash is computed from the other columns. */
export type ShiftRow = Omit<Shift, 'device' | 'expectedCash'> & {
  readonly deviceId: string;
  readonly deviceName: string;
};

/** Two payments add to the sums at the same time without waiting for each other, while the shift is OPEN. */
export const shifts = new Table<ShiftRow, ShiftSum | 'employeeIds'>('cash_drawer_shifts', {
  key: ['id'],
  columns: {
    id: { column: 'shift_id', as: 'value' },
    locationId: 'value',
    deviceId: 'value',
    deviceName: 'value',
    state: 'value',
    description: 'value',
    openedAt: 'time',
    endedAt: 'time',
    closedAt: 'time',
    employeeIds: 'value',
    openingEmployeeId: 'value',
    endingEmployeeId: 'value',
    closingEmployeeId: 'value',
    currency: 'value',
    openedCash: 'value',
    cashPayments: 'value',
    cashRefunds: 'value',
    cashPaidIn: 'value',
    cashPaidOut: 'value',
    closedCash: 'value',
    closingNote: 'value',
  },
  sums: ['cashPayments', 'cashRefunds', 'cashPaidIn', 'cashPaidOut'],
  sets: ['employeeIds'],
  guard: 'state',
});

export function toShift<Row extends ShiftRow>({ deviceId, deviceName, ...rest }: Row) {
  return { ...rest, device: { id: deviceId, name: deviceName }, expectedCash: expectedCash(rest) };
}

export function toShiftRow<Stored extends Shift>({ device, expectedCash: _, ...rest }: Stored) {
  return { ...rest, deviceId: device.id, deviceName: device.name };
}

/** An event with the id of its payment or refund, if it has one. */
export type RecordedEvent = ShiftEvent & { readonly subjectId?: string };

interface EventRow extends ShiftEvent {
  readonly shiftId: string;
  readonly subjectId: string | null;
}

export const shiftEvents = new Table<EventRow>('cash_drawer_events', {
  key: ['shiftId', 'id'],
  columns: {
    shiftId: 'value',
    id: { column: 'event_id', as: 'value' },
    employeeId: 'value',
    kind: 'value',
    amount: 'value',
    description: 'value',
    createdAt: 'time',
    subjectId: 'value',
  },
});

export function toEventRow(shiftId: string, event: RecordedEvent): EventRow {
  return { ...event, shiftId, subjectId: event.subjectId ?? null };
}

const REPORT_VERSION = 1;

export interface ReportRow {
  readonly shiftId: string;
  readonly report: DrawerSums & { readonly version: number };
  readonly saleIds: readonly string[];
  readonly refundIds: readonly string[];
}

export const shiftReports = new Table<ReportRow>('cash_drawer_reports', {
  key: ['shiftId'],
  columns: { shiftId: 'value', report: 'json', saleIds: 'value', refundIds: 'value' },
});

export function toReportRow(shiftId: string, { sums, saleIds, refundIds }: StoredReport): ReportRow {
  return { shiftId, report: { version: REPORT_VERSION, ...sums }, saleIds, refundIds };
}

export function fromReportRow({ report: { version, ...sums }, saleIds, refundIds }: ReportRow): StoredReport {
  if (version !== REPORT_VERSION) {
    throw new Error(
      `A stored report of a drawer has version ${version}, but this program reads version ${REPORT_VERSION} only.`,
    );
  }
  return { sums, saleIds, refundIds };
}
