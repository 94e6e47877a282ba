/** Operations with which employees sign in at a register and sign out. */
import { operation } from '../../api/operation.js';
import { model, Nothing, Type, text } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { hashSecret } from '../../base/secrets.js';
import { signInEmployee } from './employee-sign-in.js';
import { moveRegisterSessionToEnded } from './queries.js';

export const registerSessionOperations = [
  operation({
    surface: 'register',
    name: 'showDevice',
    method: 'GET',
    path: '/api/register/device',
    permission: 'DEVICE',
    summary: 'Shows the device of the device token.',
    response: model('RegisterDevice', { id: Type.String(), name: Type.String(), location_id: Type.String() }),
    async handle({ device }) {
      return { id: device.id, name: device.name, location_id: device.locationId };
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
    body: Type.Object({ employee_id: text(64, { minLength: 1 }), passcode: text(32, { minLength: 1 }) }),
    response: model('RegisterSession', {
      session: Type.String(),
      employee_id: Type.String(),
      first_name: Type.String(),
      last_name: Type.String(),
    }),
    async handle(context, { body: { employee_id, passcode } }) {
      const { session, employeeId, employee } = await signInEmployee(context, employee_id, passcode);
      return { session, employee_id: employeeId, first_name: employee.firstName, last_name: employee.lastName };
    },
  }),

  operation({
    surface: 'register',
    name: 'signOut',
    method: 'DELETE',
    path: '/api/register/session',
    permission: 'EMPLOYEE',
    summary: 'Signs the employee out.',
    response: Nothing,
    async handle({ database, merchant, session, forget }) {
      await database.statement((tx) => moveRegisterSessionToEnded(tx, merchant.id, hashSecret(session), realNow()));
      forget(merchant.id);
      return {};
    },
  }),
];
