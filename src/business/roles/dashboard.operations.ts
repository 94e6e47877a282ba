/** Dashboard operations on roles. */

import { listOperation, type MerchantContext, operation } from '../../api/operation.js';
import { SAMPLE_VALUES } from '../../api/sample-ids.js';
import {
  about,
  Bool,
  listOrSingle,
  model,
  Nothing,
  optional,
  type Static,
  Type,
  text,
  Version,
  wholeNumber,
} from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { changeRole, createRole, deleteRole } from './actions.js';
import { findRoleInUse, listRolesInUse, type RoleInUse } from './queries.js';
import { RolePermission, toV1Role, V1EmployeeRole } from './v1.view.js';

const PATH = '/api/dashboard/roles';

const DashboardRole = model('DashboardRole', {
  ...V1EmployeeRole.properties,
  employees: about('How many employees have the role.', wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  version: about('Identifies what the editor sees. Send it with an edit.', Type.String()),
});

const RoleResponse = Type.Object({ role: about('The role after the change.', DashboardRole) });

const RoleFields = Type.Object({
  name: about('What people call the role.', text(255, { minLength: 1 })),
  permissions: about(
    'What employees with the role may do at a register.',
    listOrSingle(RolePermission, { maxItems: 100 }),
  ),
  is_owner: about('Whether the role is that of an owner, who may do everything.', optional(Bool)),
});

function toRole(role: RoleInUse): Static<typeof DashboardRole> {
  return { ...toV1Role(role), employees: role.employees, version: role.version };
}

function fromFields({ name, permissions, is_owner = false }: Static<typeof RoleFields>) {
  return { name, permissions, isOwner: is_owner };
}

async function showRole({ database, merchant }: MerchantContext, roleId: string) {
  const role = await findRoleInUse(database.sql, merchant.id, roleId);
  if (!role) throw notFound('role', roleId);
  return { role: toRole(role) };
}

export const dashboardRoleOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listRoles',
    method: 'GET',
    path: PATH,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Lists the roles of the business, with the number of employees who have each.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['roles'] },
    item: DashboardRole,
    async handle({ database, merchant }, { page }) {
      const { items, next } = await listRolesInUse(database.sql, { merchantId: merchant.id, order: 'ASC', page });
      return { items: items.map(toRole), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'createRole',
    method: 'POST',
    path: PATH,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Creates a role.',
    body: RoleFields,
    example: {
      body: { name: 'Shift lead', permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE'] },
    },
    response: RoleResponse,
    async handle(context, { body }) {
      const { id } = await createRole(context, fromFields(body));
      return showRole(context, id);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveRole',
    method: 'GET',
    path: `${PATH}/{role_id}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Shows one role.',
    response: RoleResponse,
    async handle(context, { params: { role_id } }) {
      return showRole(context, role_id);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateRole',
    method: 'PUT',
    path: `${PATH}/{role_id}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Replaces the name and the permissions of a role. Refused if the version is not the current one.',
    body: Type.Object({ ...RoleFields.properties, version: Version }),
    example: {
      body: { name: 'Floor manager', permissions: ['REGISTER_ISSUE_REFUNDS'], version: SAMPLE_VALUES.version },
    },
    response: RoleResponse,
    async handle(context, { params: { role_id }, body }) {
      await changeRole(context, role_id, fromFields(body), body.version);
      return showRole(context, role_id);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteRole',
    method: 'DELETE',
    path: `${PATH}/{role_id}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Deletes a role that no employee has.',
    response: Nothing,
    async handle(context, { params: { role_id } }) {
      await deleteRole(context, role_id);
      return {};
    },
  }),
];
