/** Operations with which a register gets paired, and with which employees sign in at it and sign out. */
import { operation } from '../../api/operation.js';
import { choice, model, Nothing, Time, Type, text } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { hashSecret } from '../../base/secrets.js';
import { printSeconds } from '../../base/time.js';
import { signInEmployee } from './employee-sign-in.js';
import { findPairingState, requestPairingCode } from './pairing-codes.js';
import { moveRegisterSessionToEnded } from './queries.js';

export const registerSessionOperations = [
  operation({
    surface: 'register',
    name: 'requestPairingCode',
    method: 'POST',
    path: '/api/register/pairing-codes',
    permission: 'ANYONE',
    summary:
      'Returns a code to show, which the owner types in the dashboard within ten minutes. Keep the device token: it is valid once the device is paired.',
    response: model('PairingCode', { code: Type.String(), device_token: Type.String(), expires_at: Time }),
    async handle(context) {
      const { code, deviceToken, expiresAt } = await requestPairingCode(context);
      return { code, device_token: deviceToken, expires_at: printSeconds(expiresAt) };
    },
  }),

  operation({
    surface: 'register',
    name: 'showPairing',
    method: 'POST',
    path: '/api/register/pairing-codes/state',
    permission: 'ANYONE',
    summary:
      'Says whether the device with this token is paired, still waits, or needs another code. Ask every two seconds.',
    body: Type.Object({ device_token: text(255, { minLength: 1 }) }),
    response: model('PairingState', { state: choice(['WAITING', 'PAIRED', 'EXPIRED']) }),
    async handle(context, { body: { device_token } }) {
      return { state: await findPairingState(context, device_token) };
    },
  }),

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
