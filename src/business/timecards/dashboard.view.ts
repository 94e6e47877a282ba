/** The dashboard's view of timecards, with the version that an editor sends back, and of the hours that employees worked. */
import { about, Bool, model, optional, type Static, Time, Type, text, Version, wholeNumber } from '../../api/wire.js';
import { SECOND_MS } from '../../base/time.js';
import type { WorkedDay } from './model.js';
import type { VersionedTimecard } from './queries.js';
import { TIMECARD_FIELDS, toV1Timecard, V1Timecard, V1UpdateTimecardBody } from './v1.view.js';

export const DashboardTimecard = model('DashboardTimecard', {
  ...V1Timecard.properties,
  version: about('Identifies what the editor sees. Send it with an edit.', Type.String()),
});

/** Without a version, the newest one is changed. */
export const TimecardEditBody = Type.Object({ ...V1UpdateTimecardBody.properties, version: optional(Version) });

export const NewTimecardBody = Type.Object({
  employee_id: about('Who worked.', text(64, { minLength: 1 })),
  ...TIMECARD_FIELDS,
  clockin_time: about('When the employee began to work.', Time),
});

const seconds = about('The time worked, in seconds.', wholeNumber(0, Number.MAX_SAFE_INTEGER));

const WorkedHours = model('WorkedHours', {
  employee_id: about('Who worked.', Type.String()),
  seconds,
  clocked_in: about('Whether the employee is clocked in. The time until now counts.', Bool),
  days: about(
    'The days with work, in the time zone of the location.',
    Type.Array(
      Type.Object({
        date: about('The day, at the location.', Type.String()),
        seconds,
        clocked_in: about('Whether this is the current day and the employee is clocked in.', Bool),
      }),
    ),
  ),
});

export const HoursResponse = Type.Object({
  begin_date: about('The first day.', Type.String()),
  end_date: about('The last day.', Type.String()),
  seconds,
  employees: about('The hours of each employee with any.', Type.Array(WorkedHours)),
});

export function toDashboardTimecard(card: VersionedTimecard): Static<typeof DashboardTimecard> {
  return { ...toV1Timecard(card), version: card.version };
}

/** Employees in the order of the rows, which are sorted by employee and day. */
export function toHours(
  rows: readonly WorkedDay[],
  { first, last }: { readonly first: string; readonly last: string },
): Static<typeof HoursResponse> {
  const byEmployee = new Map<string, Static<typeof WorkedHours>>();
  for (const { employeeId, day, workedMs, isClockedIn } of rows) {
    const worked = Math.floor(workedMs / SECOND_MS);
    const before = byEmployee.get(employeeId);
    byEmployee.set(employeeId, {
      employee_id: employeeId,
      seconds: (before?.seconds ?? 0) + worked,
      clocked_in: (before?.clocked_in ?? false) || isClockedIn,
      days: [...(before?.days ?? []), { date: day, seconds: worked, clocked_in: isClockedIn }],
    });
  }
  const employees = [...byEmployee.values()];
  const total = employees.reduce((sum, each) => sum + each.seconds, 0);
  return { begin_date: first, end_date: last, seconds: total, employees };
}
