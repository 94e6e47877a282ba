/** Sandbox operations on registers: open one with a signed-in employee, change the register settings. */
import { openRegisterSession } from '../access/devices/employee-sign-in.js';
import { pairDevice } from '../access/devices/pairing.js';
import { insertPasscode } from '../access/devices/queries.js';
import { hashPasscode } from '../access/passwords.js';
import { operation } from '../api/operation.js';
import { about, optional, Type, text } from '../api/wire.js';
import { nowOn, realNow } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { type Instant, wholeSecond } from '../base/time.js';
import { insertEmployee } from '../business/employees/queries.js';
import { setRegisterSettings } from '../business/merchants/actions.js';
import { DiscountSettings } from '../business/merchants/register-settings.view.js';
import { insertRole } from '../business/roles/queries.js';
import type { Tx } from '../database/database.js';
import { recordAudit } from '../identity/audit.js';
import { issueCredentials } from '../identity/directory.js';
import { requireLocationInBody } from '../identity/locations.js';
import { requireMerchantWithLocations } from './actions.js';

/** Creates an employee who has all permissions at a register. */
async function createCashier(tx: Tx, ids: Ids, merchantId: string, at: Instant): Promise<string> {
  const [employeeId, roleId] = [ids.newUuid(), ids.newId(20)];
  const times = { createdAt: at, updatedAt: at };
  await insertRole(tx, merchantId, { id: roleId, name: 'Cashier', permissions: [], isOwner: true, ...times });
  await insertEmployee(tx, merchantId, {
    id: employeeId,
    firstName: 'Casey',
    lastName: 'Cashier',
    email: null,
    phoneNumber: null,
    externalId: null,
    roleId,
    locationIds: [],
    status: 'ACTIVE',
    isOwner: false,
    ...times,
  });
  return employeeId;
}

export const sandboxRegisterOperations = [
  operation({
    surface: 'sandbox',
    name: 'updateRegisterSettings',
    method: 'PUT',
    path: '/api/sandbox/merchants/{merchant_id}/register-settings',
    permission: 'OPERATOR',
    summary: 'Sets whether discounts at the registers of a merchant require REGISTER_APPLY_RESTRICTED_DISCOUNTS.',
    body: DiscountSettings,
    example: { body: { restrict_discounts: true } },
    response: DiscountSettings,
    async handle(context, { params: { merchant_id }, body: { restrict_discounts } }) {
      await setRegisterSettings(context, merchant_id, { restrictsDiscounts: restrict_discounts });
      return { restrict_discounts };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'openRegister',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/registers',
    permission: 'OPERATOR',
    summary: 'Pairs a register and signs in a new employee who has all permissions.',
    body: Type.Object({
      location_id: about(
        'Where the register stands. Default: the first location.',
        optional(text(64, { minLength: 1 })),
      ),
      name: about('The name of the register. Default: `Register`.', optional(text(255, { minLength: 1 }))),
      passcode: about(
        'The passcode of the new employee, for `register.signIn`. Default: none, so only the session works.',
        optional(Type.String({ pattern: '^[0-9]{4,12}$', maxLength: 12 })),
      ),
    }),
    example: { body: { name: 'Counter' } },
    response: Type.Object({
      device_id: about('The id of the paired device.', Type.String()),
      device_token: about(
        'The token of the device. It authorizes calls of the register surface. Shown only here.',
        Type.String(),
      ),
      employee_id: about('The new employee, who has all permissions.', Type.String()),
      session: about(
        'The session of the employee, for the header Tillhouse-Employee-Session. Shown only here.',
        Type.String(),
      ),
    }),
    async handle(context, { params: { merchant_id: merchantId }, body }) {
      const { location_id, name = 'Register', passcode } = body;
      const found = await requireMerchantWithLocations(context, merchantId);
      const locationId = location_id ?? found.locations[0]?.id ?? '';
      requireLocationInBody(found, locationId, 'location_id');
      const at = wholeSecond(nowOn(found.merchant.clock));
      const passcodeHash = passcode === undefined ? undefined : await hashPasscode(context.keyedHash, passcode);
      return issueCredentials(context.database, async (issuing) => {
        const employeeId = await createCashier(issuing.tx, context.ids, merchantId, at);
        if (passcodeHash !== undefined) {
          await insertPasscode(issuing.tx, { merchantId, employeeId, passcodeHash, at: realNow() });
        }
        const { device, token } = await pairDevice(issuing, merchantId, { name, locationId });
        const details = { by: 'operator' };
        await recordAudit(issuing.tx, { kind: 'DEVICE_PAIRED', merchantId, deviceId: device.id, employeeId, details });
        const session = await openRegisterSession(issuing, { merchantId, deviceId: device.id, employeeId });
        return { device_id: device.id, device_token: token, employee_id: employeeId, session };
      });
    },
  }),
];
