/** The v2 operation that searches for shifts. It goes beyond the contract (decision 0103). */
import { operation } from '../../api/operation.js';
import { createSearchPager } from '../../api/pagination.js';
import { parseDayRange, parseRange, toLocationRanges } from '../../api/ranges.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, optional, type Static, Type } from '../../api/wire.js';
import type { TimeRange } from '../../database/keyset.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { type LaborShiftFilter, listLaborShifts } from './labor-shift-queries.js';
import { LaborShift, SearchShiftsBody, toLaborShift } from './v2.view.js';

type Body = Static<typeof SearchShiftsBody>;
type Filter = NonNullable<NonNullable<Body['query']>['filter']>;

const SEARCH = { surface: 'v2', name: 'searchShifts' } as const;
const pager = createSearchPager(
  SEARCH,
  { token: 'cursor', limit: { default: 200, max: 200, over: 'refuse' } },
  SearchShiftsBody,
);

/** An empty list is no filter. */
const nonEmpty = (ids: readonly string[] | undefined) => (ids?.length ? ids : undefined);

function parseTimes(of: 'start' | 'end', given: Filter['start']): TimeRange {
  const [begin, end] = [`query.filter.${of}.start_at`, `query.filter.${of}.end_at`];
  return parseRange({ [begin]: given?.start_at, [end]: given?.end_at }, begin, end);
}

function fromSearchShiftsBody({ query = {} }: Body, merchant: CallerMerchant): Omit<LaborShiftFilter, 'page'> {
  const { filter = {}, sort = {} } = query;
  return {
    merchantId: merchant.id,
    mainLocationId: merchant.locations[0]?.id ?? '',
    locationIds: nonEmpty(filter.location_ids),
    employeeIds: [filter.employee_ids, filter.team_member_ids].flatMap((ids) => (nonEmpty(ids) ? [ids ?? []] : [])),
    isOpen: filter.status === undefined ? undefined : filter.status === 'OPEN',
    start: parseTimes('start', filter.start),
    end: parseTimes('end', filter.end),
    workdays: filter.workday && fromWorkday(filter.workday, merchant),
    sortBy: sort.field ?? 'START_AT',
    order: sort.order ?? 'DESC',
  };
}

/** Days are in the time zone of each location. `default_timezone` is ignored: every location has a time zone. */
function fromWorkday(
  workday: NonNullable<Filter['workday']>,
  { locations }: CallerMerchant,
): LaborShiftFilter['workdays'] {
  const { date_range, match_shifts_by: by = 'START_AT' } = workday;
  const days = parseDayRange(date_range, 'start_date', 'end_date', 'query.filter.workday.date_range.');
  return { by, at: toLocationRanges(locations, days) };
}

export const v2ShiftOperations = [
  operation({
    ...SEARCH,
    method: 'POST',
    path: '/v2/labor/shifts/search',
    permission: 'TIMECARDS_READ',
    addsNoWork: true,
    requires: 'EMPLOYEE_MANAGEMENT',
    beyondContract: true,
    summary: 'Searches for shifts. Shifts are timecards that are not deleted.',
    body: SearchShiftsBody,
    example: {
      body: {
        query: {
          filter: { location_ids: [SAMPLE_IDS.location_id], status: 'CLOSED' },
          sort: { field: 'START_AT', order: 'DESC' },
        },
        limit: 20,
      },
    },
    response: Type.Object({
      shifts: about('The shifts of this page. Absent if there are none.', optional(Type.Array(LaborShift))),
      cursor: about('The token of the next page. Absent on the last page.', optional(Type.String())),
    }),
    async handle({ database, merchant, now }, { body: { limit, ...given } }) {
      const request = pager.read({}, { ...given, ...(limit && { limit }) }, now);
      const filter = { ...fromSearchShiftsBody(request.query as Body, merchant), page: request.page };
      const { items, next } = await listLaborShifts(database.sql, filter).catch((error: unknown) => {
        throw pager.explain(request, error);
      });
      return {
        // Like every empty v2 list (decision 0241).
        ...(items.length > 0 && { shifts: items.map((card) => toLaborShift(card, merchant)) }),
        ...(next && { cursor: pager.next({}, request, next) }),
      };
    },
  }),
];
