/** Generates the cash drawer shift of a day: opened, filled by the day's sales, ended and counted. */
import { add, amount, ZERO } from '../../base/money.js';
import { HOUR_MS, type Instant, instant, MINUTE_MS } from '../../base/time.js';
import { contributions, type Shift, type ShiftSum } from '../../business/cash-drawers/model.js';
import type { StoredReport } from '../../business/cash-drawers/report-model.js';
import type { RecordedEvent } from '../../business/cash-drawers/table.js';
import { generateReport } from './drawer-reports.js';
import type { GeneratedSale } from './register-sales.js';
import type { Scenario, WorkingDay } from './scenario.js';

export interface GeneratedShift {
  readonly shift: Shift;
  readonly events: readonly RecordedEvent[];
  /** Once it is closed. */
  readonly report: StoredReport | undefined;
}

export interface Crew {
  readonly opener: string;
  readonly closer: string;
}

const OPENED_CASH = amount(15_000);

/** Probabilities per day. */
const ODDS = { paidIn: 0.1, paidOut: 0.25, noSale: 0.2, difference: 0.35 };

const ERRANDS = ['Milk', 'Flowers', 'Window cleaner', 'Ice'];

export interface ShiftInput {
  readonly id: string;
  readonly crew: Crew;
  readonly sales: readonly GeneratedSale[];
  /** The state that the shift reaches after its day: `CLOSED`, unless it was left open. */
  readonly finalState: Shift['state'];
}

export function generateShift(
  scenario: Scenario,
  day: WorkingDay,
  { id, crew, sales, finalState }: ShiftInput,
): GeneratedShift {
  const { now, currency, random } = scenario;
  const events = [
    ...sales.flatMap(({ drawerEvents }) => drawerEvents),
    ...day.cashRefunds,
    ...otherEvents(scenario, day, crew),
  ].sort((one, other) => one.createdAt - other.createdAt);
  const [endedAt, closedAt] = [instant(day.closesAt + 10 * MINUTE_MS), instant(day.closesAt + 25 * MINUTE_MS)];
  const isEnded = endedAt < now && finalState !== 'OPEN';
  const isClosed = closedAt < now && finalState === 'CLOSED';
  const sums = computeShiftSums(events);
  const { cashPayments, cashRefunds, cashPaidIn, cashPaidOut } = sums;
  const expectedCash = amount(OPENED_CASH + cashPayments - cashRefunds + cashPaidIn - cashPaidOut);
  const difference = random.happens(ODDS.difference) ? amount(random.between(-6, 4) * 50) : ZERO; // counted more or less than expected
  const closedCash = isClosed ? amount(Math.max(expectedCash + difference, 0)) : null;
  const shift: Shift = {
    id,
    locationId: day.location.locationId,
    device: { id: day.location.device.id, name: day.location.device.name },
    state: isClosed ? 'CLOSED' : isEnded ? 'ENDED' : 'OPEN',
    description: null,
    openedAt: day.opensAt,
    endedAt: isEnded ? endedAt : null,
    closedAt: isClosed ? closedAt : null,
    employeeIds: [
      ...new Set([crew.opener, ...events.map(({ employeeId }) => employeeId), ...(isEnded ? [crew.closer] : [])]),
    ],
    openingEmployeeId: crew.opener,
    endingEmployeeId: isEnded ? crew.closer : null,
    closingEmployeeId: isClosed ? crew.closer : null,
    currency,
    openedCash: OPENED_CASH,
    ...sums,
    expectedCash,
    closedCash,
    closingNote: closedCash === null ? null : noteOf(closedCash - expectedCash),
  };
  return { shift, events, report: generateReport(shift, sales, day.deviceRefunds) };
}

/** Whoever counts another sum than the expected one says why. */
function noteOf(difference: number): string | null {
  if (difference === 0) return null;
  return difference < 0 ? 'Gave too much change' : 'A buyer left the change';
}

function computeShiftSums(events: readonly RecordedEvent[]): Pick<Shift, ShiftSum> {
  const sum = (name: ShiftSum) => add(...events.map((event) => contributions(event)[name]));
  return {
    cashPayments: sum('cashPayments'),
    cashRefunds: sum('cashRefunds'),
    cashPaidIn: sum('cashPaidIn'),
    cashPaidOut: sum('cashPaidOut'),
  };
}

/** Events that do not belong to a sale. */
function otherEvents({ random, ids, now }: Scenario, { opensAt }: WorkingDay, { opener }: Crew): RecordedEvent[] {
  const at = (hours: number): Instant => instant(opensAt + hours * HOUR_MS + random.between(0, 50) * MINUTE_MS);
  const core = { employeeId: opener, description: null, amount: ZERO } as const;
  const events: RecordedEvent[] = [];
  if (random.happens(ODDS.noSale)) events.push({ ...core, id: ids.newUuid(), kind: 'NO_SALE', createdAt: at(1) });
  if (random.happens(ODDS.paidIn)) {
    const details = { amount: amount(5000), description: 'Change from the bank' };
    events.push({ ...core, ...details, id: ids.newUuid(), kind: 'PAID_IN', createdAt: at(2) });
  }
  if (random.happens(ODDS.paidOut)) {
    const details = { amount: amount(random.between(8, 40) * 100), description: random.pick(ERRANDS) };
    events.push({ ...core, ...details, id: ids.newUuid(), kind: 'PAID_OUT', createdAt: at(4) });
  }
  return events.filter(({ createdAt }) => createdAt < now);
}
