/** The v2 operations on employees. They only read. */
import { listOperation, operation } from '../../api/operation.js';
import { about, model, optional, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { findEmployee, listEmployees } from './queries.js';
import { Employee, EmployeeStatus, toEmployee } from './v2.view.js';

export const v2EmployeeOperations = [
  listOperation({
    surface: 'v2',
    name: 'listEmployees',
    method: 'GET',
    path: '/v2/employees',
    permission: 'EMPLOYEES_READ',
    summary: 'Lists the employees of the business.',
    page: { token: 'cursor', limit: { default: 50, max: 50, over: 'cap' }, keys: ['employees'] },
    query: Type.Object({
      location_id: about('Only employees who may work at this location.', optional(text())),
      status: about('Only employees with this status.', optional(EmployeeStatus)),
    }),
    item: Employee,
    async handle({ database, merchant }, { query, page }) {
      const { items, next } = await listEmployees(database.sql, {
        merchantId: merchant.id,
        status: query.status,
        locationId: query.location_id,
        order: 'ASC',
        page,
      });
      return { items: items.map(toEmployee), next };
    },
  }),

  operation({
    surface: 'v2',
    name: 'retrieveEmployee',
    method: 'GET',
    path: '/v2/employees/{id}',
    permission: 'EMPLOYEES_READ',
    summary: 'Shows one employee.',
    response: model('RetrieveEmployeeResponse', { employee: about('The employee.', Employee) }),
    async handle({ database, merchant }, { params: { id } }) {
      const employee = await findEmployee(database.sql, merchant.id, id);
      if (!employee) throw notFound('employee', id);
      return { employee: toEmployee(employee) };
    },
  }),
];
