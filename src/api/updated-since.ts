/** Filters v2 lists by time of change, for programs that synchronize, with the parameters of square@46 (decision 0103). */
import { Refusal } from '../base/errors.js';
import { type Instant, printMilliseconds } from '../base/time.js';
import type { ChangeFilter, TimeRange } from '../database/keyset.js';
import { lastYear, lastYearByDefault } from './defaults.js';
import { parseRange } from './ranges.js';
import { about, choice, optional, Time } from './wire.js';

/** The parameters of a list that filters and sorts by time of creation or of the last change. */
export const UPDATED_SINCE_FIELDS = {
  begin_time: about('Only records that were created at this time or later.', optional(Time)),
  end_time: about('Only records that were created before this time.', optional(Time)),
  updated_at_begin_time: about('Only records that were changed at this time or later.', optional(Time)),
  updated_at_end_time: about('Only records that were changed before this time.', optional(Time)),
  sort_field: about(
    'Whether the list is sorted by the time of creation or of the last change.',
    optional(choice(['CREATED_AT', 'UPDATED_AT'])),
  ),
  sort_order: about('The order of the list.', optional(choice(['ASC', 'DESC']))),
};

const UPDATED_AT = ['updated_at_begin_time', 'updated_at_end_time'] as const;

interface UpdatedSinceQuery {
  readonly begin_time?: string | undefined;
  readonly end_time?: string | undefined;
  readonly updated_at_begin_time?: string | undefined;
  readonly updated_at_end_time?: string | undefined;
  readonly sort_field?: 'CREATED_AT' | 'UPDATED_AT' | undefined;
  readonly sort_order?: 'ASC' | 'DESC' | undefined;
}

/**
 * A query for changes defaults to the changes of the last year, to records of any age. Any other query defaults to records
 * created in the last year. Only one of the two ranges gets a default, so that a default never hides a change.
 */
export function resolveUpdatedSince<Query extends UpdatedSinceQuery>(query: Query, now: Instant): Query {
  const { updated_at_begin_time, updated_at_end_time, sort_field } = query;
  if ((updated_at_begin_time ?? updated_at_end_time) === undefined && sort_field !== 'UPDATED_AT') {
    return lastYearByDefault(query, now);
  }
  const { created, updated } = fromUpdatedSinceQuery(query);
  if (created.begin !== undefined && updated.end !== undefined && updated.end <= created.begin) {
    throw new Refusal('INVALID_TIME_RANGE', {
      field: 'updated_at_end_time',
      detail: 'updated_at_end_time must be after begin_time: a record cannot change before it is created.',
    });
  }
  const { begin, end } = updatedRange(updated, now);
  return { ...query, updated_at_begin_time: printMilliseconds(begin), updated_at_end_time: printMilliseconds(end) };
}

/** A program whose clock is ahead of ours asks for changes that are still to come: there are none yet. */
function updatedRange(updated: TimeRange, now: Instant): { readonly begin: Instant; readonly end: Instant } {
  const { begin, end } = updated;
  if (begin !== undefined && begin > now && end === undefined) return { begin, end: begin };
  return lastYear(updated, now, UPDATED_AT);
}

export function fromUpdatedSinceQuery(query: UpdatedSinceQuery): Required<ChangeFilter> {
  return {
    created: parseRange(query, 'begin_time', 'end_time'),
    updated: parseRange(query, ...UPDATED_AT),
    sortBy: query.sort_field === 'UPDATED_AT' ? 'updated_at' : 'created_at',
    order: query.sort_order ?? 'DESC',
  };
}
