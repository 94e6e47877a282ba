/** The v1 operations on roles. */
import { listOperation, operation } from '../../api/operation.js';
import { Type, V1SortOrder } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { wholeSecond } from '../../base/time.js';
import type { Role } from './model.js';
import { findRole, insertRole, listRoles, updateRole } from './queries.js';
import { toV1Role, V1CreateRoleBody, V1EmployeeRole, V1UpdateRoleBody } from './v1.view.js';

const ID_LENGTH = 20;

export const v1RoleOperations = [
  operation({
    surface: 'v1',
    name: 'createEmployeeRole',
    method: 'POST',
    path: '/v1/me/roles',
    permission: 'EMPLOYEES_WRITE',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Creates a role.',
    body: V1CreateRoleBody,
    response: V1EmployeeRole,
    async handle({ database, merchant, ids, now }, { body }) {
      const at = wholeSecond(now);
      const role: Role = {
        id: ids.newId(ID_LENGTH),
        name: body.name,
        permissions: [...new Set(body.permissions)],
        isOwner: body.is_owner ?? false,
        createdAt: at,
        updatedAt: at,
      };
      await database.statement((tx) => insertRole(tx, merchant.id, role));
      return toV1Role(role);
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
    query: Type.Object({ order: V1SortOrder }),
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
    body: V1UpdateRoleBody,
    response: V1EmployeeRole,
    async handle({ database, merchant, now, forgetAttendants }, { params: { role_id }, body }) {
      const changes = {
        name: body.name,
        permissions: body.permissions && [...new Set(body.permissions)],
        isOwner: body.is_owner,
      };
      const change = { merchantId: merchant.id, roleId: role_id, changes, at: wholeSecond(now) };
      const role = await database.statement((tx) => updateRole(tx, change));
      if (!role) throw notFound('role', role_id);
      forgetAttendants(merchant.id);
      return toV1Role(role);
    },
  }),
];
