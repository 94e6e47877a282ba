/** Creates the server's role in the embedded PostgreSQL, and the database that the role owns. */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import {
  connectAsSuperuser,
  DATABASE,
  type PostgresAddress,
  SERVER_ROLE,
  SUPERUSER,
  serverPassword,
} from './connection.js';

/** The default of PostgreSQL. The password has 256 random bits, so more iterations would add no protection. */
const SCRAM_ITERATIONS = 4096;

/** Only the holder of the folder lock calls this, so it never runs twice at the same time. */
export async function prepareDatabase(superuser: postgres.Sql, address: PostgresAddress): Promise<void> {
  await prepareRole(superuser, serverPassword(address));
  const [database] = await superuser<{ owner: string }[]>`
    select pg_get_userbyid(datdba) as owner
    from pg_database
    where datname = ${DATABASE}`;
  if (database === undefined) {
    await superuser`create database ${superuser(DATABASE)} owner ${superuser(SERVER_ROLE)}`;
  } else if (database.owner !== SERVER_ROLE) {
    await transferOwnership(address);
  }
}

/** Resets the role at every start, so that it has the password of the folder and no additional rights. */
async function prepareRole(superuser: postgres.Sql, password: string): Promise<void> {
  const [known] = await superuser`select from pg_roles where rolname = ${SERVER_ROLE}`;
  await superuser.unsafe(
    `${known ? 'alter' : 'create'} role ${SERVER_ROLE} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls ` +
      `password '${scramVerifier(password)}'`,
  );
}

/** The stored form of a password (RFC 5803). A plain password could appear in a log of statements. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const keyed = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const server = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}

/**
 * Earlier versions ran the server as superuser, which therefore owns everything. `reassign owned` does not work for the first
 * superuser of a cluster, so the owner of each object is changed separately, in one transaction.
 */
async function transferOwnership(address: PostgresAddress): Promise<void> {
  const superuser = connectAsSuperuser(address, { database: DATABASE, applicationName: 'tillhouse handover' });
  try {
    await superuser.begin(async (tx) => {
      const statements = await tx<{ statement: string }[]>`
        with ours as (
          select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
        ), superuser as (
          select oid from pg_roles where rolname = ${SUPERUSER}
        ), of_extensions as (
          select classid, objid from pg_depend where deptype = 'e'
        ), things as (
          select 'pg_namespace'::regclass as class, n.oid, format('schema %I', n.nspname) as name
          from pg_namespace n
          where n.nspowner = (select oid from superuser) and n.oid in (select oid from ours)
          union all
          -- Tables, views and sequences. The sequence of a column follows its table.
          select 'pg_class'::regclass, c.oid, format('table %s', c.oid::regclass)
          from pg_class c
          where c.relowner = (select oid from superuser) and c.relnamespace in (select oid from ours)
            and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
            and not (c.relkind = 'S' and exists (
              select from pg_depend d
              where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
            ))
          union all
          select 'pg_type'::regclass, t.oid, format('type %s', t.oid::regtype)
          from pg_type t
          left join pg_class c on c.oid = t.typrelid
          where t.typowner = (select oid from superuser) and t.typnamespace in (select oid from ours)
            and (t.typtype in ('e', 'd', 'r') or c.relkind = 'c')
          union all
          select 'pg_proc'::regclass, p.oid, format('routine %s', p.oid::regprocedure)
          from pg_proc p
          where p.proowner = (select oid from superuser) and p.pronamespace in (select oid from ours)
        )
        select format('alter %s owner to %I', name, ${SERVER_ROLE}::text) as statement
        from things
        where not exists (select from of_extensions e where e.classid = things.class and e.objid = things.oid)`;
      for (const { statement } of statements) await tx.unsafe(statement);
      await tx`alter database ${tx(DATABASE)} owner to ${tx(SERVER_ROLE)}`;
    });
  } finally {
    await superuser.end({ timeout: 5 });
  }
}
