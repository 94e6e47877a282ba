/** SQL for employees. */
import { isUuid } from '../../base/ids.js';
import { type Change, changeIn, type Versioned } from '../../database/change.js';
import type { Sql, Tx } from '../../database/database.js';
import {
  type Page,
  type PageRequest,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import type { Employee, EmployeeStatus } from './model.js';
import { employees } from './table.js';

/** An employee with the version that an editor sends back (decision 0148). */
export type VersionedEmployee = Employee & Versioned;

export async function findEmployee(
  sql: Sql,
  merchantId: string,
  employeeId: string,
): Promise<VersionedEmployee | undefined> {
  if (!isUuid(employeeId)) return undefined;
  const [row] = await sql<VersionedEmployee[]>`
    select ${employees.select(sql)}, xmin::text as version
    from employees
    where merchant_id = ${merchantId} and employee_id = ${employeeId}`;
  return row;
}

/** Finds an employee to change, or whose locations permit something. The change depends on the employee. */
export async function readEmployee(change: Change, id: string): Promise<VersionedEmployee | undefined> {
  return isUuid(id) ? change.read(employees, { id }) : undefined;
}

export interface EmployeeFilter {
  readonly merchantId: string;
  readonly status?: EmployeeStatus | undefined;
  readonly externalId?: string | undefined;
  readonly locationId?: string | undefined;
  readonly roleId?: string | undefined;
  readonly created?: TimeRange;
  readonly updated?: TimeRange;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

export async function listEmployees(sql: Sql, filter: EmployeeFilter): Promise<Page<VersionedEmployee>> {
  const { merchantId, status, externalId, locationId, roleId, created = {}, updated = {}, order, page } = filter;
  const rows = await sql<VersionedEmployee[]>`
    select ${employees.select(sql)}, xmin::text as version
    from employees
    where merchant_id = ${merchantId}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${externalId === undefined ? sql`` : sql`and external_id = ${externalId}`}
    ${locationId === undefined ? sql`` : sql`and ${locationId} = any (location_ids)`}
    ${roleId === undefined ? sql`` : sql`and role_id = ${roleId}`}
    ${within(sql, 'created_at', created, order)}
    ${within(sql, 'updated_at', updated, order)}
    ${pageClause(sql, { at: 'created_at', id: 'employee_id' }, page, order)}`;
  return toPage(rows, page.limit, (employee) => ({ at: employee.createdAt, id: employee.id }));
}

export async function insertEmployee(tx: Tx, merchantId: string, employee: Employee): Promise<void> {
  await changeIn(tx, merchantId, (change) => change.insert(employees, employee));
}
