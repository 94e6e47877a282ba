/** SQL for the employees who are named by the writes of a queue. */
import { isUuid } from '../../base/ids.js';
import type { Sql } from '../../database/database.js';
import { REGISTER_PERMISSIONS, type RegisterPermission } from '../../identity/permissions.js';
import type { EmployeeFacts } from './model.js';

type EmployeeRow = Omit<EmployeeFacts, 'permissions'> & {
  readonly permissions: readonly RegisterPermission[] | null;
  readonly isOwner: boolean | null;
};

/** By their ids. Employees whom the merchant does not have are absent. */
export async function listEmployeeFacts(
  sql: Sql,
  merchantId: string,
  employeeIds: readonly string[],
): Promise<Map<string, EmployeeFacts>> {
  const rows = await sql<EmployeeRow[]>`
    select e.employee_id as id, e.status, e.location_ids, r.permissions, r.is_owner
    from employees e
    left join roles r on r.merchant_id = ${merchantId} and r.role_id = e.role_id
    where e.merchant_id = ${merchantId} and e.employee_id = any (${employeeIds.filter(isUuid)}::uuid[])`;
  return new Map(
    rows.map(({ permissions, isOwner, ...rest }) => [
      rest.id,
      { ...rest, permissions: new Set(isOwner ? REGISTER_PERMISSIONS : (permissions ?? [])) },
    ]),
  );
}
