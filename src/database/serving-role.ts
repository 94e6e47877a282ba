/**
 * A role that serves but may not change the schema (decision 0229). The owner of the tables grants it what a server needs after every
 * migration. Which roles serve is not stored: they are those that may record the use of functions.
 */
import { UsageError } from '../base/config.js';
import { isDistributed } from './distribution.js';
import { functionSchema, recordFunctionUse } from './functions.js';
import { listApplied, type Migration, refuseUnknown, UnusableDatabase } from './migrations.js';
import type { Sql, Tx } from './sql.js';

/** Only a migration writes this table. */
const READ_ONLY = 'schema_migrations';

export interface Rights {
  readonly role: string;
  /** The owner of the tables, or of a schema that is still empty. */
  readonly owner: string;
  readonly hasTables: boolean;
  readonly mayMigrate: boolean;
}

export async function findRights(sql: Sql): Promise<Rights> {
  const [row] = await sql<Rights[]>`
    select
      current_user::text as role,
      coalesce(pg_get_userbyid(c.relowner), pg_get_userbyid(d.datdba))::text as owner,
      c.oid is not null as has_tables,
      case
        when c.oid is null then
          has_schema_privilege(current_schema(), 'create') and has_database_privilege(current_database(), 'create')
        else pg_has_role(c.relowner, 'usage')
      end as may_migrate
    from pg_database d
    left join pg_class c on c.oid = to_regclass(${READ_ONLY})
    where d.datname = current_database()`;
  if (!row) throw new Error('PostgreSQL does not list the database of the connection.');
  return { ...row, mayMigrate: row.mayMigrate ?? false }; // there is no schema that the role may use
}

/** For a role that may not migrate: throws unless this version can serve from the database as it is. */
export async function requireMigrated(sql: Sql, { role, owner, hasTables }: Rights, known: readonly Migration[]) {
  const remedy = `Run this with the role ${owner}, which owns the database, and start again: tillhouse migrate`;
  const grant = `${remedy} --serve-role ${role}`;
  const cannot = `The role ${role} may not change the schema`;
  if (!hasTables) throw new UnusableDatabase(`${cannot}, and the database has no tables of Tillhouse. ${grant}`);
  const missing = await findMissingRight(sql);
  if (missing !== undefined) throw new UnusableDatabase(`The role ${role} may not use ${missing}. ${grant}`);
  const applied = await listApplied(sql);
  refuseUnknown(known, applied, 'database');
  const pending = known.slice(applied.length).map(({ name }) => name);
  if (pending.length > 0) {
    throw new UnusableDatabase(
      `${cannot}, and this version has migrations that the database lacks: ${pending.join(', ')}. ${remedy}`,
    );
  }
  const functions = await sql`select from pg_namespace where nspname = ${functionSchema()}`;
  if (functions.length === 0) {
    throw new UnusableDatabase(`${cannot}, and the database lacks the functions of this version. ${remedy}`);
  }
  await recordFunctionUse(sql as Tx);
}

/** A restored database, for example, has the tables and no rights. */
async function findMissingRight(sql: Sql): Promise<string | undefined> {
  const [found] = await sql<{ name: string }[]>`
    select 'the table ' || relname as name
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and relowner = (select relowner from pg_class where oid = to_regclass(${READ_ONLY}))
      and not (
        has_table_privilege(oid, 'select')
        and (
          relname = ${READ_ONLY}
          or has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')
        )
      )
    union all
    select 'the schema ' || nspname
    from pg_namespace
    where nspname = ${functionSchema()} and not has_schema_privilege(oid, 'usage')
    order by name
    limit 1`;
  return found?.name;
}

/** The roles that serve, apart from the owner. */
async function listServingRoles(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ role: string }[]>`
    select pg_get_userbyid(grantee)::text as role
    from pg_class, aclexplode(relacl)
    where oid = to_regclass('function_schemas') and privilege_type = 'INSERT' and grantee <> relowner and grantee <> 0
    order by role`;
  return rows.map(({ role }) => role);
}

/** Throws if the role cannot serve: it does not exist, or it could change the tables anyway. */
export async function requireServingRole(tx: Tx, role: string): Promise<void> {
  if (await isDistributed(tx)) {
    throw new UsageError('--serve-role cannot be used with a distributed database: its servers need a superuser.');
  }
  const [found] = await tx<{ owns: boolean; creates: boolean }[]>`
    select
      pg_has_role(oid, current_user, 'usage') or rolsuper as owns,
      has_schema_privilege(oid, current_schema(), 'create') as creates
    from pg_roles
    where rolname = ${role}`;
  if (!found) {
    throw new UsageError(
      `--serve-role: PostgreSQL has no role ${role}. Create it first: create role ${role} login password '...'`,
    );
  }
  if (found.owns) {
    throw new UsageError(
      `--serve-role: the role ${role} can change the tables, because it owns them. Name another role.`,
    );
  }
  if (found.creates) {
    throw new UsageError(
      `--serve-role: the role ${role} can create tables. Revoke that first: revoke create on schema public from public, ${role}`,
    );
  }
}

/** Called after tables were created: the roles that serve can use them too. */
export async function keepServing(tx: Tx, added?: string): Promise<void> {
  await grantServing(tx, [...new Set([...(await listServingRoles(tx)), ...(added === undefined ? [] : [added])])]);
}

/** For a command that creates tables. */
export async function requireOwner(sql: Sql, command: string): Promise<void> {
  const { role, owner, mayMigrate } = await findRights(sql);
  if (mayMigrate) return;
  throw new UsageError(`tillhouse ${command} creates tables, so only the role ${owner} can run it, not ${role}.`);
}

/** Rights on all rows and functions, and on nothing else. */
async function grantServing(tx: Tx, roles: readonly string[]): Promise<void> {
  if (roles.length === 0) return;
  const [place] = await tx<{ database: string; schema: string; ours: string[]; installed: string[] }[]>`
    select
      current_database()::text as database,
      (select nspname::text from pg_namespace where oid = t.relnamespace) as schema, -- not the current one: that of the functions may be before it
      array(
        select relname::text
        from pg_class
        where relnamespace = t.relnamespace and relkind in ('r', 'p') and oid <> t.oid and pg_has_role(relowner, 'usage')
      ) as ours,
      array(
        select nspname::text
        from pg_namespace
        join function_schemas on name = nspname
        where pg_has_role(nspowner, 'usage')
      ) as installed
    from pg_class t
    where t.oid = to_regclass(${READ_ONLY})`;
  if (!place) throw new Error('PostgreSQL did not list the tables.');
  const [ours, installed, schema] = [quote(place.ours), quote(place.installed), quote([place.schema])];
  for (const role of roles) {
    const to = `to ${quote([role])}`;
    // PostgreSQL takes no parameters here, and the driver would read `insert` and `update` as the beginning of a list of values.
    const statements = [
      `grant connect, temporary on database ${quote([place.database])} ${to}`, // a temporary table shows whether the disk is full
      `grant usage on schema ${schema} ${to}`,
      `grant select on ${quote([READ_ONLY])} ${to}`,
      `grant select, insert, update, delete on ${ours} ${to}`,
      `grant usage, select on all sequences in schema ${schema} ${to}`,
      `grant usage on schema ${installed} ${to}`,
      `grant execute on all functions in schema ${installed} ${to}`,
    ];
    for (const statement of statements) await tx.unsafe(statement);
  }
}

function quote(names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');
}
