/** SQL for timecards and their events. */
import { isUuid } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import { type Change, json, type Versioned } from '../../database/change.js';
import { Columns } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import {
  type Page,
  type PageRequest,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import type { Timecard, TimecardEvent } from './model.js';

export const TIMECARD_COLUMNS = new Columns<Timecard>({
  id: { column: 'timecard_id', as: 'value' },
  employeeId: 'value',
  clockinAt: 'time',
  clockoutAt: 'time',
  clockinLocationId: 'value',
  clockoutLocationId: 'value',
  deleted: 'value',
  createdAt: 'time',
  updatedAt: 'time',
});

const EVENT_COLUMNS = new Columns<TimecardEvent>({
  id: { column: 'event_id', as: 'value' },
  kind: 'value',
  clockinAt: 'time',
  clockoutAt: 'time',
  createdAt: 'time',
});

/** A timecard with the version that an editor sends back (decision 0148). */
export type VersionedTimecard = Timecard & Versioned;

export async function findTimecard(
  sql: Sql,
  merchantId: string,
  timecardId: string,
): Promise<VersionedTimecard | undefined> {
  if (!isUuid(timecardId)) return undefined;
  const [row] = await sql<VersionedTimecard[]>`
    select ${TIMECARD_COLUMNS.select(sql)}, xmin::text as version
    from timecards
    where merchant_id = ${merchantId} and timecard_id = ${timecardId}`;
  return row;
}

/** Finds a card to change. The change depends on it. */
export async function readTimecard(change: Change, timecardId: string): Promise<VersionedTimecard | undefined> {
  const card = await findTimecard(change.sql, change.merchantId, timecardId);
  return card && expectCard(change, card);
}

/** Finds the card on which an employee is clocked in. The change depends on it. */
export async function readOpenTimecard(change: Change, employeeId: string): Promise<VersionedTimecard | undefined> {
  const { sql, merchantId } = change;
  const [row] = await sql<VersionedTimecard[]>`
    select ${TIMECARD_COLUMNS.select(sql)}, xmin::text as version
    from timecards
    where merchant_id = ${merchantId} and employee_id = ${employeeId} and clockout_at is null and not deleted`;
  return row && expectCard(change, row);
}

function expectCard(change: Change, card: VersionedTimecard): VersionedTimecard {
  change.expect('timecards', [card.id], card);
  return card;
}

export interface TimecardFilter {
  readonly merchantId: string;
  readonly employeeId?: string | undefined;
  /** Where the employee clocked in. A card without a location belongs to the main location. */
  readonly location?: { readonly locationId: string; readonly mainLocationId: string } | undefined;
  readonly clockin?: TimeRange;
  readonly clockout?: TimeRange;
  readonly updated?: TimeRange;
  readonly deleted?: boolean | undefined;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

export async function listTimecards(sql: Sql, filter: TimecardFilter): Promise<Page<VersionedTimecard>> {
  const { merchantId, employeeId, location, clockin = {}, clockout = {}, updated = {}, deleted, order, page } = filter;
  if (employeeId !== undefined && !isUuid(employeeId)) return { items: [], next: undefined };
  const rows = await sql<VersionedTimecard[]>`
    select ${TIMECARD_COLUMNS.select(sql)}, xmin::text as version
    from timecards
    where merchant_id = ${merchantId}
    ${location ? sql`and coalesce(clockin_location_id, ${location.mainLocationId}) = ${location.locationId}` : sql``}
    ${employeeId === undefined ? sql`` : sql`and employee_id = ${employeeId}`}
    ${deleted === undefined ? sql`` : deleted ? sql`and deleted` : sql`and not deleted`}
    ${within(sql, 'clockin_at', clockin, order)}
    ${within(sql, 'clockout_at', clockout, order)}
    ${within(sql, 'updated_at', updated, order)}
    ${within(sql, 'created_at', { end: updated.end }, order) /* updated_at >= created_at, so this ends the scan */}
    ${pageClause(sql, { at: 'created_at', id: 'timecard_id' }, page, order)}`;
  return toPage(rows, page.limit, (card) => ({ at: card.createdAt, id: card.id }));
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
  const rows = await sql<TimecardEvent[]>`
    select ${EVENT_COLUMNS.select(sql)}
    from timecard_events
    where merchant_id = ${merchantId} and timecard_id = ${timecardId}
    order by created_at, kind in ('API_DELETE', 'DASHBOARD_DELETE'), event_id`;
  // A card is created together with its first event, so no event means no card.
  return rows.length === 0 ? undefined : rows;
}

type EventStamp = Pick<TimecardEvent, 'id' | 'kind'>;

/** Inserts a card and its first event. If the employee is already clocked in, the insert violates timecards_open. */
export function insertTimecard(change: Change, card: Timecard, event: EventStamp): void {
  change.call('create_timecard', cardAndEvent(card, event));
}

function cardAndEvent(card: Timecard, event: EventStamp) {
  return { card: json(TIMECARD_COLUMNS.toRow(card)), event: json(EVENT_COLUMNS.toRow(event)) };
}

/** Copies cards of a generated history, in their final state, with their events. */
export function insertPastTimecards(
  past: Bulk,
  merchantId: string,
  cards: readonly { readonly card: Timecard; readonly events: readonly TimecardEvent[] }[],
): void {
  past.copy(
    'timecards',
    (tx) => tx`copy timecards (merchant_id, ${TIMECARD_COLUMNS.names(tx)}) from stdin`,
    cards,
    ({ card }) => [merchantId, ...TIMECARD_COLUMNS.toCells(card)],
  );
  past.copy(
    'timecard_events',
    (tx) => tx`copy timecard_events (merchant_id, timecard_id, ${EVENT_COLUMNS.names(tx)}) from stdin`,
    cards.flatMap(({ card, events }) => events.map((event) => ({ card, event }))),
    ({ card, event }) => [merchantId, card.id, ...EVENT_COLUMNS.toCells(event)],
  );
}

/** Saves a card and its event. */
export function updateTimecard(change: Change, card: Timecard, event: EventStamp): void {
  change.call('save_timecard', cardAndEvent(card, event));
}

/** Marks a card as deleted, unless it already is. Returns false if the card does not exist. */
export async function moveTimecardToDeleted(
  tx: Tx,
  { merchantId, timecardId, at, event }: { merchantId: string; timecardId: string; at: Instant; event: EventStamp },
): Promise<boolean> {
  if (!isUuid(timecardId)) return false;
  const [row] = await tx<{ found: boolean }[]>`
    select ${fn(tx, 'delete_timecard')}(
      ${merchantId}, ${timecardId}, ${at}, ${EVENT_COLUMNS.toRow(event)}::text::json
    ) as found`;
  return row?.found ?? false;
}
