/** SQL for what a queue is compared with: the employees whom its writes name, and what the register did last. */
import { isUuid } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import type { Sql } from '../../database/database.js';
import type { Device } from '../../identity/caller.js';
import { REGISTER_PERMISSIONS, type RegisterPermission } from '../../identity/permissions.js';
import type { EmployeeFacts, LatestActs } from './model.js';

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

/** Sales are found by the time of their payment. One that was parked may be paid after later ones, so some of the last ones are read. */
const READ_SALES = 20;

/** What the register did last, since that time. */
export async function findLatestActs(
  sql: Sql,
  merchantId: string,
  { id: deviceId, locationId }: Pick<Device, 'id' | 'locationId'>,
  since: Instant,
): Promise<LatestActs> {
  const [row] = await sql<LatestActs[]>`
    select
      (
        select greatest(opened_at, ended_at, closed_at)
        from cash_drawer_shifts
        where merchant_id = ${merchantId} and location_id = ${locationId} and device_id = ${deviceId}
          and opened_at >= ${since}
        order by opened_at desc
        limit 1
      ) as drawer_at,
      greatest(
        (
          select max(rung_up_at)
          from (
            select rung_up_at
            from sales
            where merchant_id = ${merchantId} and location_id = ${locationId} and device_id = ${deviceId}
              and created_at >= ${since}
            order by created_at desc
            limit ${READ_SALES}
          ) as paid
        ),
        (
          select created_at
          from refunds
          where merchant_id = ${merchantId} and location_id = ${locationId} and device_id = ${deviceId}
            and leader_id is null and created_at >= ${since}
          order by created_at desc
          limit 1
        )
      ) as sold_at`;
  return row ?? { drawerAt: null, soldAt: null };
}
