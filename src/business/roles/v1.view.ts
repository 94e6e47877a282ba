/** The v1 view of roles. */
import { about, Bool, choice, listOrSingle, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import { REGISTER_PERMISSIONS } from '../../identity/permissions.js';
import type { Role } from './model.js';

export const RolePermission = choice(REGISTER_PERMISSIONS);

export const V1EmployeeRole = model('V1EmployeeRole', {
  id: about('The id of the role.', Type.String()),
  name: about('The name of the role.', Type.String()),
  permissions: about('What employees with the role may do at a register.', Type.Array(RolePermission)),
  is_owner: about('Whether the role is that of an owner, who may do everything.', Bool),
  created_at: about('When the role was created.', Time),
  updated_at: about('When the role was last changed.', Time),
});

// Some clients send a single permission as a string instead of a list.
const permissions = listOrSingle(RolePermission, { maxItems: 100 });

export const V1CreateRoleBody = Type.Object({
  name: about('The name of the role.', text()),
  permissions: about('What employees with the role may do at a register.', permissions),
  is_owner: about('Whether the role is that of an owner. Only one role can be.', optional(Bool)),
});
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
