/** The v2 view of timecards, which v2 calls shifts. */
import { choice, Flag, model, optional, type Static, Time, Type, text, wholeNumber } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { SHIFT_SORT_FIELDS, type Timecard, WORKDAY_MATCHERS } from './model.js';

/** Timecards have no breaks, but clients iterate over the list without a check, so it is present and empty. */
const Break = model('Break', {
  id: optional(Type.String()),
  start_at: Time,
  end_at: optional(Time),
  break_type_id: Type.String(),
  name: Type.String(),
  expected_duration: Type.String(),
  is_paid: Flag,
});

export const Shift = model('Shift', {
  id: Type.String(),
  employee_id: Type.String(),
  team_member_id: Type.String(),
  location_id: Type.String(),
  timezone: Type.String(),
  start_at: Time,
  end_at: optional(Time),
  breaks: Type.Array(Break),
  status: choice(['OPEN', 'CLOSED']),
  created_at: Time,
  updated_at: Time,
});

const MAX_IDS = 200;
const ids = optional(Type.Array(text(), { maxItems: MAX_IDS }));
const range = optional(Type.Object({ start_at: optional(Time), end_at: optional(Time) }));
const day = optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2020-02-26'] }));

export const SearchShiftsBody = Type.Object({
  limit: optional(wholeNumber(0, 200)),
  cursor: optional(text(4096)),
  query: optional(
    Type.Object({
      filter: optional(
        Type.Object({
          location_ids: ids,
          employee_ids: ids,
          team_member_ids: ids,
          status: optional(choice(['OPEN', 'CLOSED'])),
          start: range,
          end: range,
          workday: optional(
            Type.Object({
              date_range: Type.Object({ start_date: day, end_date: day }),
              match_shifts_by: optional(choice(WORKDAY_MATCHERS)),
              default_timezone: optional(text()),
            }),
          ),
        }),
      ),
      sort: optional(
        Type.Object({ field: optional(choice(SHIFT_SORT_FIELDS)), order: optional(choice(['ASC', 'DESC'])) }),
      ),
    }),
  ),
});

/** A shift without a location belongs to the main location. */
export function toShift(card: Timecard, { locations }: Pick<CallerMerchant, 'locations'>): Static<typeof Shift> {
  const location = locations.find(({ id }) => id === card.clockinLocationId) ?? locations[0];
  return {
    id: card.id,
    employee_id: card.employeeId,
    team_member_id: card.employeeId,
    location_id: location?.id ?? '',
    timezone: location?.timezone ?? '',
    start_at: printSeconds(card.clockinAt),
    ...(card.clockoutAt !== null && { end_at: printSeconds(card.clockoutAt) }),
    breaks: [],
    status: card.clockoutAt === null ? 'OPEN' : 'CLOSED',
    created_at: printSeconds(card.createdAt),
    updated_at: printSeconds(card.updatedAt),
  };
}
