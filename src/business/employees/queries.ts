/** SQL for employees. */
import { isUuid } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import { Columns } from '../../database/columns.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import {
  type Page,
  type PageRequest,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import type { Employee, EmployeeChanges, EmployeeStatus } from './model.js';

const EMPLOYEE_COLUMNS = new Columns<Employee>({
  id: { column: 'employee_id', as: 'value' },
  firstName: 'value',
  lastName: 'value',
  email: 'value',
  phoneNumber: 'value',
  externalId: 'value',
  roleId: 'value',
  locationIds: 'value',
  status: 'value',
  isOwner: 'value',
  createdAt: 'time',
  updatedAt: 'time',
});

/** An employee with the version that an editor sends back (decision 0148). */
export type VersionedEmployee = Employee & Versioned;

export async function findEmployee(
  sql: Sql,
  merchantId: string,
  employeeId: string,
): Promise<VersionedEmployee | undefined> {
  if (!isUuid(employeeId)) return undefined;
  const [row] = await sql<VersionedEmployee[]>`
    select ${EMPLOYEE_COLUMNS.select(sql)}, xmin::text as version
    from employees
    where merchant_id = ${merchantId} and employee_id = ${employeeId}`;
  return row;
}

/** Finds an employee whose locations permit something. The change depends on the employee. */
export async function readEmployee(change: Change, employeeId: string): Promise<Employee | undefined> {
  const employee = await findEmployee(change.sql, change.merchantId, employeeId);
  if (employee) change.expect('employees', [employee.id], employee);
  return employee;
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
    select ${EMPLOYEE_COLUMNS.select(sql)}, xmin::text as version
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
  await tx`
    insert into employees (merchant_id, ${EMPLOYEE_COLUMNS.names(tx)})
    values (
      ${merchantId}, ${employee.id}, ${employee.firstName}, ${employee.lastName}, ${employee.email},
      ${employee.phoneNumber}, ${employee.externalId}, ${employee.roleId}, ${employee.locationIds as string[]}::text[],
      ${employee.status}, ${employee.isOwner}, ${employee.createdAt}, ${employee.updatedAt}
    )`;
}

interface EmployeeMove {
  readonly merchantId: string;
  readonly employeeId: string;
  readonly at: Instant;
  /** The real time. Sessions that the change no longer permits end at this time. */
  readonly now: Instant;
  /** If given, another version of the employee violates employee_version. */
  readonly version?: string | undefined;
}

/** Updates the given fields. If no value differs, `updated_at` stays as it is. */
export async function updateEmployee(
  tx: Tx,
  change: EmployeeMove & { readonly changes: EmployeeChanges },
): Promise<Employee | undefined> {
  const { firstName, lastName, email, phoneNumber, externalId, roleId, locationIds } = change.changes;
  return changeEmployee(tx, change, {
    first_name: firstName,
    last_name: lastName,
    email,
    phone_number: phoneNumber,
    external_id: externalId,
    role_id: roleId,
    location_ids: locationIds,
  });
}

/** Only the dashboard changes a status. */
export async function moveEmployee(
  tx: Tx,
  change: EmployeeMove & { readonly status: EmployeeStatus },
): Promise<Employee | undefined> {
  return changeEmployee(tx, change, { status: change.status });
}

/** Changes the columns that are not undefined. */
async function changeEmployee(
  tx: Tx,
  { merchantId, employeeId, at, now, version }: EmployeeMove,
  columns: Readonly<Record<string, unknown>>,
): Promise<Employee | undefined> {
  if (!isUuid(employeeId)) return undefined;
  const [row] = await tx<{ employee: Readonly<Record<string, unknown>> | null }[]>`
    select ${fn(tx, 'change_employee')}(
      ${merchantId}, ${employeeId}, ${JSON.stringify(columns)}::text::json, ${at}, ${now}, ${version ?? null}
    ) as employee`;
  return row?.employee ? EMPLOYEE_COLUMNS.fromRow(row.employee) : undefined;
}
