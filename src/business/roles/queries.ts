/** SQL for roles. */
import { changeIn, type Versioned } from '../../database/change.js';
import type { Sql, Tx } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, type SortOrder, toPage } from '../../database/keyset.js';
import type { Role } from './model.js';
import { roles } from './table.js';

export async function findRole(sql: Sql, merchantId: string, roleId: string): Promise<Role | undefined> {
  const [row] = await sql<Role[]>`
    select ${roles.select(sql)}
    from roles
    where merchant_id = ${merchantId} and role_id = ${roleId}`;
  return row;
}

interface RoleFilter {
  readonly merchantId: string;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

export async function listRoles(sql: Sql, { merchantId, order, page }: RoleFilter): Promise<Page<Role>> {
  const rows = await sql<Role[]>`
    select ${roles.select(sql)}
    from roles
    where merchant_id = ${merchantId}
    ${pageClause(sql, { at: 'created_at', id: 'role_id' }, page, order)}`;
  return toPage(rows, page.limit, (role) => ({ at: role.createdAt, id: role.id }));
}

/** A role with the number of employees who have it, and the version that an editor sends back (decision 0148). */
export type RoleInUse = Role & Versioned & { readonly employees: number };

const inUse = (sql: Sql, merchantId: string) => sql`
  ${roles.select(sql)},
  xmin::text as version,
  (
    select count(*)
    from employees
    where employees.merchant_id = ${merchantId} and employees.role_id = roles.role_id
  )::int as employees`;

export async function findRoleInUse(sql: Sql, merchantId: string, roleId: string): Promise<RoleInUse | undefined> {
  const [row] = await sql<RoleInUse[]>`
    select ${inUse(sql, merchantId)}
    from roles
    where merchant_id = ${merchantId} and role_id = ${roleId}`;
  return row;
}

export async function listRolesInUse(sql: Sql, { merchantId, order, page }: RoleFilter): Promise<Page<RoleInUse>> {
  const rows = await sql<RoleInUse[]>`
    select ${inUse(sql, merchantId)}
    from roles
    where merchant_id = ${merchantId}
    ${pageClause(sql, { at: 'created_at', id: 'role_id' }, page, order)}`;
  return toPage(rows, page.limit, (role) => ({ at: role.createdAt, id: role.id }));
}

/** In the transaction that makes a business. */
export async function insertRole(tx: Tx, merchantId: string, role: Role): Promise<void> {
  await changeIn(tx, merchantId, (change) => change.insert(roles, role));
}
