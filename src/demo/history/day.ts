/** Generates one day of one location: timecards, sales, orders, the cash drawer shift, and later refunds of its sales. */
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../../base/time.js';
import type { Employee } from '../../business/employees/model.js';
import type { Movement } from '../../business/movements/model.js';
import type { PastOrder } from '../../business/orders/queries.js';
import type { PaymentToInsert } from '../../business/payments/create-queries.js';
import type { Refund } from '../../business/payments/model.js';
import type { PastSale } from '../../business/sales/queries.js';
import { toDrawerRefund } from './drawer-reports.js';
import { type Crew, type GeneratedShift, generateShift } from './drawers.js';
import { partOfDay } from './menu.js';
import { generateOrder, type OrderEnd } from './online-orders.js';
import { generateOnlinePayment } from './online-sales.js';
import { generateSaleRefund, REFUND_TAKES_MS } from './refunds.js';
import { type GeneratedSale, generateRegisterSale } from './register-sales.js';
import { handoverOf, type Scenario, type SeededLocation, type WorkingDay } from './scenario.js';
import { generateTimecard, type Stint, type TimecardRecord } from './timecards.js';

export interface DayRecords {
  readonly sales: PastSale[];
  readonly payments: PaymentToInsert[];
  readonly orders: PastOrder[];
  readonly refunds: Refund[];
  /** The movements of the refunds; a payment contains its own movement. */
  readonly movements: Movement[];
  readonly shifts: GeneratedShift[];
  readonly timecards: TimecardRecord[];
}

/** Relative number of sales per day of the week, Sunday first. */
const WEEK = [1.35, 0.7, 0.8, 0.85, 0.95, 1.15, 1.45];

/** Relative number of sales per hour after opening: breakfast, lunch, and a quiet afternoon. */
const HOURS = [3, 4, 3, 2, 3, 5, 4, 2, 1, 1, 2, 2];

const REFUND_PROBABILITY = 0.05;

/** A sale is refunded within this many working days, well within the time limits for refunds. */
export const MAX_REFUND_DELAY_DAYS = 30;

export interface PlannedDay {
  readonly day: WorkingDay;
  /** The following days of the same location on which its sales can be refunded, in order. */
  readonly later: readonly WorkingDay[];
  /** The number of following days of the same location. */
  readonly daysLeft: number;
  /** The index of the location. It decides what is still open at the end of the last day. */
  readonly locationNumber: number;
}

/** Yields after each sale, so that the caller can let the event loop run. */
export function* generateDay(
  scenario: Scenario,
  { day, later, daysLeft, locationNumber }: PlannedDay,
): Generator<undefined, DayRecords> {
  const { random, ids } = scenario;
  const { location, opensAt } = day;
  const records: DayRecords = {
    sales: [],
    payments: [],
    orders: [],
    refunds: [],
    movements: [],
    shifts: [],
    timecards: [],
  };
  ids.setTime(opensAt);
  const isLast = daysLeft === 0;
  const leavesOpen = daysLeft === 1 || daysLeft === 2;
  const crew = chooseCrew(day, locationNumber);
  const shiftId = ids.newUuid();
  const sales: GeneratedSale[] = [];

  for (const [index, at] of saleTimes(scenario, day, location.salesPerDay).entries()) {
    ids.setTime(at);
    const employeeId = cashierAt(day, crew, at);
    const part = partOfDay(location.opensAtHour + Math.floor((at - opensAt) / HOUR_MS));
    const staysOpen = leavesOpen && index === 0;
    const sold = generateRegisterSale(scenario, location, { at, part, employeeId, shiftId, staysOpen });
    records.sales.push(sold.sale);
    sales.push(sold);
    const isRefunded = sold.sale.state === 'COMPLETED' && random.happens(REFUND_PROBABILITY);
    records.payments.push(
      ...(isRefunded ? refundLater(scenario, { later, locationNumber }, records, sold) : sold.payments),
    );
    yield;
  }
  for (const [index, at] of saleTimes(scenario, day, location.onlineSalesPerDay).entries()) {
    ids.setTime(at);
    const generated = generateOnlinePayment(scenario, location, { at, isHeld: leavesOpen && index === 0 });
    // Only a payment that is captured immediately is refunded.
    const isRefunded = generated.payment.capturedAt === at && random.happens(REFUND_PROBABILITY);
    records.payments.push(
      ...(isRefunded
        ? refundLater(scenario, { later, locationNumber }, records, { payments: [generated] })
        : [generated]),
    );
    yield;
  }
  for (const { at, end } of orderTimes(scenario, day, isLast)) {
    ids.setTime(at);
    const { placed, sale, payments, refunds, movements } = generateOrder(scenario, location, { at, end });
    records.orders.push(placed);
    records.sales.push(sale);
    records.payments.push(...payments);
    records.refunds.push(...refunds);
    records.movements.push(...movements);
    yield;
  }
  ids.setTime(opensAt);
  // On the last day, the first location leaves its drawer open and its closer clocked in; the others only have to count the cash.
  const forgets = isLast && locationNumber === 0;
  const finalState = forgets ? 'OPEN' : isLast ? 'ENDED' : 'CLOSED';
  records.shifts.push(generateShift(scenario, day, { id: shiftId, crew, sales, finalState }));
  for (const stint of stintsOf(day, crew, forgets)) {
    const timecard = generateTimecard(scenario, stint);
    if (timecard) records.timecards.push(timecard);
  }
  return records;
}

/** Open orders are spread over at least this time before now, so that there are some even at the minute of opening. */
const OPEN_ORDERS_SPAN_MS = 6 * HOUR_MS;

/** Fractions of that time at which the orders are placed that are still open, or still unpaid. */
const OPEN_ORDERS_AT = [0.2, 0.4, 0.6];
const UNPAID_ORDERS_AT = [0.9, 0.95];

/** When orders are placed, and the last state that they may reach. On the last day some are open at any hour. */
function orderTimes(scenario: Scenario, day: WorkingDay, isLast: boolean): { at: Instant; end: OrderEnd }[] {
  if (day.location.ordersPerDay === 0) return [];
  const placed = saleTimes(scenario, day, day.location.ordersPerDay).map((at) => ({ at, end: 'ANY' as OrderEnd }));
  if (!isLast) return placed;
  const span = Math.max(scenario.now - day.opensAt, OPEN_ORDERS_SPAN_MS);
  const openOrder = (fraction: number, end: OrderEnd) => ({
    at: instant(Math.floor(scenario.now - (1 - fraction) * span)),
    end,
  });
  return [
    ...placed,
    ...OPEN_ORDERS_AT.map((fraction) => openOrder(fraction, 'OPEN')),
    ...UNPAID_ORDERS_AT.map((fraction) => openOrder(fraction, 'PENDING')),
  ];
}

/** The employees of that day: hired before it and still employed. */
function staffOf({ location: { staff }, opensAt }: WorkingDay): readonly Employee[] {
  return staff.filter(
    ({ createdAt, status, updatedAt }) => createdAt <= opensAt && (status === 'ACTIVE' || opensAt < updatedAt),
  );
}

/** Employees without a role do not work at a register. They have Mondays and Tuesdays off. */
function kitchenOf(day: WorkingDay): readonly Employee[] {
  return day.weekday === 1 || day.weekday === 2 ? [] : staffOf(day).filter(({ roleId }) => roleId === null);
}

/** Stints overlap, and the closer stays until the drawer is counted: every employee at a register is clocked in. */
function stintsOf(day: WorkingDay, { opener, closer }: Crew, closerForgets: boolean): readonly Stint[] {
  const { opensAt, closesAt, location } = day;
  const handover = handoverOf(day);
  const stint = (employeeId: string, from: Instant, until: Instant, forgets = false): Stint => {
    return { employeeId, locationId: location.locationId, from, until, forgets };
  };
  const after = (at: Instant, minutes: number): Instant => instant(at + minutes * MINUTE_MS);
  return [
    stint(opener, after(opensAt, -15), after(handover, 5)),
    stint(closer, after(handover, -10), after(closesAt, 35), closerForgets),
    ...kitchenOf(day).map(({ id }) => stint(id, after(opensAt, -30), after(handover, 120))),
  ];
}

/** Chooses two of the employees with a role, in turn. */
function chooseCrew(day: WorkingDay, locationNumber: number): Crew {
  const number = Math.floor(day.opensAt / DAY_MS);
  const available = staffOf(day).filter(
    ({ roleId, locationIds }) =>
      roleId !== null &&
      // An employee of several locations works at one of them each day.
      (locationIds.length === 1 || number % locationIds.length === locationNumber),
  );
  const [opener, closer] = [available[number % available.length], available[(number + 1) % available.length]];
  if (!opener || !closer || opener === closer) throw new Error('a location needs two employees with a role');
  return { opener: opener.id, closer: closer.id };
}

function cashierAt(day: WorkingDay, { opener, closer }: Crew, at: Instant): string {
  return at < handoverOf(day) ? opener : closer;
}

/** The hours after opening, each repeated by its weight. */
function hoursOf({ hoursOpen }: SeededLocation): readonly number[] {
  const known = busyHours.get(hoursOpen);
  if (known) return known;
  const hours = HOURS.slice(0, hoursOpen).flatMap((weight, hour) => Array<number>(weight).fill(hour));
  busyHours.set(hoursOpen, hours);
  return hours;
}

const busyHours = new Map<number, readonly number[]>();

/** Random times on a day, in order and before now. `perDay` is the average number. */
function saleTimes(
  { random, now }: Scenario,
  { opensAt, closesAt, weekday, location }: WorkingDay,
  perDay: number,
): Instant[] {
  // Rounded up or down at random, so that an average below one still occurs on some days.
  const count = Math.floor(perDay * (WEEK[weekday] ?? 1) * (0.7 + 0.6 * random.next()) + random.next());
  const hours = hoursOf(location);
  const randomTime = (): Instant => {
    const sinceOpening = Math.floor((random.pick(hours) + random.next()) * HOUR_MS);
    return instant(Math.min(opensAt + sinceOpening, closesAt - MINUTE_MS));
  };
  const times = Array.from({ length: count }, randomTime).filter((at) => at < now - MINUTE_MS);
  return times.sort((one, other) => one - other);
}

/** Refunds on one of the following days, unless that day is in the future. Returns the payments after the refund. */
function refundLater(
  scenario: Scenario,
  { later, locationNumber }: Pick<PlannedDay, 'later' | 'locationNumber'>,
  records: DayRecords,
  { payments, sale }: { readonly payments: readonly PaymentToInsert[]; readonly sale?: GeneratedSale['sale'] },
): readonly PaymentToInsert[] {
  const { random, now } = scenario;
  const day = later[random.between(0, MAX_REFUND_DELAY_DAYS - 1)];
  const at = day && instant(day.opensAt + random.between(30, day.location.hoursOpen * 60 - 30) * MINUTE_MS);
  if (!day || !at || at + REFUND_TAKES_MS > now) return payments;
  const captured = payments.map(({ payment }) => payment).filter(({ capturedAt }) => capturedAt !== null);
  const employeeId = cashierAt(day, chooseCrew(day, locationNumber), at);
  const refunded = generateSaleRefund(scenario, captured as Parameters<typeof generateSaleRefund>[1], sale, {
    at,
    employeeId,
  });
  records.refunds.push(...refunded.refunds);
  records.movements.push(...refunded.movements);
  day.cashRefunds.push(...refunded.drawerEvents);
  const atDevice = refunded.refunds.filter(({ deviceId }) => deviceId !== null);
  day.deviceRefunds.push(...atDevice.map((refund) => toDrawerRefund(refund, captured)));
  const changed = new Map(refunded.payments.map((payment) => [payment.id, payment]));
  return payments.map((each) => ({ ...each, payment: changed.get(each.payment.id) ?? each.payment }));
}
