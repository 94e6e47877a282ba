/** Register operations to clock in and out. */
import { idUsed, parseOccurredAt, WRITE_FIELDS, writeOnce } from '../../access/devices/register-writes.js';
import { type AttendantContext, operation } from '../../api/operation.js';
import { about, type Static, Type } from '../../api/wire.js';
import { wholeSecond } from '../../base/time.js';
import { clockOut, createTimecard } from './actions.js';
import { toV1Timecard, V1Timecard } from './v1.view.js';

const Body = Type.Object(WRITE_FIELDS);
const TimecardResponse = Type.Object({ timecard: about('The timecard after the write.', V1Timecard) });

/** Anybody may repeat a write of a register, but a timecard is of the employee who sends it. */
function requireOwn<Done extends Static<typeof TimecardResponse>>(
  { attendant }: AttendantContext,
  { id }: Static<typeof Body>,
  done: Done,
): Done {
  if (done.timecard.employee_id === attendant.employeeId) return done;
  throw idUsed(id);
}

export const registerTimecardOperations = [
  operation({
    surface: 'register',
    name: 'clockIn',
    method: 'POST',
    path: '/api/register/timecards/clock-in',
    permission: 'EMPLOYEE',
    addsNoWork: true,
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Clocks the signed-in employee in.',
    body: Body,
    example: { body: { id: 'till-7-0001' } },
    response: TimecardResponse,
    async handle(context, { body }) {
      const { attendant, device } = context;
      const done = await writeOnce(context, { operation: 'clockIn', body }, async (change) => {
        const clockinAt = wholeSecond(parseOccurredAt(context, body.occurred_at));
        const card = await createTimecard(change, context, {
          employeeId: attendant.employeeId,
          clockinAt,
          clockoutAt: null,
          clockinLocationId: device.locationId,
          clockoutLocationId: null,
          kind: 'REGISTER_CLOCKIN',
          anyLocation: context.kept !== undefined,
        });
        return { timecard: toV1Timecard(card) };
      });
      return requireOwn(context, body, done);
    },
  }),

  operation({
    surface: 'register',
    name: 'clockOut',
    method: 'POST',
    path: '/api/register/timecards/clock-out',
    permission: 'EMPLOYEE',
    addsNoWork: true,
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Clocks the signed-in employee out.',
    body: Body,
    example: { body: { id: 'till-7-0002' } },
    response: TimecardResponse,
    async handle(context, { body }) {
      const { attendant, device } = context;
      const done = await writeOnce(context, { operation: 'clockOut', body }, async (change) => {
        const at = parseOccurredAt(context, body.occurred_at);
        const employee = { employeeId: attendant.employeeId, at, locationId: device.locationId };
        return { timecard: toV1Timecard(await clockOut(change, context, employee)) };
      });
      return requireOwn(context, body, done);
    },
  }),
];
