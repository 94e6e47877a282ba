/** Stores what somebody allowed at a register, and that a write used it (decision 0207). */
import type { DeviceContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { DAY_MS, instant } from '../../base/time.js';
import { type Change, changeIn } from '../../database/change.js';
import { toTimestamp } from '../../database/database.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import type { Approval } from './approval-model.js';
import { noLongerAllowed, type VerifiedEmployee } from './employee-sign-in.js';
import { insertSigningKey } from './signing-key-queries.js';
import { registerApprovals, type StoredApproval } from './table.js';

/** Nothing can name an older approval any more. */
const KEPT_MS = 11 * DAY_MS;

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
    await changeIn(tx, merchant.id, (change) => addApproval(change, { ...approval, usedBy: null, usedAt: null }));
    await recordAudit(tx, { kind: 'APPROVAL_GIVEN', ...actorOf(context), employeeId, details });
  });
  return approval;
}

/** Finds an approval that was given online, or was used. The change depends on it, also if there is none. */
export async function readApproval(change: Change, id: string): Promise<StoredApproval | undefined> {
  return change.read(registerApprovals, { id });
}

/** Also deletes approvals that nothing can name any more. */
function addApproval(change: Change, approval: StoredApproval): void {
  const before = instant(approval.createdAt - KEPT_MS);
  change.call('delete_old_approvals', { before: toTimestamp(before) });
  change.insert(registerApprovals, approval);
}

/** In the commit of the write. If another write uses it at the same time, one of them is decided again. */
export async function useApproval(change: Change, approval: Approval, writeId: string): Promise<void> {
  const known = await readApproval(change, approval.id);
  const used = { ...approval, usedBy: writeId, usedAt: realNow() };
  if (known) change.save(registerApprovals, known, used);
  else addApproval(change, used); // it was signed offline
}
