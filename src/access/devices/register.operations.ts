/** Operations with which a register gets paired, its settings are changed, and employees sign out. */
import { operation } from '../../api/operation.js';
import { SAMPLE_SECRETS, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { about, choice, model, Nothing, Time, Type, text } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { hashSecret } from '../../base/secrets.js';
import { printSeconds } from '../../base/time.js';
import { findPairingState, requestPairingCode } from './pairing-codes.js';
import { moveRegisterSessionToEnded } from './queries.js';
import { changeDeviceSettings, DeviceSettings, DeviceSettingsToEdit } from './settings.js';

export const registerDeviceOperations = [
  operation({
    surface: 'register',
    name: 'requestPairingCode',
    method: 'POST',
    path: '/api/register/pairing-codes',
    permission: 'ANYONE',
    summary:
      'Returns a code to show, which the owner types in the dashboard within ten minutes. Keep the device token: it is valid once the device is paired.',
    response: model('PairingCode', {
      code: about('The six digits that the owner types in the dashboard.', Type.String()),
      device_token: about('The token of this device, which works once it is paired. Keep it.', Type.String()),
      expires_at: about('When the digits stop working.', Time),
    }),
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
    body: Type.Object({ device_token: about('The token that came with the digits.', text(255, { minLength: 1 })) }),
    example: { body: { device_token: SAMPLE_SECRETS.device_token } },
    response: model('PairingState', {
      state: about('Whether the owner has typed the digits.', choice(['WAITING', 'PAIRED', 'EXPIRED'])),
    }),
    async handle(context, { body: { device_token } }) {
      return { state: await findPairingState(context, device_token) };
    },
  }),

  operation({
    surface: 'register',
    name: 'updateDeviceSettings',
    method: 'PUT',
    path: '/api/register/device/settings',
    permission: 'REGISTER_CHANGE_SETTINGS',
    summary: 'Changes the settings of the device. Refused if they have changed since the given version.',
    body: DeviceSettingsToEdit,
    example: {
      body: {
        version: SAMPLE_VALUES.version,
        name: 'Counter',
        lock_after_seconds: 300,
        show_pictures: true,
        ask_for_tip: false,
      },
    },
    response: Type.Object({ settings: about('How this register behaves.', DeviceSettings) }),
    async handle(context, { body }) {
      return { settings: await changeDeviceSettings(context, body) };
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
    async handle({ database, merchant, session, invalidateCredentials }) {
      await database.statement((tx) => moveRegisterSessionToEnded(tx, merchant.id, hashSecret(session), realNow()));
      invalidateCredentials(merchant.id);
      return {};
    },
  }),
];
