/** The v1 view of timecards and their events. */
import { about, Bool, choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { type Instant, parseTime, printSeconds, SECOND_MS, wholeSecond } from '../../base/time.js';
import {
  TIMECARD_EVENT_KINDS,
  type Timecard,
  type TimecardChanges,
  type TimecardEvent,
  type TimecardTimes,
} from './model.js';

export const V1Timecard = model('V1Timecard', {
  id: about('The id of the timecard.', Type.String()),
  employee_id: about('The employee who worked.', Type.String()),
  deleted: about('Whether the timecard was deleted.', Bool),
  clockin_time: about('When the employee began to work.', Time),
  clockout_time: about('When the employee stopped. Absent while the employee works.', optional(Time)),
  clockin_location_id: about('Where the employee began to work.', optional(Type.String())),
  clockout_location_id: about('Where the employee stopped.', optional(Type.String())),
  created_at: about('When the timecard was created.', Time),
  updated_at: about('When the timecard was last changed.', Time),
  regular_seconds_worked: about('The seconds that are paid at the regular rate.', Type.Number()),
  overtime_seconds_worked: about('The seconds that are paid as overtime.', Type.Number()),
  doubletime_seconds_worked: about('The seconds that are paid twice.', Type.Number()),
});

export const V1TimecardEvent = model('V1TimecardEvent', {
  id: about('The id of the event.', Type.String()),
  event_type: about('What was done with the timecard, and where.', choice(TIMECARD_EVENT_KINDS)),
  clockin_time: about('The clock-in time after the event.', Time),
  clockout_time: about('The clock-out time after the event.', optional(Time)),
  created_at: about('When it was done.', Time),
});

export const TIMECARD_FIELDS = {
  clockin_time: about('When the employee began to work.', optional(Time)),
  clockout_time: about('When the employee stopped.', optional(Time)),
  clockin_location_id: about('Where the employee began to work.', optional(text())),
  clockout_location_id: about('Where the employee stopped.', optional(text())),
};

export const V1UpdateTimecardBody = Type.Object({
  employee_id: about('The employee who worked. It cannot be changed.', optional(text())),
  ...TIMECARD_FIELDS,
});

export const V1CreateTimecardBody = Type.Object({
  employee_id: about('The employee who worked.', text()),
  ...TIMECARD_FIELDS,
});

/** Times are stored in whole seconds, as v1 shows them, so a client that sends a time back changes nothing. */
function parseOptionalTime(time: string | undefined): Instant | undefined {
  const at = time === undefined ? undefined : parseTime(time);
  return at === undefined ? undefined : wholeSecond(at);
}

export function fromV1TimecardChanges(body: Static<typeof V1UpdateTimecardBody>): TimecardChanges {
  return {
    employeeId: body.employee_id,
    clockinAt: parseOptionalTime(body.clockin_time),
    clockoutAt: parseOptionalTime(body.clockout_time),
    clockinLocationId: body.clockin_location_id,
    clockoutLocationId: body.clockout_location_id,
  };
}

export function fromV1NewTimecard(
  body: Omit<Static<typeof V1CreateTimecardBody>, 'employee_id'>,
  now: Instant,
): TimecardTimes {
  return {
    clockinAt: parseOptionalTime(body.clockin_time) ?? wholeSecond(now),
    clockoutAt: parseOptionalTime(body.clockout_time) ?? null,
    clockinLocationId: body.clockin_location_id ?? null,
    clockoutLocationId: body.clockout_location_id ?? null,
  };
}

export function toV1Timecard(card: Timecard): Static<typeof V1Timecard> {
  return {
    id: card.id,
    employee_id: card.employeeId,
    deleted: card.deleted,
    clockin_time: printSeconds(card.clockinAt),
    ...(card.clockoutAt !== null && { clockout_time: printSeconds(card.clockoutAt) }),
    ...present({ clockin_location_id: card.clockinLocationId, clockout_location_id: card.clockoutLocationId }),
    created_at: printSeconds(card.createdAt),
    updated_at: printSeconds(card.updatedAt),
    // All working time is regular; overtime is not computed (decision 0021).
    regular_seconds_worked: card.clockoutAt === null ? 0 : (card.clockoutAt - card.clockinAt) / SECOND_MS,
    overtime_seconds_worked: 0,
    doubletime_seconds_worked: 0,
  };
}

export function toV1TimecardEvent(event: TimecardEvent): Static<typeof V1TimecardEvent> {
  return {
    id: event.id,
    event_type: event.kind,
    clockin_time: printSeconds(event.clockinAt),
    ...(event.clockoutAt !== null && { clockout_time: printSeconds(event.clockoutAt) }),
    created_at: printSeconds(event.createdAt),
  };
}
