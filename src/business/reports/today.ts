/** Composes the report of today against the same weekday of the week before. */
import type { MerchantContext } from '../../api/operation.js';
import type { Static } from '../../api/wire.js';
import { addDays } from '../../base/days.js';
import { type Instant, printMilliseconds, printSeconds } from '../../base/time.js';
import { printLocal } from '../../base/time-zones.js';
import type { CallerLocation } from '../../identity/caller.js';
import { type TodayReport, toReportFigures, toReportRow } from './dashboard.view.js';
import { addSums, localDay, type ReportLine, type Sums } from './model.js';
import { bucketsOf } from './period.js';
import { listLatestSales, listReportLines, listReportNames } from './queries.js';

const LATEST_SALES = 6;

/** The sums of an hour of a day at one location. */
interface Hour {
  readonly locationId: string;
  readonly hour: number;
  readonly sums: Sums;
}

type Context = Pick<MerchantContext, 'database' | 'merchant' | 'now'>;

/** Today is the calendar day of each location. */
export async function composeToday(context: Context): Promise<Static<typeof TodayReport>> {
  const { database, merchant, now } = context;
  const [main] = merchant.locations;
  if (!main) throw new Error('a merchant must have a location');
  const ids = merchant.locations.map(({ id }) => id);
  const [today, before, names, latest] = await Promise.all([
    listHours(context, 0),
    listHours(context, -7),
    listReportNames(database.sql, merchant.id, 'LOCATION', ids),
    listLatestSales(database.sql, merchant.id, LATEST_SALES),
  ]);
  const untilNow = before.filter(({ locationId, hour }) => hour <= hourAt(merchant.locations, locationId, now));
  const byLocation = (hours: readonly Hour[]) =>
    ids.map((id) =>
      toRow(
        id,
        names.get(id),
        hours.filter(({ locationId }) => locationId === id),
      ),
    );
  const date = localDay(main.timezone, now);
  return {
    currency: merchant.currency,
    now: printSeconds(now),
    date,
    date_before: addDays(date, -7),
    hour: hourAt(merchant.locations, main.id, now),
    total: toTotal(today),
    total_before: toTotal(untilNow),
    by_hour: byHour(today),
    by_hour_before: byHour(before),
    by_location: byLocation(today),
    by_location_before: byLocation(untilNow),
    latest_sales: latest.map(({ id, locationId, kind, createdAt, total, items }) => ({
      id,
      location_id: locationId,
      kind,
      created_at: printMilliseconds(createdAt),
      total,
      ...(items !== null && { items }),
    })),
  };
}

function hourAt(locations: readonly CallerLocation[], locationId: string, now: Instant): number {
  const timezone = locations.find(({ id }) => id === locationId)?.timezone ?? 'UTC';
  return Number(printLocal(timezone, now).slice(11, 13));
}

/** The hours of the day that is `days` after today (negative: before). Locations with the same date share a statement. */
async function listHours({ database, merchant, now }: Context, days: number): Promise<Hour[]> {
  const byDay = new Map<string, string[]>();
  for (const { id, timezone } of merchant.locations) {
    const day = addDays(localDay(timezone, now), days);
    byDay.set(day, [...(byDay.get(day) ?? []), id]);
  }
  const found = await Promise.all(
    [...byDay].map(([day, locationIds]) =>
      listReportLines(database.sql, {
        merchantId: merchant.id,
        locationIds,
        begin: day,
        end: day,
        group: 'LOCATION_HOUR',
      }),
    ),
  );
  return found.flat().map(toHour);
}

function toHour(line: ReportLine): Hour {
  const [locationId = '', hour = ''] = line.key.split(' ');
  return { locationId, hour: Number(hour), sums: line };
}

const sumOf = (hours: readonly Hour[]) => addSums(hours.map(({ sums }) => sums));
const toTotal = (hours: readonly Hour[]) => toReportFigures(sumOf(hours));
const toRow = (key: string, name: string | undefined, hours: readonly Hour[]) =>
  toReportRow({ key, name }, sumOf(hours));

function byHour(hours: readonly Hour[]) {
  return bucketsOf('HOUR', { begin: '', end: '' }).map((key) =>
    toRow(
      key,
      undefined,
      hours.filter(({ hour }) => String(hour) === key),
    ),
  );
}
