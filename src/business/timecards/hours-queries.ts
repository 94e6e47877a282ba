/** SQL for the hours that employees worked on each day. */
import { isUuid } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import { type Sql, toTimestamp } from '../../database/database.js';
import type { LocationDay } from './hours.js';
import type { WorkedDay } from './model.js';

interface HoursFilter {
  readonly merchantId: string;
  /** The location of timecards that have none. */
  readonly mainLocationId: string;
  readonly employeeId?: string | undefined;
  readonly days: readonly LocationDay[];
  /** Until when an open timecard counts. */
  readonly now: Instant;
}

/**
 * The part of each timecard that is within each day of its location, added up by employee and day. Days come as rows with exact ends,
 * so that a day is the same here as everywhere else. The condition on the end of a timecard is that of the index timecards_end.
 */
export async function listWorkedDays(sql: Sql, filter: HoursFilter): Promise<WorkedDay[]> {
  const { merchantId, mainLocationId, employeeId, days, now } = filter;
  if (days.length === 0 || (employeeId !== undefined && !isUuid(employeeId))) return [];
  const begins = days.map(({ begin }) => begin);
  const ends = days.map(({ end }) => end);
  return sql<WorkedDay[]>`
    select
      employee_id,
      days.day,
      sum(extract(epoch from least(ended_at, days.end_at) - greatest(clockin_at, days.begin_at)) * 1000)::bigint as worked_ms,
      bool_or(is_open and days.begin_at <= ${now} and days.end_at > ${now}) as is_clocked_in
    from (
      select
        employee_id,
        coalesce(clockin_location_id, ${mainLocationId}) as location_id,
        clockin_at,
        coalesce(clockout_at, ${now}::timestamptz) as ended_at,
        clockout_at is null as is_open
      from timecards
      where merchant_id = ${merchantId} and not deleted
        and clockin_at < ${Math.max(...ends) as Instant}
        and coalesce(clockout_at, timestamptz '9999-12-31 23:59:59.999+00') > ${Math.min(...begins) as Instant}
        ${employeeId === undefined ? sql`` : sql`and employee_id = ${employeeId}`}
    ) card
    join unnest(
      ${days.map(({ locationId }) => locationId)}::text[], ${days.map(({ day }) => day)}::text[],
      ${begins.map(toTimestamp)}::text[]::timestamptz[], ${ends.map(toTimestamp)}::text[]::timestamptz[]
    ) as days (location_id, day, begin_at, end_at)
      on days.location_id = card.location_id
      and least(ended_at, days.end_at) > greatest(clockin_at, days.begin_at)
    group by employee_id, days.day
    order by employee_id, days.day`;
}
