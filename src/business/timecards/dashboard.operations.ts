/** Dashboard operations on timecards and hours. */
import { listOperation, type MerchantContext, operation } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { SAMPLE_IDS, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { about, Bool, Day, Nothing, optional, Time, Type, text, Version } from '../../api/wire.js';
import { notFound, requireFound } from '../../base/errors.js';
import { FIRST_INSTANT, type Instant, instant, parseTime, wholeSecond } from '../../base/time.js';
import { requireLocation } from '../../identity/locations.js';
import { findEmployee } from '../employees/queries.js';
import { changeTimecard, createTimecard, deleteTimecard } from './actions.js';
import {
  DashboardTimecard,
  HoursResponse,
  NewTimecardBody,
  TimecardEditBody,
  toDashboardTimecard,
  toHours,
} from './dashboard.view.js';
import { daysAt, parseDays } from './hours.js';
import { listWorkedDays } from './hours-queries.js';
import { findTimecard, listTimecardEvents, listTimecards } from './queries.js';
import { fromV1NewTimecard, fromV1TimecardChanges, toV1TimecardEvent, V1TimecardEvent } from './v1.view.js';

const PATH = '/api/dashboard/timecards';
const TimecardResponse = Type.Object({ timecard: about('The timecard after the change.', DashboardTimecard) });

/** Timecards without a location belong to the main location. */
function mainLocationOf({ merchant }: MerchantContext): { readonly id: string; readonly timezone: string } {
  return requireFound(merchant.locations[0], 'the main location');
}

/** A list in descending order excludes the beginning of a range and includes its end; times have whole seconds. */
function justBefore(time: Instant | undefined): Instant | undefined {
  return time === undefined ? undefined : instant(Math.max(time - 1, FIRST_INSTANT));
}

/** As it is after a write: with its new version. */
async function showTimecard({ database, merchant }: MerchantContext, timecardId: string) {
  const card = await findTimecard(database.sql, merchant.id, timecardId);
  if (!card) throw notFound('timecard', timecardId);
  return { timecard: toDashboardTimecard(card) };
}

export const dashboardTimecardOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listTimecards',
    method: 'GET',
    path: PATH,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Lists timecards, newest first, by employee, location and time of clocking in.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['timecards'] },
    query: Type.Object({
      employee_id: about('Only timecards of this employee.', optional(text())),
      location_id: about('Only timecards that began at this location.', optional(text())),
      begin_time: about('Only timecards that began at this time or later.', optional(Time)),
      end_time: about('Only timecards that began before this time.', optional(Time)),
      deleted: about('True: only deleted timecards. False: only others. Default: both.', optional(Bool)),
    }),
    item: DashboardTimecard,
    async handle(context, { query, page }) {
      const { database, merchant } = context;
      const { location_id: locationId } = query;
      // The beginning is included and the end is not, in any order, so that consecutive days do not overlap.
      const { begin, end } = parseRange(query, 'begin_time', 'end_time');
      const { items, next } = await listTimecards(database.sql, {
        merchantId: merchant.id,
        employeeId: query.employee_id,
        location: locationId === undefined ? undefined : { locationId, mainLocationId: mainLocationOf(context).id },
        clockin: { begin: justBefore(begin), end: justBefore(end) },
        deleted: query.deleted,
        order: 'DESC',
        page,
      });
      return { items: items.map(toDashboardTimecard), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'createTimecard',
    method: 'POST',
    path: PATH,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Creates a timecard. Without a clock-out the employee is clocked in.',
    body: NewTimecardBody,
    example: {
      body: {
        employee_id: SAMPLE_IDS.employee_id,
        clockin_time: '2026-03-02T14:00:00Z',
        clockin_location_id: SAMPLE_IDS.location_id,
      },
    },
    response: TimecardResponse,
    async handle(context, { body }) {
      const { database, merchant, now } = context;
      // The published event types have none for a timecard that the owner creates (decision 0149).
      const card = { ...fromV1NewTimecard(body, now), employeeId: body.employee_id, kind: 'DASHBOARD_EDIT' as const };
      const { id } = await database.change(merchant.id, (change) => createTimecard(change, context, card));
      return showTimecard(context, id);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveTimecard',
    method: 'GET',
    path: `${PATH}/{timecard_id}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Shows one timecard, deleted or not, with its history, oldest first.',
    response: Type.Object({
      timecard: about('The timecard.', DashboardTimecard),
      events: about('What was done with the timecard, the first event first.', Type.Array(V1TimecardEvent)),
    }),
    async handle(context, { params: { timecard_id } }) {
      const { database, merchant } = context;
      const events = await listTimecardEvents(database.sql, merchant.id, timecard_id);
      if (!events) throw notFound('timecard', timecard_id);
      return { ...(await showTimecard(context, timecard_id)), events: events.map(toV1TimecardEvent) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateTimecard',
    method: 'PUT',
    path: `${PATH}/{timecard_id}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary:
      'Changes the given times and locations of a timecard. Refused if a version is given that is not the current one.',
    body: TimecardEditBody,
    example: { body: { clockin_time: '2026-03-02T14:30:00Z', version: SAMPLE_VALUES.version } },
    response: TimecardResponse,
    async handle(context, { params: { timecard_id }, body }) {
      const { version } = body;
      const changes = { ...fromV1TimecardChanges(body), version, kind: 'DASHBOARD_EDIT' as const };
      await changeTimecard(context, timecard_id, changes);
      return showTimecard(context, timecard_id);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'closeTimecard',
    method: 'POST',
    path: `${PATH}/{timecard_id}/close`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Clocks out an employee who forgot to clock out, now or at the given time.',
    body: Type.Object({
      clockout_time: about('When the employee stopped. Default: now.', optional(Time)),
      version: optional(Version),
    }),
    example: { body: { clockout_time: '2026-03-02T17:30:00Z', version: SAMPLE_VALUES.version } },
    response: TimecardResponse,
    async handle(context, { params: { timecard_id }, body: { clockout_time, version } }) {
      const given = clockout_time === undefined ? undefined : parseTime(clockout_time);
      const clockoutAt = given && wholeSecond(given);
      const changes = { clockoutAt, version, kind: 'DASHBOARD_SUPERVISOR_CLOSE', action: 'CLOSE' } as const;
      await changeTimecard(context, timecard_id, changes);
      return showTimecard(context, timecard_id);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteTimecard',
    method: 'DELETE',
    path: `${PATH}/{timecard_id}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Deletes a timecard. It can still be read.',
    response: Nothing,
    async handle(context, { params: { timecard_id } }) {
      await deleteTimecard(context, timecard_id, 'DASHBOARD_DELETE');
      return {};
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listHours',
    method: 'GET',
    path: '/api/dashboard/hours',
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Adds up the hours of each employee for each day of the locations. Default: this week, from Monday.',
    query: Type.Object({
      begin_date: about('The first day, for example `2026-03-02`. Default: Monday of this week.', optional(Day)),
      end_date: about('The last day. Default: Sunday of the same week.', optional(Day)),
      employee_id: about('Only hours of this employee.', optional(text())),
      location_id: about('Only hours at this location.', optional(text())),
    }),
    response: HoursResponse,
    async handle(context, { query }) {
      const { database, merchant, now } = context;
      const { employee_id: employeeId, location_id: locationId } = query;
      if (locationId !== undefined) requireLocation(merchant, locationId, 'location_id');
      if (employeeId !== undefined && !(await findEmployee(database.sql, merchant.id, employeeId))) {
        throw notFound('employee', employeeId, 'employee_id');
      }
      const main = mainLocationOf(context);
      const range = parseDays(query, { timezone: main.timezone, now });
      const locations = merchant.locations.filter(({ id }) => locationId === undefined || id === locationId);
      const days = daysAt(locations, range);
      const filter = { merchantId: merchant.id, mainLocationId: main.id, employeeId, days, now };
      return toHours(await listWorkedDays(database.sql, filter), range);
    },
  }),
];
