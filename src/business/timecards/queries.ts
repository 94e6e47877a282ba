/** SQL for timecards and their events. */
import { isUuid } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import type { Bulk } from '../../database/copy.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../../database/database.js';
import {
  type Page,
  type PageRequest,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import { insertEvents } from '../../events/record-queries.js';
import type { Timecard, TimecardEvent } from './model.js';

export type TimecardRow = Omit<Timecard, 'id'> & { timecardId: string };
type EventRow = Omit<TimecardEvent, 'id'> & { eventId: string };

export const columns = (sql: Sql) => sql`
  timecard_id, employee_id, clockin_at, clockout_at, clockin_location_id, clockout_location_id, deleted, created_at,
  updated_at`;

function toTimecard({ timecardId, ...rest }: TimecardRow): Timecard {
  return { id: timecardId, ...rest };
}

export async function findTimecard(sql: Sql, merchantId: string, timecardId: string): Promise<Timecard | undefined> {
  if (!isUuid(timecardId)) return undefined;
  const [row] = await sql<TimecardRow[]>`
    select ${columns(sql)}
    from timecards
    where merchant_id = ${merchantId} and timecard_id = ${timecardId}`;
  return row && toTimecard(row);
}

/** Locks a card for a change. Also returns the locations at which its employee may work. */
export async function lockTimecard(
  tx: Tx,
  merchantId: string,
  timecardId: string,
): Promise<{ card: Timecard; authorizedLocationIds: readonly string[] } | undefined> {
  if (!isUuid(timecardId)) return undefined;
  const [row] = await tx<(TimecardRow & { authorizedLocationIds: string[] })[]>`
    select
      ${columns(tx)},
      (
        select location_ids
        from employees
        where merchant_id = ${merchantId} and employee_id = timecards.employee_id
      ) as authorized_location_ids
    from timecards
    where merchant_id = ${merchantId} and timecard_id = ${timecardId}
    for update of timecards`;
  if (!row) return undefined;
  const { authorizedLocationIds, ...card } = row;
  return { card: toTimecard(card), authorizedLocationIds };
}

/** Locks the card on which an employee is clocked in. */
export async function lockOpenTimecard(tx: Tx, merchantId: string, employeeId: string): Promise<Timecard | undefined> {
  const [row] = await tx<TimecardRow[]>`
    select ${columns(tx)}
    from timecards
    where merchant_id = ${merchantId} and employee_id = ${employeeId} and clockout_at is null and not deleted
    for update`;
  return row && toTimecard(row);
}

export interface TimecardFilter {
  readonly merchantId: string;
  readonly employeeId?: string | undefined;
  readonly clockin?: TimeRange;
  readonly clockout?: TimeRange;
  readonly updated?: TimeRange;
  readonly deleted?: boolean | undefined;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

export async function listTimecards(sql: Sql, filter: TimecardFilter): Promise<Page<Timecard>> {
  const { merchantId, employeeId, clockin = {}, clockout = {}, updated = {}, deleted, order, page } = filter;
  if (employeeId !== undefined && !isUuid(employeeId)) return { items: [], next: undefined };
  const rows = await sql<TimecardRow[]>`
    select ${columns(sql)}
    from timecards
    where merchant_id = ${merchantId}
    ${employeeId === undefined ? sql`` : sql`and employee_id = ${employeeId}`}
    ${deleted === undefined ? sql`` : deleted ? sql`and deleted` : sql`and not deleted`}
    ${within(sql, 'clockin_at', clockin, order)}
    ${within(sql, 'clockout_at', clockout, order)}
    ${within(sql, 'updated_at', updated, order)}
    ${within(sql, 'created_at', { end: updated.end }, order) /* updated_at >= created_at, so this ends the scan */}
    ${pageClause(sql, { at: 'created_at', id: 'timecard_id' }, page, order)}`;
  return toPage(rows.map(toTimecard), page.limit, (card) => ({ at: card.createdAt, id: card.id }));
}

/**
 * Events of a card, oldest first, undefined if the card does not exist. A deletion is always last: its id can be older
 * than the id of a change in the same second that it had to wait for.
 */
export async function listTimecardEvents(
  sql: Sql,
  merchantId: string,
  timecardId: string,
): Promise<TimecardEvent[] | undefined> {
  if (!isUuid(timecardId)) return undefined;
  const rows = await sql<EventRow[]>`
    select event_id, kind, clockin_at, clockout_at, created_at
    from timecard_events
    where merchant_id = ${merchantId} and timecard_id = ${timecardId}
    order by created_at, kind in ('API_DELETE', 'DASHBOARD_DELETE'), event_id`;
  // A card is created together with its first event, so no event means no card.
  return rows.length === 0 ? undefined : rows.map(({ eventId, ...rest }) => ({ id: eventId, ...rest }));
}

type EventStamp = Pick<TimecardEvent, 'id' | 'kind'>;

/** The insert of an event for the row in the CTE `card`. */
function insertEvent(tx: Tx, merchantId: string, event: EventStamp): Fragment {
  return tx`
    insert into timecard_events (merchant_id, timecard_id, event_id, kind, clockin_at, clockout_at, created_at)
    select ${merchantId}, timecard_id, ${event.id}, ${event.kind}, clockin_at, clockout_at, updated_at
    from card`;
}

/** Only a clock-in at a register publishes an event (contract 24.1). */
const clockInEvents = (sql: Sql) => sql`(
  select
    merchant_id, clockin_location_id as location_id, null::text as application_id, 'TIMECARD_UPDATED' as kind,
    timecard_id::text as entity_id, updated_at as happened_at, null::text as object
  from card
)`;

export type InsertOutcome =
  | { readonly kind: 'inserted' }
  | { readonly kind: 'no employee' }
  | { readonly kind: 'not authorized'; readonly authorizedLocationIds: readonly string[] };

/** Inserts the card and its first event if the employee exists and may work at the locations of the card. */
export async function insertTimecard(
  tx: Tx,
  merchantId: string,
  card: Timecard,
  event: EventStamp,
): Promise<InsertOutcome> {
  const places = [card.clockinLocationId, card.clockoutLocationId].filter((place) => place !== null);
  const [row] = await tx<{ locationIds: string[]; inserted: boolean }[]>`
    with employee as (
      select employee_id, location_ids
      from employees
      where merchant_id = ${merchantId} and employee_id = ${card.employeeId}
    ),
    card as (
      insert into timecards (merchant_id, ${columns(tx)})
      select
        ${merchantId}, ${card.id}, employee_id, ${card.clockinAt}, ${card.clockoutAt}, ${card.clockinLocationId},
        ${card.clockoutLocationId}, ${card.deleted}, ${card.createdAt}, ${card.updatedAt}
      from employee
      where cardinality(location_ids) = 0 or location_ids @> ${places}::text[]
      returning merchant_id, timecard_id, clockin_at, clockout_at, clockin_location_id, updated_at
    ),
    event as (${insertEvent(tx, merchantId, event)})
    ${event.kind === 'REGISTER_CLOCKIN' ? tx`, ${insertEvents(tx, [merchantId], [clockInEvents(tx)])}` : tx``}
    select location_ids, exists (select from card) as inserted
    from employee`;
  if (!row) return { kind: 'no employee' };
  return row.inserted ? { kind: 'inserted' } : { kind: 'not authorized', authorizedLocationIds: row.locationIds };
}

/** Copies cards of a generated history, in their final state, with their events. */
export function insertPastTimecards(
  past: Bulk,
  merchantId: string,
  cards: readonly { readonly card: Timecard; readonly events: readonly TimecardEvent[] }[],
): void {
  past.copy(
    'timecards',
    (tx) => tx`copy timecards (merchant_id, ${columns(tx)}) from stdin`,
    cards,
    ({ card }) => [
      merchantId,
      card.id,
      card.employeeId,
      toTimestamp(card.clockinAt),
      card.clockoutAt === null ? null : toTimestamp(card.clockoutAt),
      card.clockinLocationId,
      card.clockoutLocationId,
      card.deleted,
      toTimestamp(card.createdAt),
      toTimestamp(card.updatedAt),
    ],
  );
  past.copy(
    'timecard_events',
    (tx) => tx`
      copy timecard_events (merchant_id, timecard_id, event_id, kind, clockin_at, clockout_at, created_at)
      from stdin`,
    cards.flatMap(({ card, events }) => events.map((event) => ({ card, event }))),
    ({ card, event }) => [
      merchantId,
      card.id,
      event.id,
      event.kind,
      toTimestamp(event.clockinAt),
      event.clockoutAt === null ? null : toTimestamp(event.clockoutAt),
      toTimestamp(event.createdAt),
    ],
  );
}

/** Saves a card and its event. The caller has locked the card. */
export async function updateTimecard(tx: Tx, merchantId: string, card: Timecard, event: EventStamp): Promise<void> {
  await tx`
    with card as (
      update timecards
      set
        clockin_at = ${card.clockinAt},
        clockout_at = ${card.clockoutAt},
        clockin_location_id = ${card.clockinLocationId},
        clockout_location_id = ${card.clockoutLocationId},
        updated_at = ${card.updatedAt}
      where merchant_id = ${merchantId} and timecard_id = ${card.id} and not deleted
      returning timecard_id, clockin_at, clockout_at, updated_at
    )
    ${insertEvent(tx, merchantId, event)}`;
}

/** Marks a card as deleted, unless it already is. Returns false if the card does not exist. */
export async function moveTimecardToDeleted(
  tx: Tx,
  { merchantId, timecardId, at, event }: { merchantId: string; timecardId: string; at: Instant; event: EventStamp },
): Promise<boolean> {
  if (!isUuid(timecardId)) return false;
  const [row] = await tx<{ found: boolean }[]>`
    with card as (
      update timecards
      set deleted = true, updated_at = greatest(updated_at, ${at})
      where merchant_id = ${merchantId} and timecard_id = ${timecardId} and not deleted
      returning timecard_id, clockin_at, clockout_at, updated_at
    ),
    event as (${insertEvent(tx, merchantId, event)})
    select
      exists (select from timecards where merchant_id = ${merchantId} and timecard_id = ${timecardId}) as found`;
  return row?.found ?? false;
}
