/** Operations with which the owner pairs devices and sets the passcodes of employees. */

import { operation } from '../../api/operation.js';
import { SAMPLE_IDS, SAMPLE_PASSCODE, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { about, Bool, model, Nothing, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { notFound } from '../../base/errors.js';
import { isUuid } from '../../base/ids.js';
import { printSeconds } from '../../base/time.js';
import { actorOf, changeAudited, recordAudit } from '../../identity/audit.js';
import { issueCredentials } from '../../identity/directory.js';
import { requireLocationInBody } from '../../identity/locations.js';
import { hashPasscode } from '../passwords.js';
import { pairDevice } from './pairing.js';
import { askToPair } from './pairing-codes.js';
import { insertPasscode, listDevices, moveDeviceToUnpaired, updateDeviceName } from './queries.js';
import type { DeviceRecord } from './table.js';

const Device = model('PairedDevice', {
  id: about('The id of the device.', Type.String()),
  name: about('What people call the register.', Type.String()),
  location_id: about('Where the register stands.', Type.String()),
  paired: about('Whether the device may still call the server.', Bool),
  created_at: about('When the device was paired.', Time),
  last_seen_at: about(
    'When the device last called the server, to within a few minutes. Absent if it has not called yet.',
    optional(Time),
  ),
});

function toDevice({ id, name, locationId, createdAt, unpairedAt, lastSeenAt }: DeviceRecord): Static<typeof Device> {
  return {
    id,
    name,
    location_id: locationId,
    paired: unpairedAt === null,
    created_at: printSeconds(createdAt),
    ...(lastSeenAt !== null && { last_seen_at: printSeconds(lastSeenAt) }),
  };
}

const NewDevice = {
  name: about('What people call the register.', text(255, { minLength: 1 })),
  location_id: about('Where the register stands.', text(64, { minLength: 1 })),
};

export const dashboardDeviceOperations = [
  operation({
    surface: 'dashboard',
    name: 'pairDevice',
    method: 'POST',
    path: '/api/dashboard/devices',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Pairs a device with a location. The device token is shown only once.',
    body: Type.Object(NewDevice),
    example: { body: { name: 'Counter', location_id: SAMPLE_IDS.location_id } },
    response: Type.Object({
      device: about('The paired device.', Device),
      device_token: about('The token of the device. Shown only here.', Type.String()),
    }),
    async handle(context, { body: { name, location_id } }) {
      const { database, merchant } = context;
      requireLocationInBody(merchant, location_id, 'location_id');
      const { device, token } = await issueCredentials(database, async (issuing) => {
        const paired = await pairDevice(issuing, merchant.id, { name, locationId: location_id });
        await recordAudit(issuing.tx, { kind: 'DEVICE_PAIRED', ...actorOf(context), deviceId: paired.device.id });
        return paired;
      });
      return { device: toDevice(device), device_token: token };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'pairDeviceByCode',
    method: 'POST',
    path: '/api/dashboard/pairings',
    permission: 'OWNER',
    recentSignIn: true,
    summary:
      'Asks the register that shows this code whether it may be paired with a location. It is paired once the person there agrees. A code can be used once, within ten minutes.',
    body: Type.Object({
      ...NewDevice,
      code: about(
        'The six digits that the register shows.',
        Type.String({ pattern: '^[0-9]{3}[ -]?[0-9]{3}$', examples: ['123456'] }),
      ),
    }),
    example: { body: { name: 'Counter', location_id: SAMPLE_IDS.location_id, code: SAMPLE_VALUES.pairing_code } },
    response: Type.Object({
      device: about('The device as it will be listed once it is paired.', Device),
      expires_at: about('Until when the person at the register can agree.', Time),
    }),
    async handle(context, { body: { code, name, location_id } }) {
      requireLocationInBody(context.merchant, location_id, 'location_id');
      const asked = await askToPair(context, { code, name, locationId: location_id });
      return { device: { ...toDevice(asked), paired: false }, expires_at: printSeconds(asked.expiresAt) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'renameDevice',
    method: 'PUT',
    path: '/api/dashboard/devices/{device_id}',
    permission: 'OWNER',
    summary: 'Gives a device another name.',
    body: Type.Object({ name: NewDevice.name }),
    example: { body: { name: 'Front counter' } },
    response: Type.Object({ device: about('The device with its new name.', Device) }),
    async handle(context, { params: { device_id }, body: { name } }) {
      const { database, merchant, invalidateCredentials } = context;
      const entry = { kind: 'DEVICE_RENAMED', ...actorOf(context), deviceId: device_id, details: { name } } as const;
      const renamed = await changeAudited(
        database,
        entry,
        async (tx) => (await updateDeviceName(tx, merchant.id, device_id, name)) ?? false,
      );
      if (!renamed) throw notFound('device', device_id);
      invalidateCredentials(merchant.id);
      return { device: toDevice(renamed) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listDevices',
    method: 'GET',
    path: '/api/dashboard/devices',
    permission: 'OWNER',
    summary: 'Lists the devices of the merchant, including unpaired ones, oldest first.',
    response: Type.Object({
      devices: about('All devices of the business, with those that are no longer paired.', Type.Array(Device)),
    }),
    async handle({ database, merchant }) {
      return { devices: (await listDevices(database.sql, merchant.id)).map(toDevice) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'unpairDevice',
    method: 'DELETE',
    path: '/api/dashboard/devices/{device_id}',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Unpairs a device. Its token is revoked and the sessions of employees at it end.',
    response: Nothing,
    async handle(context, { params: { device_id } }) {
      const { database, merchant, invalidateCredentials } = context;
      const entry = { kind: 'DEVICE_UNPAIRED', ...actorOf(context), deviceId: device_id } as const;
      const found = await changeAudited(database, entry, (tx) =>
        moveDeviceToUnpaired(tx, merchant.id, device_id, realNow()),
      );
      if (!found) throw notFound('device', device_id);
      invalidateCredentials(merchant.id);
      return {};
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'setPasscode',
    method: 'PUT',
    path: '/api/dashboard/employees/{employee_id}/passcode',
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    recentSignIn: true,
    summary:
      'Sets the passcode with which an employee signs in at registers. Existing sessions and keys of the employee at registers end.',
    body: Type.Object({
      passcode: about(
        'The digits that the employee types at a register. Each employee of the business has another one.',
        Type.String({ pattern: '^[0-9]{4,12}$' }),
      ),
    }),
    example: { body: { passcode: SAMPLE_PASSCODE } },
    response: Nothing,
    async handle(context, { params: { employee_id }, body: { passcode } }) {
      const { database, merchant, invalidateCredentials, keyedHash } = context;
      const passcodeHash = await hashPasscode(keyedHash, passcode, merchant.id);
      const change = { merchantId: merchant.id, employeeId: employee_id, passcodeHash, at: realNow() };
      const entry = { kind: 'PASSCODE_SET', ...actorOf(context), employeeId: employee_id } as const;
      const found = isUuid(employee_id) && (await changeAudited(database, entry, (tx) => insertPasscode(tx, change)));
      if (!found) throw notFound('employee', employee_id);
      invalidateCredentials(merchant.id);
      return {};
    },
  }),
];
