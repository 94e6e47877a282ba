/** The v2 view of timecards, which v2 calls shifts. */
import {
  about,
  Bool,
  choice,
  Day,
  model,
  optional,
  type Static,
  Time,
  Type,
  text,
  wholeNumber,
} from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { SHIFT_SORT_FIELDS, type Timecard, WORKDAY_MATCHERS } from './model.js';

/** Timecards have no breaks, but clients iterate over the list without a check, so it is present and empty. */
const Break = model('Break', {
  id: about('The id of the break.', optional(Type.String())),
  start_at: about('When the break began.', Time),
  end_at: about('When the break ended.', optional(Time)),
  break_type_id: about('The kind of break.', Type.String()),
  name: about('The name of the break.', Type.String()),
  expected_duration: about('How long the break should be, as an ISO 8601 duration.', Type.String()),
  is_paid: about('Whether the break is paid.', Bool),
});

export const LaborShift = model('Shift', {
  id: about('The id of the shift.', Type.String()),
  employee_id: about('The employee who worked.', Type.String()),
  team_member_id: about('The employee who worked, as newer clients name it.', Type.String()),
  location_id: about('Where the employee began to work.', Type.String()),
  timezone: about('The time zone of the location.', Type.String()),
  start_at: about('When the employee began to work.', Time),
  end_at: about('When the employee stopped. Absent while the employee works.', optional(Time)),
  breaks: about('The breaks of the shift. Tillhouse records none.', Type.Array(Break)),
  status: about('Whether the employee still works.', choice(['OPEN', 'CLOSED'])),
  created_at: about('When the shift was created.', Time),
  updated_at: about('When the shift was last changed.', Time),
});

const MAX_IDS = 200;
const ids = optional(Type.Array(text(), { maxItems: MAX_IDS }));
const range = optional(
  Type.Object({
    start_at: about('The beginning of the range. It is included.', optional(Time)),
    end_at: about('The end of the range. It is not included.', optional(Time)),
  }),
);
const day = optional(Day);

export const SearchShiftsBody = Type.Object({
  limit: about('The maximum number of shifts on a page.', optional(wholeNumber(0, 200))),
  cursor: about('The token of a further page, from the previous response.', optional(text(4096))),
  query: about(
    'What to search for.',
    optional(
      Type.Object({
        filter: about(
          'Which shifts are listed. Default: all.',
          optional(
            Type.Object({
              location_ids: about('Only shifts at these locations.', ids),
              employee_ids: about('Only shifts of these employees.', ids),
              team_member_ids: about('Only shifts of these employees, as newer clients name them.', ids),
              status: about('Only shifts with this status.', optional(choice(['OPEN', 'CLOSED']))),
              start: about('Only shifts that began in this range.', range),
              end: about('Only shifts that ended in this range.', range),
              workday: about(
                'Only shifts of these days, in the time of each location.',
                optional(
                  Type.Object({
                    date_range: about(
                      'The days.',
                      Type.Object({ start_date: about('The first day.', day), end_date: about('The last day.', day) }),
                    ),
                    match_shifts_by: about(
                      'Which time of a shift must be within the days.',
                      optional(choice(WORKDAY_MATCHERS)),
                    ),
                    default_timezone: about('Accepted and ignored: every location has a time zone.', optional(text())),
                  }),
                ),
              ),
            }),
          ),
        ),
        sort: about(
          'The order of the list.',
          optional(
            Type.Object({
              field: about('What the list is sorted by.', optional(choice(SHIFT_SORT_FIELDS))),
              order: about('The order of the list.', optional(choice(['ASC', 'DESC']))),
            }),
          ),
        ),
      }),
    ),
  ),
});

/** A shift without a location belongs to the main location. */
export function toLaborShift(
  card: Timecard,
  { locations }: Pick<CallerMerchant, 'locations'>,
): Static<typeof LaborShift> {
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
