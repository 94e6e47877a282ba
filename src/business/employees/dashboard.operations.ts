/** Dashboard operations on employees. Only they can change an employee's status (contract 3). */
import { listOperation, operation } from '../../api/operation.js';
import { optional, Type } from '../../api/wire.js';
import { setEmployeeStatus } from './actions.js';
import { listEmployees } from './queries.js';
import { Employee, EmployeeStatus, toEmployee } from './v2.view.js';

function statusOperation(verb: 'activate' | 'deactivate', status: 'ACTIVE' | 'INACTIVE') {
  return operation({
    surface: 'dashboard',
    name: `${verb}Employee`,
    method: 'POST',
    path: `/api/dashboard/employees/{employee_id}/${verb}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: `Makes an employee ${status}.`,
    response: Type.Object({ employee: Employee }),
    async handle(context, { params: { employee_id } }) {
      return { employee: toEmployee(await setEmployeeStatus(context, employee_id, status)) };
    },
  });
}

export const dashboardEmployeeOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listEmployees',
    method: 'GET',
    path: '/api/dashboard/employees',
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Lists the employees of the business.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['employees'] },
    query: Type.Object({ status: optional(EmployeeStatus) }),
    item: Employee,
    async handle({ database, merchant }, { query: { status }, page }) {
      const { items, next } = await listEmployees(database.sql, {
        merchantId: merchant.id,
        status,
        order: 'ASC',
        page,
      });
      return { items: items.map(toEmployee), next };
    },
  }),
  statusOperation('activate', 'ACTIVE'),
  statusOperation('deactivate', 'INACTIVE'),
];
