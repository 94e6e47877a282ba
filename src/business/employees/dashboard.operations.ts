/** Dashboard operations on employees. Only they can change an employee's status (contract 3). */

import { findPasscodeHolder } from '../../access/devices/queries.js';
import { listOperation, type MerchantContext, operation } from '../../api/operation.js';
import { SAMPLE_IDS, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { about, Bool, optional, Type, text } from '../../api/wire.js';
import { notFound, requireFound, unknownReference } from '../../base/errors.js';
import { requireLocationInBody } from '../../identity/locations.js';
import { findRole } from '../roles/queries.js';
import { changeEmployee, createEmployee, setEmployeeStatus } from './actions.js';
import {
  DashboardEmployee,
  EmployeeEditBody,
  fromEditable,
  NewEmployeeBody,
  toDashboardEmployee,
} from './dashboard.view.js';
import { findEmployee, listEmployees } from './queries.js';
import { Employee, EmployeeStatus, toEmployee } from './v2.view.js';

const PATH = '/api/dashboard/employees';
const EmployeeResponse = Type.Object({ employee: about('The employee after the change.', DashboardEmployee) });

function statusOperation(verb: 'activate' | 'deactivate', status: 'ACTIVE' | 'INACTIVE') {
  return operation({
    surface: 'dashboard',
    name: `${verb}Employee`,
    method: 'POST',
    path: `${PATH}/{employee_id}/${verb}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: `Makes an employee ${status}.`,
    response: Type.Object({ employee: about('The employee with the new status.', Employee) }),
    async handle(context, { params: { employee_id } }) {
      return { employee: toEmployee(await setEmployeeStatus(context, employee_id, status)) };
    },
  });
}

/** Its refusals name the fields of the dashboard. The database checks the role again. */
async function requireReferences(
  { database, merchant }: MerchantContext,
  { role_id, location_ids = [] }: { readonly role_id?: string; readonly location_ids?: readonly string[] },
): Promise<void> {
  for (const id of location_ids) requireLocationInBody(merchant, id, 'location_ids');
  if (role_id !== undefined && !(await findRole(database.sql, merchant.id, role_id))) {
    throw unknownReference('role', role_id, 'role_id');
  }
}

async function showEmployee({ database, merchant }: MerchantContext, employeeId: string) {
  const employee = await findEmployee(database.sql, merchant.id, employeeId);
  return { employee: toDashboardEmployee(requireFound(employee, 'an employee that was just written')) };
}

export const dashboardEmployeeOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listEmployees',
    method: 'GET',
    path: PATH,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Lists the employees of the business.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['employees'] },
    query: Type.Object({
      status: about('Only employees with this status.', optional(EmployeeStatus)),
      role_id: about('Only employees with this role.', optional(text())),
      location_id: about('Only employees who may work there.', optional(text())),
    }),
    item: DashboardEmployee,
    async handle({ database, merchant }, { query: { status, role_id, location_id }, page }) {
      const { items, next } = await listEmployees(database.sql, {
        merchantId: merchant.id,
        status,
        roleId: role_id,
        locationId: location_id,
        order: 'ASC',
        page,
      });
      return { items: items.map(toDashboardEmployee), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'createEmployee',
    method: 'POST',
    path: PATH,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Creates an employee, who is ACTIVE unless the request says otherwise.',
    body: NewEmployeeBody,
    example: {
      body: {
        first_name: 'Rosa',
        last_name: 'Lindqvist',
        email: 'rosa@example.com',
        phone_number: '+14155550173',
        external_id: 'HR-1042',
        role_id: SAMPLE_IDS.role_id,
        location_ids: [SAMPLE_IDS.location_id],
      },
    },
    response: EmployeeResponse,
    async handle(context, { body }) {
      await requireReferences(context, body);
      const { id } = await createEmployee(context, { ...fromEditable(body), status: body.status ?? 'ACTIVE' });
      return showEmployee(context, id);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveEmployee',
    method: 'GET',
    path: `${PATH}/{employee_id}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary: 'Shows one employee, and whether the employee has a passcode.',
    response: Type.Object({
      employee: about('The employee.', DashboardEmployee),
      has_passcode: about('Whether the employee can sign in at registers.', Bool),
    }),
    async handle({ database, merchant }, { params: { employee_id } }) {
      const employee = await findEmployee(database.sql, merchant.id, employee_id);
      if (!employee) throw notFound('employee', employee_id);
      const holder = await findPasscodeHolder(database.sql, merchant.id, employee.id);
      return { employee: toDashboardEmployee(employee), has_passcode: (holder?.passcodeHash ?? null) !== null };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateEmployee',
    method: 'PUT',
    path: `${PATH}/{employee_id}`,
    permission: 'OWNER',
    requires: 'EMPLOYEE_MANAGEMENT',
    summary:
      'Replaces what the owner can edit of an employee: absent fields become empty. Refused if the version is not the current one.',
    body: EmployeeEditBody,
    example: {
      body: {
        first_name: 'Rosa',
        last_name: 'Lindqvist',
        email: 'rosa@example.com',
        phone_number: '+14155550173',
        external_id: 'HR-2001',
        role_id: SAMPLE_IDS.role_id,
        location_ids: [SAMPLE_IDS.location_id],
        version: SAMPLE_VALUES.version,
      },
    },
    response: EmployeeResponse,
    async handle(context, { params: { employee_id }, body }) {
      await requireReferences(context, body);
      const { id } = await changeEmployee(context, employee_id, fromEditable(body), body.version);
      return showEmployee(context, id);
    },
  }),

  statusOperation('activate', 'ACTIVE'),
  statusOperation('deactivate', 'INACTIVE'),
];
