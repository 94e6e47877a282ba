/** SQL for roles. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, type SortOrder, toPage } from '../../database/keyset.js';
import type { RegisterPermission } from '../../identity/permissions.js';
import type { Role, RoleChanges } from './model.js';

type RoleRow = Omit<Role, 'id'> & { roleId: string };

const columns = (sql: Sql) => sql`role_id, name, permissions, is_owner, created_at, updated_at`;

function toRole({ roleId, ...rest }: RoleRow): Role {
  return { id: roleId, ...rest };
}

export async function findRole(sql: Sql, merchantId: string, roleId: string): Promise<Role | undefined> {
  const [row] = await sql<RoleRow[]>`
    select ${columns(sql)}
    from roles
    where merchant_id = ${merchantId} and role_id = ${roleId}`;
  return row && toRole(row);
}

export async function listRoles(
  sql: Sql,
  { merchantId, order, page }: { merchantId: string; order: SortOrder; page: PageRequest },
): Promise<Page<Role>> {
  const rows = await sql<RoleRow[]>`
    select ${columns(sql)}
    from roles
    where merchant_id = ${merchantId}
    ${pageClause(sql, { at: 'created_at', id: 'role_id' }, page, order)}`;
  return toPage(rows.map(toRole), page.limit, (role) => ({ at: role.createdAt, id: role.id }));
}

export async function insertRole(tx: Tx, merchantId: string, role: Role): Promise<void> {
  await tx`
    insert into roles (merchant_id, role_id, name, permissions, is_owner, created_at, updated_at)
    values (
      ${merchantId}, ${role.id}, ${role.name}, ${role.permissions as RegisterPermission[]}::text[], ${role.isOwner},
      ${role.createdAt}, ${role.updatedAt}
    )`;
}

/** Updates the given fields. If no value differs, `updated_at` stays as it is. */
export async function updateRole(
  tx: Tx,
  { merchantId, roleId, changes, at }: { merchantId: string; roleId: string; changes: RoleChanges; at: Instant },
): Promise<Role | undefined> {
  const name = tx`coalesce(${changes.name ?? null}, name)`;
  const permissions = tx`coalesce(${(changes.permissions as RegisterPermission[] | undefined) ?? null}::text[], permissions)`;
  const isOwner = tx`coalesce(${changes.isOwner ?? null}::boolean, is_owner)`;
  const [row] = await tx<RoleRow[]>`
    update roles
    set
      name = ${name},
      permissions = ${permissions},
      is_owner = ${isOwner},
      updated_at = case
        when (name, permissions, is_owner) is distinct from (${name}, ${permissions}, ${isOwner}) then ${at}
        else updated_at
      end
    where merchant_id = ${merchantId} and role_id = ${roleId}
    returning ${columns(tx)}`;
  return row && toRole(row);
}
