/** SQL for roles. */
import type { Instant } from '../../base/time.js';
import type { Versioned } from '../../database/change.js';
import { Columns } from '../../database/columns.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type Page, type PageRequest, pageClause, type SortOrder, toPage } from '../../database/keyset.js';
import type { RegisterPermission } from '../../identity/permissions.js';
import type { Role, RoleChanges } from './model.js';

const ROLE_COLUMNS = new Columns<Role>({
  id: { column: 'role_id', as: 'value' },
  name: 'value',
  permissions: 'value',
  isOwner: 'value',
  createdAt: 'time',
  updatedAt: 'time',
});

export async function findRole(sql: Sql, merchantId: string, roleId: string): Promise<Role | undefined> {
  const [row] = await sql<Role[]>`
    select ${ROLE_COLUMNS.select(sql)}
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
    select ${ROLE_COLUMNS.select(sql)}
    from roles
    where merchant_id = ${merchantId}
    ${pageClause(sql, { at: 'created_at', id: 'role_id' }, page, order)}`;
  return toPage(rows, page.limit, (role) => ({ at: role.createdAt, id: role.id }));
}

/** A role with the number of employees who have it, and the version that an editor sends back (decision 0148). */
export type RoleInUse = Role & Versioned & { readonly employees: number };

const inUse = (sql: Sql, merchantId: string) => sql`
  ${ROLE_COLUMNS.select(sql)},
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

export async function insertRole(tx: Tx, merchantId: string, role: Role): Promise<void> {
  await tx`
    insert into roles (merchant_id, role_id, name, permissions, is_owner, created_at, updated_at)
    values (
      ${merchantId}, ${role.id}, ${role.name}, ${role.permissions as RegisterPermission[]}::text[], ${role.isOwner},
      ${role.createdAt}, ${role.updatedAt}
    )`;
}

interface RoleMove {
  readonly merchantId: string;
  readonly roleId: string;
  readonly changes: RoleChanges;
  readonly at: Instant;
  /** If given, another version of the role violates role_version. */
  readonly version?: string | undefined;
}

/** Updates the given fields. If no value differs, `updated_at` stays as it is. */
export async function updateRole(
  tx: Tx,
  { merchantId, roleId, changes, at, version }: RoleMove,
): Promise<Role | undefined> {
  const [row] = await tx<{ role: Readonly<Record<string, unknown>> | null }[]>`
    select ${fn(tx, 'change_role')}(
      ${merchantId}, ${roleId}, ${ROLE_COLUMNS.toRow(changes)}::text::json, ${at}, ${version ?? null}
    ) as role`;
  return row?.role ? ROLE_COLUMNS.fromRow(row.role) : undefined;
}

/** Returns false if the role does not exist. If an employee has the role, the deletion violates role_in_use. */
export async function deleteUnusedRole(tx: Tx, merchantId: string, roleId: string): Promise<boolean> {
  const [row] = await tx<{ isDeleted: boolean }[]>`
    select ${fn(tx, 'delete_role')}(${merchantId}, ${roleId}) as is_deleted`;
  return row?.isDeleted ?? false;
}
