/** The v1 operations on timecards. */
import { DEPRECATED_IN_2020, listOperation, operation } from '../../api/operation.js';
import { parseSecondRange } from '../../api/ranges.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, Bool, Nothing, optional, Time, Type, text, V1SortOrder } from '../../api/wire.js';
import { notFound, Refusal } from '../../base/errors.js';
import { changeTimecard, createTimecard, deleteTimecard } from './actions.js';
import { findTimecard, listTimecardEvents, listTimecards } from './queries.js';
import {
  fromV1NewTimecard,
  fromV1TimecardChanges,
  toV1Timecard,
  toV1TimecardEvent,
  V1CreateTimecardBody,
  V1Timecard,
  V1TimecardEvent,
  V1UpdateTimecardBody,
} from './v1.view.js';

export const v1TimecardOperations = [
  operation({
    surface: 'v1',
    name: 'createTimecard',
    method: 'POST',
    path: '/v1/me/timecards',
    permission: 'TIMECARDS_WRITE',
    addsNoWork: true,
    requires: 'EMPLOYEE_MANAGEMENT',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Clocks an employee in, or imports a past shift.',
    takesRecord: true,
    body: V1CreateTimecardBody,
    example: {
      body: {
        employee_id: SAMPLE_IDS.employee_id,
        clockin_time: '2026-03-02T16:00:00Z',
        clockin_location_id: SAMPLE_IDS.location_id,
      },
    },
    response: V1Timecard,
    async handle(context, { body }) {
      if (body.clockout_time !== undefined && body.clockin_time === undefined) {
        throw new Refusal('MISSING_REQUIRED_PARAMETER', {
          field: 'clockin_time',
          detail: 'clockin_time is required when clockout_time is given.',
        });
      }
      const card = {
        ...fromV1NewTimecard(body, context.now),
        employeeId: body.employee_id,
        kind: 'API_CREATE' as const,
      };
      const { database, merchant } = context;
      return toV1Timecard(await database.change(merchant.id, (change) => createTimecard(change, context, card)));
    },
  }),

  listOperation({
    surface: 'v1',
    name: 'listTimecards',
    method: 'GET',
    path: '/v1/me/timecards',
    permission: 'TIMECARDS_READ',
    requires: 'EMPLOYEE_MANAGEMENT',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Lists the timecards of the business.',
    page: { token: 'batch_token', limit: { default: 100, max: 200, over: 'refuse' } },
    query: Type.Object({
      order: about('The order of the timecards by the time of creation.', V1SortOrder),
      employee_id: about('Only timecards of this employee.', optional(text())),
      begin_clockin_time: about(
        'Only timecards with a clock-in since this time. Ascending lists include the time itself.',
        optional(Time),
      ),
      end_clockin_time: about(
        'Only timecards with a clock-in until this time. Descending lists include the time itself.',
        optional(Time),
      ),
      begin_clockout_time: about(
        'Only timecards with a clock-out since this time. Ascending lists include the time itself.',
        optional(Time),
      ),
      end_clockout_time: about(
        'Only timecards with a clock-out until this time. Descending lists include the time itself.',
        optional(Time),
      ),
      begin_updated_at: about(
        'Only timecards that were changed since this time. Ascending lists include the time itself.',
        optional(Time),
      ),
      end_updated_at: about(
        'Only timecards that were changed until this time. Descending lists include the time itself.',
        optional(Time),
      ),
      deleted: about('Whether only deleted timecards are listed, or only the others.', optional(Bool)),
    }),
    item: V1Timecard,
    async handle({ database, merchant }, { query, page }) {
      const order = query.order ?? 'ASC';
      const { items, next } = await listTimecards(database.sql, {
        merchantId: merchant.id,
        employeeId: query.employee_id,
        clockin: parseSecondRange(query, ['begin_clockin_time', 'end_clockin_time'], order),
        clockout: parseSecondRange(query, ['begin_clockout_time', 'end_clockout_time'], order),
        updated: parseSecondRange(query, ['begin_updated_at', 'end_updated_at'], order),
        deleted: query.deleted,
        order,
        page,
      });
      return { items: items.map(toV1Timecard), next };
    },
  }),

  operation({
    surface: 'v1',
    name: 'retrieveTimecard',
    method: 'GET',
    path: '/v1/me/timecards/{timecard_id}',
    permission: 'TIMECARDS_READ',
    requires: 'EMPLOYEE_MANAGEMENT',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Shows one timecard, deleted or not.',
    response: V1Timecard,
    async handle({ database, merchant }, { params: { timecard_id } }) {
      const card = await findTimecard(database.sql, merchant.id, timecard_id);
      if (!card) throw notFound('timecard', timecard_id);
      return toV1Timecard(card);
    },
  }),

  operation({
    surface: 'v1',
    name: 'updateTimecard',
    method: 'PUT',
    path: '/v1/me/timecards/{timecard_id}',
    permission: 'TIMECARDS_WRITE',
    addsNoWork: true,
    requires: 'EMPLOYEE_MANAGEMENT',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Clocks an employee out, or changes the given fields.',
    takesRecord: true,
    body: V1UpdateTimecardBody,
    example: {
      body: { clockout_time: '2026-03-02T17:00:00Z', clockout_location_id: SAMPLE_IDS.location_id },
    },
    response: V1Timecard,
    async handle(context, { params: { timecard_id }, body }) {
      const changes = { ...fromV1TimecardChanges(body), kind: 'API_EDIT' as const };
      return toV1Timecard(await changeTimecard(context, timecard_id, changes));
    },
  }),

  operation({
    surface: 'v1',
    name: 'deleteTimecard',
    method: 'DELETE',
    path: '/v1/me/timecards/{timecard_id}',
    permission: 'TIMECARDS_WRITE',
    requires: 'EMPLOYEE_MANAGEMENT',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Deletes a timecard. It can still be read.',
    response: Nothing,
    async handle(context, { params: { timecard_id } }) {
      await deleteTimecard(context, timecard_id, 'API_DELETE');
      return {};
    },
  }),

  operation({
    surface: 'v1',
    name: 'listTimecardEvents',
    method: 'GET',
    path: '/v1/me/timecards/{timecard_id}/events',
    permission: 'TIMECARDS_READ',
    requires: 'EMPLOYEE_MANAGEMENT',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Lists the events of a timecard, oldest first.',
    response: Type.Array(V1TimecardEvent),
    async handle({ database, merchant }, { params: { timecard_id } }) {
      const events = await listTimecardEvents(database.sql, merchant.id, timecard_id);
      if (!events) throw notFound('timecard', timecard_id);
      return events.map(toV1TimecardEvent);
    },
  }),
];
