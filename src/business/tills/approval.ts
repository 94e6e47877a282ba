/** Somebody else allows what the employee at the register may not do: a restricted discount (decision 0153). */
import { hasSignedInBetween } from '../../access/devices/queries.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { isUuid } from '../../base/ids.js';
import { DAY_MS, instant, MINUTE_MS } from '../../base/time.js';
import { listTeam } from '../attendants/queries.js';
import type { SaleAct } from './actions.js';

const APPROVED = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';

/** How long before a sale its approver may have typed the passcode at this device. */
const APPROVAL_MS = 15 * MINUTE_MS;

/** Offline, the passcode is checked by the device, for those who have signed in at it online within this time (decision 0155). */
const OFFLINE_SIGN_IN_MS = 7 * DAY_MS;

/** The context with the approver's permission. Without an approver, the context as it is. */
export async function withApproval(context: SaleAct, approvedBy: string | undefined): Promise<SaleAct> {
  if (approvedBy === undefined || context.attendant.permissions.has(APPROVED)) return context;
  if (!(await mayApprove(context, approvedBy))) {
    if (context.kept?.isLenient) return context; // the discount is flagged
    throw new Refusal('FORBIDDEN', {
      field: 'approved_by',
      detail: `approved_by must be an employee of this location with ${APPROVED}, who signed in at this device within the last 15 minutes.`,
    });
  }
  const { attendant } = context;
  return { ...context, attendant: { ...attendant, permissions: new Set([...attendant.permissions, APPROVED]) } };
}

async function mayApprove(
  { database, merchant, device, now, at, kept }: SaleAct,
  employeeId: string,
): Promise<boolean> {
  if (!isUuid(employeeId)) return false;
  const [approver] = await listTeam(database.sql, merchant.id, { locationId: device.locationId, employeeId });
  if (!approver?.permissions.includes(APPROVED)) return false;
  // Sign-ins have a real time, and the sale a time of the merchant's clock.
  const soldAt = realNow() - (now - at);
  return hasSignedInBetween(database.sql, {
    ...{ merchantId: merchant.id, deviceId: device.id, employeeId: employeeId.toLowerCase() },
    ...{ from: instant(soldAt - (kept ? OFFLINE_SIGN_IN_MS : APPROVAL_MS)), until: realNow() },
  });
}
