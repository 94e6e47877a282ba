/** The v1 operations on roles. */
import { listOperation, operation } from '../../api/operation.js';
import { about, Type, V1SortOrder } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { changeRole, createRole } from './actions.js';
import { findRole, listRoles } from './queries.js';
import { toV1Role, V1CreateRoleBody, V1EmployeeRole, V1UpdateRoleBody } from './v1.view.js';

export const v1RoleOperations = [
  operation({
    surface: 'v1',
    name: 'createEmployeeRole',
    method: 'POST',
    path: '/v1/me/roles',
    permission: 'EMPLOYEES_WRITE',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Creates a role.',
    takesRecord: true,
    body: V1CreateRoleBody,
    example: {
      body: { name: 'Shift lead', permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE'] },
    },
    response: V1EmployeeRole,
    async handle(context, { body }) {
      const { name, permissions, is_owner = false } = body;
      return toV1Role(await createRole(context, { name, permissions, isOwner: is_owner }));
    },
  }),

  listOperation({
    surface: 'v1',
    name: 'listEmployeeRoles',
    method: 'GET',
    path: '/v1/me/roles',
    permission: 'EMPLOYEES_READ',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Lists the roles of the business.',
    page: { token: 'batch_token', limit: { default: 100, max: 200, over: 'refuse' } },
    query: Type.Object({ order: about('The order of the roles by the time of creation.', V1SortOrder) }),
    item: V1EmployeeRole,
    async handle({ database, merchant }, { query: { order = 'ASC' }, page }) {
      const { items, next } = await listRoles(database.sql, { merchantId: merchant.id, order, page });
      return { items: items.map(toV1Role), next };
    },
  }),

  operation({
    surface: 'v1',
    name: 'retrieveEmployeeRole',
    method: 'GET',
    path: '/v1/me/roles/{role_id}',
    permission: 'EMPLOYEES_READ',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Shows one role.',
    response: V1EmployeeRole,
    async handle({ database, merchant }, { params: { role_id } }) {
      const role = await findRole(database.sql, merchant.id, role_id);
      if (!role) throw notFound('role', role_id);
      return toV1Role(role);
    },
  }),

  operation({
    surface: 'v1',
    name: 'updateEmployeeRole',
    method: 'PUT',
    path: '/v1/me/roles/{role_id}',
    permission: 'EMPLOYEES_WRITE',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Changes the given fields of a role.',
    takesRecord: true,
    body: V1UpdateRoleBody,
    example: { body: { name: 'Floor manager' } },
    response: V1EmployeeRole,
    async handle(context, { params: { role_id }, body: { name, permissions, is_owner } }) {
      return toV1Role(await changeRole(context, role_id, { name, permissions, isOwner: is_owner }));
    },
  }),
];
