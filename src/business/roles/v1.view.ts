/** The v1 view of roles. */
import { choice, Flag, listOrSingle, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import { REGISTER_PERMISSIONS } from '../../identity/permissions.js';
import type { Role } from './model.js';

export const RolePermission = choice(REGISTER_PERMISSIONS);

export const V1EmployeeRole = model('V1EmployeeRole', {
  id: Type.String(),
  name: Type.String(),
  permissions: Type.Array(RolePermission),
  is_owner: Flag,
  created_at: Time,
  updated_at: Time,
});

// Some clients send a single permission as a string instead of a list.
const permissions = listOrSingle(RolePermission, { maxItems: 100 });

export const V1CreateRoleBody = Type.Object({ name: text(), permissions, is_owner: optional(Flag) });
export const V1UpdateRoleBody = Type.Partial(V1CreateRoleBody);

export function toV1Role(role: Role): Static<typeof V1EmployeeRole> {
  return {
    id: role.id,
    name: role.name,
    permissions: [...role.permissions],
    is_owner: role.isOwner,
    created_at: printSeconds(role.createdAt),
    updated_at: printSeconds(role.updatedAt),
  };
}
