/** The v1 view of timecards and their events. */
import { choice, Flag, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { type Instant, parseTime, printSeconds, SECOND_MS, wholeSecond } from '../../base/time.js';
import {
  TIMECARD_EVENT_KINDS,
  type Timecard,
  type TimecardChanges,
  type TimecardEvent,
  type TimecardTimes,
} from './model.js';

export const V1Timecard = model('V1Timecard', {
  id: Type.String(),
  employee_id: Type.String(),
  deleted: Flag,
  clockin_time: Time,
  clockout_time: optional(Time),
  clockin_location_id: optional(Type.String()),
  clockout_location_id: optional(Type.String()),
  created_at: Time,
  updated_at: Time,
  regular_seconds_worked: Type.Number(),
  overtime_seconds_worked: Type.Number(),
  doubletime_seconds_worked: Type.Number(),
});

export const V1TimecardEvent = model('V1TimecardEvent', {
  id: Type.String(),
  event_type: choice(TIMECARD_EVENT_KINDS),
  clockin_time: Time,
  clockout_time: optional(Time),
  created_at: Time,
});

export const V1UpdateTimecardBody = Type.Object({
  clockin_time: optional(Time),
  clockout_time: optional(Time),
  clockin_location_id: optional(text()),
  clockout_location_id: optional(text()),
});

export const V1CreateTimecardBody = Type.Object({ employee_id: text(), ...V1UpdateTimecardBody.properties });

/** Times are stored in whole seconds, as v1 shows them, so a client that sends a time back changes nothing. */
function readTime(time: string | undefined): Instant | undefined {
  const at = time === undefined ? undefined : parseTime(time);
  return at === undefined ? undefined : wholeSecond(at);
}

export function fromV1TimecardChanges(body: Static<typeof V1UpdateTimecardBody>): TimecardChanges {
  return {
    clockinAt: readTime(body.clockin_time),
    clockoutAt: readTime(body.clockout_time),
    clockinLocationId: body.clockin_location_id,
    clockoutLocationId: body.clockout_location_id,
  };
}

export function fromV1NewTimecard(body: Static<typeof V1CreateTimecardBody>, now: Instant): TimecardTimes {
  return {
    clockinAt: readTime(body.clockin_time) ?? wholeSecond(now),
    clockoutAt: readTime(body.clockout_time) ?? null,
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
