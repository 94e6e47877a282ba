/** Creates, changes and deletes roles. */
import type { MerchantContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { wholeSecond } from '../../base/time.js';
import { constraintOf } from '../../database/constraints.js';
import type { RegisterPermission } from '../../identity/permissions.js';
import type { Role, RoleChanges } from './model.js';
import { insertRole } from './queries.js';
import { roles } from './table.js';

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
  { name, permissions, isOwner }: RoleChanges,
  version?: string,
): Promise<Role> {
  const role = await database.change(merchant.id, async (change) => {
    const before = await change.read(roles, { id: roleId });
    if (!before) throw notFound('role', roleId);
    if (version !== undefined && version !== before.version) {
      throw new Refusal('CONFLICT', { detail: 'Somebody has changed this role meanwhile.' });
    }
    const changed: Role = {
      ...before,
      name: name ?? before.name,
      permissions: permissions ? distinct(permissions) : before.permissions,
      isOwner: isOwner ?? before.isOwner,
    };
    if (!roles.differ(before, changed)) return before;
    const after = { ...changed, updatedAt: wholeSecond(now) };
    change.save(roles, before, after);
    return after;
  });
  invalidateAttendants(merchant.id);
  return role;
}

/** Refused while an employee has the role: nobody loses permissions by accident. */
export async function deleteRole({ database, merchant }: MerchantContext, roleId: string): Promise<void> {
  const deletion = database.change(merchant.id, async (change) => {
    const role = await change.read(roles, { id: roleId });
    if (!role) throw notFound('role', roleId);
    change.delete(roles, role);
  });
  await deletion.catch((error: unknown) => {
    if (constraintOf(error) !== 'employees_role') throw error;
    throw new Refusal('WRONG_STATE', {
      detail: 'An employee has this role. Give everybody who has it another role first.',
    });
  });
}

function distinct(permissions: readonly RegisterPermission[]): readonly RegisterPermission[] {
  return [...new Set(permissions)];
}
