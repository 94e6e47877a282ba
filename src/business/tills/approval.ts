/** Somebody else allows what the employee at the register may not do: one sale, up to one amount, once (decision 0207). */
import {
  APPROVAL_MS,
  type ApprovableOperation,
  type Approval,
  type NamedApproval,
  type SignedApproval,
} from '../../access/devices/approval-model.js';
import { readApproval, useApproval } from '../../access/devices/approvals.js';
import { MAX_DELAY_MS } from '../../access/devices/register-writes.js';
import { CLOCK_DIFFERENCE_MS, SIGN_IN_AGE_MS } from '../../access/devices/sign-in-times.js';
import { textOfApproval } from '../../access/devices/signed-text.js';
import { listSigningKeys } from '../../access/devices/signing-key-queries.js';
import { wasSigned } from '../../access/devices/signing-keys.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { isUuid } from '../../base/ids.js';
import type { Amount } from '../../base/money.js';
import { instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { listTeam } from '../attendants/queries.js';
import type { SaleAct } from './actions.js';

export const APPROVED_PERMISSION = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';

/** What has to be allowed now. */
export interface SaleToApprove {
  readonly operation: ApprovableOperation;
  /** The id that the request has for the sale: of a new one, the id that the register chose. */
  readonly saleId: string;
  /** The id of the write that uses the approval. */
  readonly writeId: string;
  readonly amount: Amount;
}

/**
 * Uses the approval in the commit of the sale, and returns who gave it. If it does not allow the sale, it is refused; a sale that has
 * happened offline is flagged instead.
 */
export async function takeApproval(
  change: Change,
  context: SaleAct,
  approval: NamedApproval,
  sale: SaleToApprove,
): Promise<string | undefined> {
  const found = await findApproval(change, context, approval, sale);
  const reason = typeof found === 'string' ? found : await reasonAgainst(context, found, sale);
  if (typeof found !== 'string' && reason === undefined) {
    await useApproval(change, found, sale.writeId);
    return found.employeeId;
  }
  if (context.kept) return undefined;
  throw new Refusal('FORBIDDEN', { field: 'approval', detail: `The approval does not count: ${reason}.` });
}

/** An unused approval, or why there is none. */
async function findApproval(
  change: Change,
  context: SaleAct,
  { id, signed }: NamedApproval,
  sale: SaleToApprove,
): Promise<Approval | string> {
  const known = await readApproval(change, id);
  if (known?.usedBy != null) return 'it was used';
  if (known) return wasGivenInTime(context, known) ? known : 'it is too old';
  if (!signed) return 'nobody gave it';
  return findSigned(context, { id, ...signed }, sale);
}

/** Sign-ins and approvals have a real time, and the sale a time of the merchant's clock. */
function wasGivenInTime({ now, at }: SaleAct, { createdAt }: Approval): boolean {
  const soldAt = realNow() - (now - at);
  return createdAt <= soldAt + CLOCK_DIFFERENCE_MS && createdAt >= soldAt - APPROVAL_MS;
}

async function findSigned(
  { database, merchant, device, now }: SaleAct,
  { id, employeeId: givenId, amount, signature }: SignedApproval & { readonly id: string },
  { operation, saleId }: SaleToApprove,
): Promise<Approval | string> {
  const employeeId = givenId.toLowerCase();
  const since = instant(realNow() - SIGN_IN_AGE_MS - MAX_DELAY_MS);
  const employeeIds = isUuid(employeeId) ? [employeeId] : [];
  const keys = await listSigningKeys(database.sql, merchant.id, device.id, { employeeIds, since });
  const time = signature.time;
  const text = textOfApproval({ deviceId: device.id, employeeId: givenId, time, operation, saleId, id, amount });
  if (!wasSigned(signature, { keys, employeeId, text, now })) return 'nobody signed it for this sale';
  return { id, deviceId: device.id, employeeId, operation, saleId, amount, createdAt: realNow() };
}

async function reasonAgainst(
  { database, merchant, device }: SaleAct,
  approval: Approval,
  { operation, saleId, amount }: SaleToApprove,
): Promise<string | undefined> {
  const isForSale = approval.operation === operation && approval.saleId === saleId;
  if (!isForSale || approval.deviceId !== device.id) return 'it was given for something else';
  if (approval.amount < amount) return `it was given for ${approval.amount}, and ${amount} are taken off`;
  const { employeeId } = approval;
  const [approver] = await listTeam(database.sql, merchant.id, { locationId: device.locationId, employeeId });
  return approver?.permissions.includes(APPROVED_PERMISSION) ? undefined : 'who gave it may not do so';
}
