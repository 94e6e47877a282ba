/** SQL for the keys with which employees sign at registers. */
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';

/** Nothing that arrives now can be signed with an older key: seven days, and the 72 hours of a late write. */
const KEPT_MS = 11 * DAY_MS;

export interface SigningKey {
  readonly employeeId: string;
  readonly publicKey: string;
  /** In real time. */
  readonly createdAt: Instant;
}

interface NewKey extends SigningKey {
  readonly merchantId: string;
  readonly deviceId: string;
  /** The passcode that was right. */
  readonly passcodeHash: string;
}

/**
 * Returns false if the passcode has changed since it was compared. The row lock makes a concurrent change wait, and that change then ends
 * this key too.
 */
export async function insertSigningKey(tx: Tx, key: NewKey): Promise<boolean> {
  const { merchantId, deviceId, employeeId, publicKey, createdAt, passcodeHash } = key;
  await tx`
    delete from register_keys
    where merchant_id = ${merchantId} and device_id = ${deviceId} and employee_id = ${employeeId}
      and created_at < ${instant(createdAt - KEPT_MS)}`;
  const rows = await tx`
    select 1
    from employee_passcodes
    where merchant_id = ${merchantId} and employee_id = ${employeeId} and passcode_hash = ${passcodeHash}
    for share`;
  if (rows.length === 0) return false;
  await tx`
    insert into register_keys (merchant_id, device_id, employee_id, public_key, created_at)
    values (${merchantId}, ${deviceId}, ${employeeId}, ${publicKey}, ${createdAt})
    on conflict do nothing`;
  return true;
}

/** The keys that these employees got at the device since that time (real time), and that have not ended. */
export async function listSigningKeys(
  sql: Sql,
  merchantId: string,
  deviceId: string,
  { employeeIds, since }: { readonly employeeIds: readonly string[]; readonly since: Instant },
): Promise<SigningKey[]> {
  return sql<SigningKey[]>`
    select employee_id, public_key, created_at
    from register_keys
    where merchant_id = ${merchantId} and device_id = ${deviceId}
      and employee_id = any (${employeeIds as string[]}::uuid[]) and created_at >= ${since}`;
}
