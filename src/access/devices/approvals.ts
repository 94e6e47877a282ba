/** Stores what somebody allowed at a register, and that a write used it (decision 0207). */
import type { DeviceContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import type { Change } from '../../database/change.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import type { Approval } from './approval-model.js';
import { insertApproval, moveApprovalToUsed } from './approval-queries.js';
import { noLongerAllowed, type VerifiedEmployee } from './employee-sign-in.js';
import { insertSigningKey } from './signing-key-queries.js';

export interface NewApproval extends Pick<Approval, 'operation' | 'saleId' | 'amount'> {
  /** With which the employee may give approvals offline from now on. */
  readonly publicKey: string | undefined;
}

/** The caller has checked that this employee may allow it. */
export async function recordApproval(
  context: DeviceContext,
  { employeeId, passcodeHash }: VerifiedEmployee,
  { publicKey, ...allowed }: NewApproval,
): Promise<Approval> {
  const { database, merchant, device, ids } = context;
  const createdAt = realNow();
  const approval = { id: ids.newUuid(), deviceId: device.id, employeeId, ...allowed, createdAt };
  const { operation, saleId, amount } = allowed;
  const details = { operation, sale_id: saleId, amount: String(amount) };
  await database.transaction(async (tx) => {
    if (publicKey !== undefined) {
      const key = { merchantId: merchant.id, deviceId: device.id, employeeId, publicKey, passcodeHash, createdAt };
      if (!(await insertSigningKey(tx, key))) throw noLongerAllowed();
    }
    await insertApproval(tx, merchant.id, approval);
    await recordAudit(tx, { kind: 'APPROVAL_GIVEN', ...actorOf(context), employeeId, details });
  });
  return approval;
}

/** In the commit of the write. If another write uses it at the same time, one of them is decided again. */
export function useApproval(change: Change, approval: Approval, writeId: string): void {
  moveApprovalToUsed(change, approval, { by: writeId, at: realNow() });
}
