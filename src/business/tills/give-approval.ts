/** Gives an approval online: the server checks a passcode that was typed for it (decision 0207). */
import type { Approval } from '../../access/devices/approval-model.js';
import { recordApproval } from '../../access/devices/approvals.js';
import { verifyEmployee } from '../../access/devices/employee-sign-in.js';
import { parseSigningKey } from '../../access/devices/signing-keys.js';
import type { DeviceContext } from '../../api/operation.js';
import { Refusal } from '../../base/errors.js';
import { listTeam } from '../attendants/queries.js';
import { showSale } from './actions.js';
import { APPROVED_PERMISSION } from './approval.js';

export interface ApprovalGift extends Pick<Approval, 'employeeId' | 'operation' | 'saleId' | 'amount'> {
  readonly passcode: string;
  readonly signingKey: string | undefined;
}

export async function giveApproval(context: DeviceContext, input: ApprovalGift): Promise<Approval> {
  const { signingKey, operation, saleId, amount } = input;
  const publicKey = signingKey === undefined ? undefined : parseSigningKey(signingKey, 'signing_key');
  const employee = await verifyEmployee(context, input);
  await requirePermission(context, employee.employeeId);
  // A new sale has only the id that the register chose, which nobody knows yet.
  if (operation === 'editSale') await showSale(context, saleId);
  return recordApproval(context, employee, { operation, saleId, amount, publicKey });
}

async function requirePermission({ database, merchant, device }: DeviceContext, employeeId: string): Promise<void> {
  const [member] = await listTeam(database.sql, merchant.id, { locationId: device.locationId, employeeId });
  if (member?.permissions.includes(APPROVED_PERMISSION)) return;
  throw new Refusal('FORBIDDEN', { field: 'employee_id', detail: `It takes somebody with ${APPROVED_PERMISSION}.` });
}
