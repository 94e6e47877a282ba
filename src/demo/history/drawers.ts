/** A day's shift of a made-up cash drawer: opened, filled by the day's sales, ended and counted. */
import { add, amount, ZERO } from '../../base/money.js';
import { HOUR_MS, type Instant, instant, MINUTE_MS } from '../../base/time.js';
import { contributions, type Shift, type ShiftSum } from '../../business/cash-drawers/model.js';
import type { RecordedEvent } from '../../business/cash-drawers/queries.js';
import type { Story, WorkingDay } from './story.js';

export interface RunShift {
  readonly shift: Shift;
  readonly events: readonly RecordedEvent[];
}

export interface Crew {
  readonly opener: string;
  readonly closer: string;
}

const OPENED_CASH = amount(15_000);

/** How often things happen on a day, of one. */
const ODDS = { paidIn: 0.1, paidOut: 0.25, noSale: 0.2, off: 0.35 };

const ERRANDS = ['Milk', 'Flowers', 'Window cleaner', 'Ice'];

export interface ShiftStory {
  readonly id: string;
  readonly crew: Crew;
  /** What its sales and refunds did to it. */
  readonly tenders: readonly RecordedEvent[];
  /** How far the shift has come where its day is over: `CLOSED`, unless somebody left it as it was. */
  readonly leftAs: Shift['state'];
}

export function runShift(story: Story, day: WorkingDay, { id, crew, tenders, leftAs }: ShiftStory): RunShift {
  const { now, currency, chance } = story;
  const events = [...tenders, ...day.handedOut, ...besides(story, day, crew)].sort(
    (one, other) => one.createdAt - other.createdAt,
  );
  const [endedAt, closedAt] = [instant(day.closesAt + 10 * MINUTE_MS), instant(day.closesAt + 25 * MINUTE_MS)];
  const isEnded = endedAt < now && leftAs !== 'OPEN';
  const isClosed = closedAt < now && leftAs === 'CLOSED';
  const sums = sumUp(events);
  const { cashPayments, cashRefunds, cashPaidIn, cashPaidOut } = sums;
  const expectedCash = amount(OPENED_CASH + cashPayments - cashRefunds + cashPaidIn - cashPaidOut);
  const off = chance.happens(ODDS.off) ? amount(chance.between(-6, 4) * 50) : ZERO; // over or short
  const shift: Shift = {
    id,
    locationId: day.place.locationId,
    device: { id: day.place.device.id, name: day.place.device.name },
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
    closedCash: isClosed ? amount(Math.max(expectedCash + off, 0)) : null,
  };
  return { shift, events };
}

function sumUp(events: readonly RecordedEvent[]): Pick<Shift, ShiftSum> {
  const sum = (name: ShiftSum) => add(...events.map((event) => amount(contributions(event)[name])));
  return {
    cashPayments: sum('cashPayments'),
    cashRefunds: sum('cashRefunds'),
    cashPaidIn: sum('cashPaidIn'),
    cashPaidOut: sum('cashPaidOut'),
  };
}

/** What happens at a drawer besides sales. */
function besides({ chance, ids, now }: Story, { opensAt }: WorkingDay, { opener }: Crew): RecordedEvent[] {
  const at = (hours: number): Instant => instant(opensAt + hours * HOUR_MS + chance.between(0, 50) * MINUTE_MS);
  const core = { employeeId: opener, description: null, amount: ZERO } as const;
  const events: RecordedEvent[] = [];
  if (chance.happens(ODDS.noSale)) events.push({ ...core, id: ids.newUuid(), kind: 'NO_SALE', createdAt: at(1) });
  if (chance.happens(ODDS.paidIn)) {
    const given = { amount: amount(5000), description: 'Change from the bank' };
    events.push({ ...core, ...given, id: ids.newUuid(), kind: 'PAID_IN', createdAt: at(2) });
  }
  if (chance.happens(ODDS.paidOut)) {
    const given = { amount: amount(chance.between(8, 40) * 100), description: chance.pick(ERRANDS) };
    events.push({ ...core, ...given, id: ids.newUuid(), kind: 'PAID_OUT', createdAt: at(4) });
  }
  return events.filter(({ createdAt }) => createdAt < now);
}
