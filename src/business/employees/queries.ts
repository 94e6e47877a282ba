/** SQL for employees. */
import { isUuid } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
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
import type { Employee, EmployeeChanges, EmployeeStatus } from './model.js';

type EmployeeRow = Omit<Employee, 'id'> & { employeeId: string };

const columns = (sql: Sql) => sql`
  employee_id, first_name, last_name, email, phone_number, external_id, role_id, location_ids, status, is_owner,
  created_at, updated_at`;

function toEmployee({ employeeId, ...rest }: EmployeeRow): Employee {
  return { id: employeeId, ...rest };
}

export async function findEmployee(sql: Sql, merchantId: string, employeeId: string): Promise<Employee | undefined> {
  if (!isUuid(employeeId)) return undefined;
  const [row] = await sql<EmployeeRow[]>`
    select ${columns(sql)}
    from employees
    where merchant_id = ${merchantId} and employee_id = ${employeeId}`;
  return row && toEmployee(row);
}

export interface EmployeeFilter {
  readonly merchantId: string;
  readonly status?: EmployeeStatus | undefined;
  readonly externalId?: string | undefined;
  readonly locationId?: string | undefined;
  readonly created?: TimeRange;
  readonly updated?: TimeRange;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

export async function listEmployees(sql: Sql, filter: EmployeeFilter): Promise<Page<Employee>> {
  const { merchantId, status, externalId, locationId, created = {}, updated = {}, order, page } = filter;
  const rows = await sql<EmployeeRow[]>`
    select ${columns(sql)}
    from employees
    where merchant_id = ${merchantId}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${externalId === undefined ? sql`` : sql`and external_id = ${externalId}`}
    ${locationId === undefined ? sql`` : sql`and ${locationId} = any (location_ids)`}
    ${within(sql, 'created_at', created, order)}
    ${within(sql, 'updated_at', updated, order)}
    ${pageClause(sql, { at: 'created_at', id: 'employee_id' }, page, order)}`;
  return toPage(rows.map(toEmployee), page.limit, (employee) => ({ at: employee.createdAt, id: employee.id }));
}

export async function insertEmployee(tx: Tx, merchantId: string, employee: Employee): Promise<void> {
  await tx`
    insert into employees (merchant_id, ${columns(tx)})
    values (
      ${merchantId}, ${employee.id}, ${employee.firstName}, ${employee.lastName}, ${employee.email},
      ${employee.phoneNumber}, ${employee.externalId}, ${employee.roleId}, ${employee.locationIds as string[]}::text[],
      ${employee.status}, ${employee.isOwner}, ${employee.createdAt}, ${employee.updatedAt}
    )`;
}

interface Change {
  readonly merchantId: string;
  readonly employeeId: string;
  readonly at: Instant;
}

/** Updates the given fields. If no value differs, `updated_at` stays as it is. */
export async function updateEmployee(
  tx: Tx,
  { merchantId, employeeId, at, changes }: Change & { readonly changes: EmployeeChanges },
): Promise<Employee | undefined> {
  if (!isUuid(employeeId)) return undefined;
  const firstName = tx`coalesce(${changes.firstName ?? null}, first_name)`;
  const lastName = tx`coalesce(${changes.lastName ?? null}, last_name)`;
  const externalId = tx`coalesce(${changes.externalId ?? null}, external_id)`;
  const roleId = changes.roleId === undefined ? tx`role_id` : tx`${changes.roleId}::text`;
  const locationIds = tx`coalesce(${(changes.locationIds as string[] | undefined) ?? null}::text[], location_ids)`;
  const [row] = await tx<EmployeeRow[]>`
    update employees
    set
      first_name = ${firstName},
      last_name = ${lastName},
      external_id = ${externalId},
      role_id = ${roleId},
      location_ids = ${locationIds},
      updated_at = case
        when (first_name, last_name, external_id, role_id, location_ids)
          is distinct from (${firstName}, ${lastName}, ${externalId}, ${roleId}, ${locationIds})
        then ${at}
        else updated_at
      end
    where merchant_id = ${merchantId} and employee_id = ${employeeId}
    returning ${columns(tx)}`;
  return row && toEmployee(row);
}

/** The only statement that changes a status. Only the dashboard uses it. */
export async function moveEmployee(
  tx: Tx,
  { merchantId, employeeId, at, status }: Change & { readonly status: EmployeeStatus },
): Promise<Employee | undefined> {
  if (!isUuid(employeeId)) return undefined;
  const [row] = await tx<EmployeeRow[]>`
    update employees
    set
      status = ${status},
      updated_at = case when status = ${status} then updated_at else ${at} end
    where merchant_id = ${merchantId} and employee_id = ${employeeId}
    returning ${columns(tx)}`;
  return row && toEmployee(row);
}
