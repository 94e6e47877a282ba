/** Dashboard operations on timecards. */
import { listOperation, operation } from '../../api/operation.js';
import { Flag, Nothing, optional, Time, Type, text } from '../../api/wire.js';
import { parseTime, wholeSecond } from '../../base/time.js';
import { changeTimecard, deleteTimecard } from './actions.js';
import { listTimecards } from './queries.js';
import { fromV1TimecardChanges, toV1Timecard, V1Timecard, V1UpdateTimecardBody } from './v1.view.js';

const TimecardResponse = Type.Object({ timecard: V1Timecard });

export const dashboardTimecardOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listTimecards',
    method: 'GET',
    path: '/api/dashboard/timecards',
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Lists timecards, newest first.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['timecards'] },
    query: Type.Object({ employee_id: optional(text()), deleted: optional(Flag) }),
    item: V1Timecard,
    async handle({ database, merchant }, { query, page }) {
      const { items, next } = await listTimecards(database.sql, {
        merchantId: merchant.id,
        employeeId: query.employee_id,
        deleted: query.deleted,
        order: 'DESC',
        page,
      });
      return { items: items.map(toV1Timecard), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateTimecard',
    method: 'PUT',
    path: '/api/dashboard/timecards/{timecard_id}',
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Changes the given times and locations of a timecard.',
    body: V1UpdateTimecardBody,
    response: TimecardResponse,
    async handle(context, { params: { timecard_id }, body }) {
      const changes = { ...fromV1TimecardChanges(body), kind: 'DASHBOARD_EDIT' as const };
      return { timecard: toV1Timecard(await changeTimecard(context, timecard_id, changes)) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'closeTimecard',
    method: 'POST',
    path: '/api/dashboard/timecards/{timecard_id}/close',
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Clocks out an employee who forgot to clock out, now or at the given time.',
    body: Type.Object({ clockout_time: optional(Time) }),
    response: TimecardResponse,
    async handle(context, { params: { timecard_id }, body: { clockout_time } }) {
      const given = clockout_time === undefined ? undefined : parseTime(clockout_time);
      const clockoutAt = wholeSecond(given ?? context.now);
      const changes = { clockoutAt, kind: 'DASHBOARD_SUPERVISOR_CLOSE', action: 'CLOSE' } as const;
      return { timecard: toV1Timecard(await changeTimecard(context, timecard_id, changes)) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteTimecard',
    method: 'DELETE',
    path: '/api/dashboard/timecards/{timecard_id}',
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Deletes a timecard. It can still be read.',
    response: Nothing,
    async handle(context, { params: { timecard_id } }) {
      await deleteTimecard(context, timecard_id, 'DASHBOARD_DELETE');
      return {};
    },
  }),
];
