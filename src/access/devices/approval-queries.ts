/** SQL for approvals: what somebody allowed at a register for one sale. */
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import { type Tx, toTimestamp } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { Approval } from './approval-model.js';

/** The write that used it. */
export interface ApprovalUse {
  readonly by: string;
  /** In real time. */
  readonly at: Instant;
}

function toRow({ id, deviceId, employeeId, saleId, createdAt, ...rest }: Approval) {
  return {
    ...{ approval_id: id, device_id: deviceId, employee_id: employeeId, sale_id: saleId },
    ...{ operation: rest.operation, amount: rest.amount, created_at: toTimestamp(createdAt) },
  };
}

export async function insertApproval(tx: Tx, merchantId: string, approval: Approval): Promise<void> {
  await tx`select ${fn(tx, 'record_approval')}(${merchantId}, ${JSON.stringify(toRow(approval))}::text::json)`;
}

/** Finds an approval that was given online, or was used. The change depends on it, also if there is none. */
export async function readApproval(
  change: Change,
  id: string,
): Promise<(Approval & { readonly usedBy: string | null }) | undefined> {
  const { sql, merchantId } = change;
  const [row] = await sql<(Approval & Versioned & { readonly usedBy: string | null })[]>`
    select
      approval_id as id, device_id, employee_id, operation, sale_id, amount, created_at, used_by, xmin::text as version
    from register_approvals
    where merchant_id = ${merchantId} and approval_id = ${id}`;
  change.expect('register_approvals', [id], row);
  return row;
}

/** In the commit of the write. If another write has used it meanwhile, the change is repeated. */
export function moveApprovalToUsed(change: Change, approval: Approval, { by, at }: ApprovalUse): void {
  change.call('use_approval', { ...toRow(approval), used_by: by, used_at: toTimestamp(at) });
}
