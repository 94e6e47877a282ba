/** The SQL statement that lists who may work at a register. */
import type { Instant } from '../../base/time.js';
import type { Sql } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { REGISTER_PERMISSIONS, type RegisterPermission } from '../../identity/permissions.js';

export interface TeamMember {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly roleName: string | null;
  readonly hasPasscode: boolean;
  /** All permissions for an owner's role, none for an employee without a role (contract 2). */
  readonly permissions: readonly RegisterPermission[];
  /** Null while the employee is not clocked in. */
  readonly clockedInSince: Instant | null;
}

type TeamRow = Omit<TeamMember, 'permissions'> & {
  readonly permissions: readonly RegisterPermission[] | null;
  readonly isOwnerRole: boolean | null;
};

/** A limit that no real team reaches. A register shows the whole team to choose from, without pages. */
const MAX_TEAM = 500;

/** The employees who may sign in at a location, sorted by name. */
export async function listTeam(
  sql: Sql,
  merchantId: string,
  { locationId, employeeId }: { readonly locationId: string; readonly employeeId?: string },
): Promise<TeamMember[]> {
  const rows = await sql<TeamRow[]>`
    select
      e.employee_id as id, e.first_name, e.last_name, r.name as role_name, r.permissions, r.is_owner as is_owner_role,
      p.passcode_hash is not null as has_passcode, t.clockin_at as clocked_in_since
    from employees e
    left join roles r on r.merchant_id = ${merchantId} and r.role_id = e.role_id
    left join employee_passcodes p on p.merchant_id = ${merchantId} and p.employee_id = e.employee_id
    left join timecards t on t.merchant_id = ${merchantId} and t.employee_id = e.employee_id and t.clockout_at is null
      and not t.deleted
    where e.merchant_id = ${merchantId} and e.status = 'ACTIVE'
      and ${fn(sql, 'may_sign_in')}(e.status, e.location_ids, ${locationId})
      ${employeeId === undefined ? sql`` : sql`and e.employee_id = ${employeeId}`}
    order by lower(e.first_name), lower(e.last_name), e.employee_id
    limit ${MAX_TEAM}`;
  return rows.map(({ permissions, isOwnerRole, ...rest }) => ({
    ...rest,
    permissions: isOwnerRole ? REGISTER_PERMISSIONS : (permissions ?? []),
  }));
}
