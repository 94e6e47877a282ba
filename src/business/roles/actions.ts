/** Creates, changes and deletes roles. */
import type { MerchantContext } from '../../api/operation.js';
import { notFound } from '../../base/errors.js';
import { wholeSecond } from '../../base/time.js';
import type { RegisterPermission } from '../../identity/permissions.js';
import type { Role, RoleChanges } from './model.js';
import { deleteUnusedRole, insertRole, updateRole } from './queries.js';

const ID_LENGTH = 20;

export async function createRole(
  { database, merchant, ids, now }: MerchantContext,
  { name, permissions, isOwner }: Pick<Role, 'name' | 'permissions' | 'isOwner'>,
): Promise<Role> {
  const at = wholeSecond(now);
  const core = { id: ids.newId(ID_LENGTH), name, permissions: distinct(permissions), isOwner };
  const role: Role = { ...core, createdAt: at, updatedAt: at };
  await database.statement((tx) => insertRole(tx, merchant.id, role));
  return role;
}

/** Takes effect at registers before the response is sent. With a version, only that version is changed (decision 0148). */
export async function changeRole(
  { database, merchant, now, invalidateAttendants }: MerchantContext,
  roleId: string,
  { permissions, ...changes }: RoleChanges,
  version?: string,
): Promise<Role> {
  const change = {
    merchantId: merchant.id,
    roleId,
    changes: { ...changes, permissions: permissions && distinct(permissions) },
    at: wholeSecond(now),
    version,
  };
  const role = await database.statement((tx) => updateRole(tx, change));
  if (!role) throw notFound('role', roleId);
  invalidateAttendants(merchant.id);
  return role;
}

/** Refused while an employee has the role: nobody loses permissions by accident. */
export async function deleteRole({ database, merchant }: MerchantContext, roleId: string): Promise<void> {
  if (!(await database.statement((tx) => deleteUnusedRole(tx, merchant.id, roleId)))) throw notFound('role', roleId);
}

function distinct(permissions: readonly RegisterPermission[]): readonly RegisterPermission[] {
  return [...new Set(permissions)];
}
