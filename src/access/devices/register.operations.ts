/** Operations with which a register gets paired, its settings are changed, and employees sign out. */
import { operation } from '../../api/operation.js';
import { SAMPLE_SECRETS, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { about, Bool, choice, model, Nothing, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { hashSecret } from '../../base/secrets.js';
import { printSeconds } from '../../base/time.js';
import { answerPairing, findPairingState, type PairingState, requestPairingCode } from './pairing-codes.js';
import { moveRegisterSessionToEnded } from './queries.js';
import { changeDeviceSettings, DeviceSettings, DeviceSettingsToEdit } from './settings.js';

const PairingStateModel = model('PairingState', {
  state: about(
    'Whether the owner has typed the digits, and the person at the register has agreed.',
    choice(['WAITING', 'ASKED', 'PAIRED', 'EXPIRED']),
  ),
  business_name: about('Who wants to pair this register, if it is ASKED.', optional(Type.String())),
  location_name: about('At which location, if it is ASKED.', optional(Type.String())),
  name: about('What the register would be called, if it is ASKED.', optional(Type.String())),
});

function toPairingState(found: PairingState): Static<typeof PairingStateModel> {
  if (found.state !== 'ASKED') return found;
  const { business, location, name } = found.place;
  return { state: found.state, business_name: business, location_name: location, name };
}

const TokenField = { device_token: about('The token that came with the digits.', text(255, { minLength: 1 })) };

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
      'Says whether the device with this token is paired, still waits, has to be asked, or needs another code. Ask every two seconds.',
    body: Type.Object(TokenField),
    example: { body: { device_token: SAMPLE_SECRETS.device_token } },
    response: PairingStateModel,
    async handle(context, { body: { device_token } }) {
      return toPairingState(await findPairingState(context, device_token));
    },
  }),

  operation({
    surface: 'register',
    name: 'answerPairing',
    method: 'POST',
    path: '/api/register/pairing-codes/answer',
    permission: 'ANYONE',
    summary:
      'Answers for the person at the register, who was asked whether the business may have it. Without agreement the digits stop working.',
    body: Type.Object({ ...TokenField, accept: about('Whether the person agrees.', Bool) }),
    example: { body: { device_token: SAMPLE_SECRETS.device_token, accept: true } },
    response: PairingStateModel,
    async handle(context, { body: { device_token, accept } }) {
      return toPairingState(await answerPairing(context, { deviceToken: device_token, accept }));
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
