/** Operations with which employees see who works at a register, and sign in at it. */
import { noLongerAllowed, signInEmployee } from '../../access/devices/employee-sign-in.js';
import { type DeviceContext, operation } from '../../api/operation.js';
import { SAMPLE_IDS, SAMPLE_PASSCODE } from '../../api/sample-ids.js';
import { about, optional, Type, text } from '../../api/wire.js';
import { listTeam, type TeamMember } from './queries.js';
import {
  NewRegisterSession,
  RegisterEmployee,
  RegisterSession,
  toRegisterEmployee,
  toRegisterSession,
} from './register.view.js';

/** Checks again, because an employee who signed in a moment ago may no longer be allowed to work here. */
async function requireMember({ database, merchant, device }: DeviceContext, employeeId: string): Promise<TeamMember> {
  const { locationId } = device;
  const [member] = await listTeam(database.sql, merchant.id, { locationId, employeeId });
  if (!member) throw noLongerAllowed();
  return member;
}

export const registerAttendantOperations = [
  operation({
    surface: 'register',
    name: 'listTeam',
    method: 'GET',
    path: '/api/register/team',
    permission: 'DEVICE',
    summary: "Lists the active employees who may work at the device's location, by name, with what each may do.",
    response: Type.Object({
      employees: about('The employees who may work at this location.', Type.Array(RegisterEmployee)),
    }),
    async handle({ database, merchant, device: { locationId } }) {
      return { employees: (await listTeam(database.sql, merchant.id, { locationId })).map(toRegisterEmployee) };
    },
  }),

  operation({
    surface: 'register',
    name: 'signIn',
    method: 'POST',
    path: '/api/register/session',
    permission: 'DEVICE',
    summary:
      'Signs an employee in. Send the returned `session` in the header Tillhouse-Employee-Session of later requests.',
    body: Type.Object({
      employee_id: about('Who signs in.', text(64, { minLength: 1 })),
      passcode: about('The passcode of the employee.', text(32, { minLength: 1 })),
      signing_key: about(
        'The public key of a new pair (ECDSA with P-256, SPKI in base64), with which the employee signs what the register does offline.',
        optional(text(255, { minLength: 1 })),
      ),
    }),
    example: { body: { employee_id: SAMPLE_IDS.employee_id, passcode: SAMPLE_PASSCODE } },
    response: NewRegisterSession,
    async handle(context, { body: { employee_id, passcode, signing_key } }) {
      const given = { employeeId: employee_id, passcode, signingKey: signing_key };
      const { session, employeeId } = await signInEmployee(context, given);
      return { session, ...toRegisterSession(await requireMember(context, employeeId), context.now) };
    },
  }),

  operation({
    surface: 'register',
    name: 'showSession',
    method: 'GET',
    path: '/api/register/session',
    permission: 'EMPLOYEE',
    summary: 'Shows who is signed in, and what the employee may do.',
    response: RegisterSession,
    async handle(context) {
      return toRegisterSession(await requireMember(context, context.attendant.employeeId), context.now);
    },
  }),
];
