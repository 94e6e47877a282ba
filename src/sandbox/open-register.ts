/** Opens a register for a developer: a paired device at which a new employee is signed in. */
import { openRegisterSession } from '../access/devices/employee-sign-in.js';
import { pairDevice } from '../access/devices/pairing.js';
import { insertPasscode } from '../access/devices/queries.js';
import { hashPasscode } from '../access/passwords.js';
import type { ServerContext } from '../api/operation.js';
import { nowOn, realNow } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { type Instant, wholeSecond } from '../base/time.js';
import { insertEmployee } from '../business/employees/queries.js';
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

interface NewRegister {
  /** Default: the first location. */
  readonly location_id?: string | undefined;
  readonly name?: string | undefined;
  /** Of the new employee. Default: none. */
  readonly passcode?: string | undefined;
}

export async function openRegister(
  context: ServerContext,
  merchantId: string,
  { location_id, name = 'Register', passcode }: NewRegister,
) {
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
}
