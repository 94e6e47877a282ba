/** The v1 operations on employees. */
import { listOperation, operation } from '../../api/operation.js';
import { parseSecondRange } from '../../api/ranges.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, optional, Time, Type, text, V1SortOrder } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { changeEmployee, createEmployee } from './actions.js';
import { findEmployee, listEmployees } from './queries.js';
import {
  fromV1EmployeeChanges,
  fromV1NewEmployee,
  toV1Employee,
  V1CreateEmployeeBody,
  V1Employee,
  V1EmployeeStatus,
  V1UpdateEmployeeBody,
} from './v1.view.js';

export const v1EmployeeOperations = [
  operation({
    surface: 'v1',
    name: 'createEmployee',
    method: 'POST',
    path: '/v1/me/employees',
    permission: 'EMPLOYEES_WRITE',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Creates an employee, who is INACTIVE until activated in the dashboard.',
    takesRecord: true,
    body: V1CreateEmployeeBody,
    example: {
      body: {
        first_name: 'Rosa',
        last_name: 'Lindqvist',
        email: 'rosa@example.com',
        external_id: 'HR-1042',
        role_ids: [SAMPLE_IDS.role_id],
        authorized_location_ids: [SAMPLE_IDS.location_id],
      },
    },
    response: V1Employee,
    async handle(context, { body }) {
      return toV1Employee(await createEmployee(context, fromV1NewEmployee(body)));
    },
  }),

  listOperation({
    surface: 'v1',
    name: 'listEmployees',
    method: 'GET',
    path: '/v1/me/employees',
    permission: 'EMPLOYEES_READ',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Lists the employees of the business.',
    page: { token: 'batch_token', limit: { default: 100, max: 200, over: 'refuse' } },
    query: Type.Object({
      order: about('The order of the employees by the time of creation.', V1SortOrder),
      begin_updated_at: about(
        'Only employees that were changed since this time. Ascending lists include the time itself.',
        optional(Time),
      ),
      end_updated_at: about(
        'Only employees that were changed until this time. Descending lists include the time itself.',
        optional(Time),
      ),
      begin_created_at: about(
        'Only employees that were created since this time. Ascending lists include the time itself.',
        optional(Time),
      ),
      end_created_at: about(
        'Only employees that were created until this time. Descending lists include the time itself.',
        optional(Time),
      ),
      status: about('Only employees with this status.', optional(V1EmployeeStatus)),
      external_id: about('Only the employees with this id of another system.', optional(text())),
    }),
    item: V1Employee,
    async handle({ database, merchant }, { query, page }) {
      const order = query.order ?? 'ASC';
      const { items, next } = await listEmployees(database.sql, {
        merchantId: merchant.id,
        status: query.status,
        externalId: query.external_id,
        created: parseSecondRange(query, ['begin_created_at', 'end_created_at'], order),
        updated: parseSecondRange(query, ['begin_updated_at', 'end_updated_at'], order),
        order,
        page,
      });
      return { items: items.map(toV1Employee), next };
    },
  }),

  operation({
    surface: 'v1',
    name: 'retrieveEmployee',
    method: 'GET',
    path: '/v1/me/employees/{employee_id}',
    permission: 'EMPLOYEES_READ',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Shows one employee.',
    response: V1Employee,
    async handle({ database, merchant }, { params: { employee_id } }) {
      const employee = await findEmployee(database.sql, merchant.id, employee_id);
      if (!employee) throw notFound('employee', employee_id);
      return toV1Employee(employee);
    },
  }),

  operation({
    surface: 'v1',
    name: 'updateEmployee',
    method: 'PUT',
    path: '/v1/me/employees/{employee_id}',
    permission: 'EMPLOYEES_WRITE',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Changes the given fields of an employee. The status cannot be changed.',
    takesRecord: true,
    body: V1UpdateEmployeeBody,
    example: { body: { last_name: 'Lindqvist Okafor' } },
    response: V1Employee,
    async handle(context, { params: { employee_id }, body }) {
      return toV1Employee(await changeEmployee(context, employee_id, fromV1EmployeeChanges(body)));
    },
  }),
];
