/** Tells one day of one place: who worked, what was sold, what was in the drawer, and what comes back of it later. */
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../../base/time.js';
import type { Employee } from '../../business/employees/model.js';
import type { Movement } from '../../business/movements/model.js';
import type { PastOrder } from '../../business/orders/queries.js';
import type { MadePayment } from '../../business/payments/create-queries.js';
import type { Refund } from '../../business/payments/model.js';
import type { PastSale } from '../../business/payments/past-queries.js';
import { type Crew, type RunShift, runShift } from './drawers.js';
import { partOfDay } from './menu.js';
import { type OrderEnd, takeOrder } from './online-orders.js';
import { sellOnline } from './online-sales.js';
import { giveBack, REFUND_TAKES_MS } from './refunds.js';
import { type Sold, sellAtRegister } from './register-sales.js';
import { handoverOf, type Place, type Story, type WorkingDay } from './story.js';
import { type KeptTimecard, keepTimecard, type Stint } from './timecards.js';

export interface DayRecords {
  readonly sales: PastSale[];
  readonly payments: MadePayment[];
  readonly orders: PastOrder[];
  readonly refunds: Refund[];
  /** Of the refunds; a payment has its own with it. */
  readonly movements: Movement[];
  readonly shifts: RunShift[];
  readonly timecards: KeptTimecard[];
}

/** Sunday first: how busy a day of the week is. */
const WEEK = [1.35, 0.7, 0.8, 0.85, 0.95, 1.15, 1.45];

/** How busy the hours after opening are: breakfast, lunch, and a quiet afternoon. */
const HOURS = [3, 4, 3, 2, 3, 5, 4, 2, 1, 1, 2, 2];

const REFUNDED = 0.05;

/** A sale is refunded within this many working days, well within all windows. */
export const MOST_DAYS_LATER = 30;

export interface ToldDay {
  readonly day: WorkingDay;
  /** The days of the same place after it, in order, as far as sales are refunded. */
  readonly later: readonly WorkingDay[];
  /** How many days of the same place there are after it. */
  readonly daysLeft: number;
  /** The number of the place: it decides what is left undone on its last day. */
  readonly placeNumber: number;
}

/** Sale by sale, so that who listens can do something else in between. */
export function* tellDay(
  story: Story,
  { day, later, daysLeft, placeNumber }: ToldDay,
): Generator<undefined, DayRecords> {
  const { chance, ids } = story;
  const { place, opensAt } = day;
  const records: DayRecords = {
    sales: [],
    payments: [],
    orders: [],
    refunds: [],
    movements: [],
    shifts: [],
    timecards: [],
  };
  ids.tellOf(opensAt);
  const isLast = daysLeft === 0;
  const leavesThingsOpen = daysLeft === 1 || daysLeft === 2;
  const crew = chooseCrew(day, placeNumber);
  const shiftId = ids.newUuid();
  const tenders: RunShift['events'][number][] = [];

  for (const [index, at] of momentsOf(story, day, place.salesADay).entries()) {
    ids.tellOf(at);
    const employeeId = atCounter(day, crew, at);
    const part = partOfDay(place.opensAtHour + Math.floor((at - opensAt) / HOUR_MS));
    const staysOpen = leavesThingsOpen && index === 0;
    const sold = sellAtRegister(story, place, { at, part, employeeId, shiftId, staysOpen });
    records.sales.push(sold.sale);
    tenders.push(...sold.drawerEvents);
    const isRefunded = sold.sale.state === 'COMPLETED' && chance.happens(REFUNDED);
    records.payments.push(
      ...(isRefunded ? giveBackLater(story, { later, placeNumber }, records, sold) : sold.payments),
    );
    yield;
  }
  for (const [index, at] of momentsOf(story, day, place.onlineSalesADay).entries()) {
    ids.tellOf(at);
    const made = sellOnline(story, place, { at, isHeld: leavesThingsOpen && index === 0 });
    // What is captured later is left alone.
    const isRefunded = made.payment.capturedAt === at && chance.happens(REFUNDED);
    records.payments.push(
      ...(isRefunded ? giveBackLater(story, { later, placeNumber }, records, { payments: [made] }) : [made]),
    );
    yield;
  }
  for (const { at, end } of orderTimes(story, day, isLast)) {
    ids.tellOf(at);
    const { placed, sale, payments, refunds, movements } = takeOrder(story, place, { at, end });
    records.orders.push(placed);
    records.sales.push(sale);
    records.payments.push(...payments);
    records.refunds.push(...refunds);
    records.movements.push(...movements);
    yield;
  }
  ids.tellOf(opensAt);
  // On its last day somebody went home from the first place as it stood; at the others only the counting is left.
  const forgets = isLast && placeNumber === 0;
  const leftAs = forgets ? 'OPEN' : isLast ? 'ENDED' : 'CLOSED';
  records.shifts.push(runShift(story, day, { id: shiftId, crew, tenders, leftAs }));
  for (const stint of stintsOf(day, crew, forgets)) {
    const kept = keepTimecard(story, stint);
    if (kept) records.timecards.push(kept);
  }
  return records;
}

/** A store takes orders before its place opens, too: whoever looks at the minute of opening finds some. */
const LEFT_SINCE_MS = 6 * HOUR_MS;

/** Parts of the time from the last opening to now, or of these hours, at which something is ordered that is still open, or not paid yet. */
const LEFT_OPEN = [0.2, 0.4, 0.6];
const LEFT_UNPAID = [0.9, 0.95];

/** When orders are placed, and how far they may come. On the last day some wait, whatever the hour. */
function orderTimes(story: Story, day: WorkingDay, isLast: boolean): { at: Instant; end: OrderEnd }[] {
  if (day.place.ordersADay === 0) return [];
  const placed = momentsOf(story, day, day.place.ordersADay).map((at) => ({ at, end: 'ANY' as OrderEnd }));
  if (!isLast) return placed;
  const passed = Math.max(story.now - day.opensAt, LEFT_SINCE_MS);
  const waiting = (part: number, end: OrderEnd) => ({
    at: instant(Math.floor(story.now - (1 - part) * passed)),
    end,
  });
  return [
    ...placed,
    ...LEFT_OPEN.map((part) => waiting(part, 'OPEN')),
    ...LEFT_UNPAID.map((part) => waiting(part, 'PENDING')),
  ];
}

/** Those who were there by then and had not left. */
function staffOf({ place: { staff }, opensAt }: WorkingDay): readonly Employee[] {
  return staff.filter(
    ({ createdAt, status, updatedAt }) => createdAt <= opensAt && (status === 'ACTIVE' || opensAt < updatedAt),
  );
}

/** Who has no role has no business at a register. They have Mondays and Tuesdays off. */
function kitchenOf(day: WorkingDay): readonly Employee[] {
  return day.weekday === 1 || day.weekday === 2 ? [] : staffOf(day).filter(({ roleId }) => roleId === null);
}

/** They overlap, and who closes stays until the drawer is counted: nobody stands at a register who is not clocked in. */
function stintsOf(day: WorkingDay, { opener, closer }: Crew, closerForgets: boolean): readonly Stint[] {
  const { opensAt, closesAt, place } = day;
  const handover = handoverOf(day);
  const stint = (employeeId: string, from: Instant, until: Instant, forgets = false): Stint => {
    return { employeeId, locationId: place.locationId, from, until, forgets };
  };
  const after = (at: Instant, minutes: number): Instant => instant(at + minutes * MINUTE_MS);
  return [
    stint(opener, after(opensAt, -15), after(handover, 5)),
    stint(closer, after(handover, -10), after(closesAt, 35), closerForgets),
    ...kitchenOf(day).map(({ id }) => stint(id, after(opensAt, -30), after(handover, 120))),
  ];
}

/** Two of those who may stand at a register, in turn. */
function chooseCrew(day: WorkingDay, placeNumber: number): Crew {
  const number = Math.floor(day.opensAt / DAY_MS);
  const there = staffOf(day).filter(
    ({ roleId, locationIds }) =>
      roleId !== null &&
      // Who works at several places is at one of them a day.
      (locationIds.length === 1 || number % locationIds.length === placeNumber),
  );
  const [opener, closer] = [there[number % there.length], there[(number + 1) % there.length]];
  if (!opener || !closer || opener === closer) throw new Error('a place needs two people');
  return { opener: opener.id, closer: closer.id };
}

function atCounter(day: WorkingDay, { opener, closer }: Crew, at: Instant): string {
  return at < handoverOf(day) ? opener : closer;
}

/** The hours after opening, each as often as it is busy. */
function hoursOf({ hoursOpen }: Place): readonly number[] {
  const known = busyHours.get(hoursOpen);
  if (known) return known;
  const hours = HOURS.slice(0, hoursOpen).flatMap((weight, hour) => Array<number>(weight).fill(hour));
  busyHours.set(hoursOpen, hours);
  return hours;
}

const busyHours = new Map<number, readonly number[]>();

/** When things happen on a day, in order, as often as they do on an average one; nothing after now. */
function momentsOf(
  { chance, now }: Story,
  { opensAt, closesAt, weekday, place }: WorkingDay,
  often: number,
): Instant[] {
  // Rounded by chance, so that what is rare happens now and then.
  const count = Math.floor(often * (WEEK[weekday] ?? 1) * (0.7 + 0.6 * chance.next()) + chance.next());
  const hours = hoursOf(place);
  const draw = (): Instant => {
    const sinceOpening = Math.floor((chance.pick(hours) + chance.next()) * HOUR_MS);
    return instant(Math.min(opensAt + sinceOpening, closesAt - MINUTE_MS));
  };
  const times = Array.from({ length: count }, draw).filter((at) => at < now - MINUTE_MS);
  return times.sort((one, other) => one - other);
}

/** On one of the days after, if that has come already: the payments as they are then. */
function giveBackLater(
  story: Story,
  { later, placeNumber }: Pick<ToldDay, 'later' | 'placeNumber'>,
  records: DayRecords,
  { payments, sale }: { readonly payments: readonly MadePayment[]; readonly sale?: Sold['sale'] },
): readonly MadePayment[] {
  const { chance, now } = story;
  const day = later[chance.between(0, MOST_DAYS_LATER - 1)];
  const at = day && instant(day.opensAt + chance.between(30, day.place.hoursOpen * 60 - 30) * MINUTE_MS);
  if (!day || !at || at + REFUND_TAKES_MS > now) return payments;
  const captured = payments.map(({ payment }) => payment).filter(({ capturedAt }) => capturedAt !== null);
  const employeeId = atCounter(day, chooseCrew(day, placeNumber), at);
  const back = giveBack(story, captured as Parameters<typeof giveBack>[1], sale, { at, employeeId });
  records.refunds.push(...back.refunds);
  records.movements.push(...back.movements);
  day.handedOut.push(...back.drawerEvents);
  const changed = new Map(back.payments.map((payment) => [payment.id, payment]));
  return payments.map((made) => ({ ...made, payment: changed.get(made.payment.id) ?? made.payment }));
}
