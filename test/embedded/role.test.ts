/** The privileges of the server's role in the embedded PostgreSQL, and how data folders of earlier versions are converted. */
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
import { startEmbedded } from '../../src/database/embedded/embedded.js';
import { migrate } from '../../src/database/migrate.js';
import { superuserUrl } from '../support/superuser.js';
import { clearAway, connect, later, usedDataDir } from './embedded-fixture.js';

afterEach(clearAway);

async function start(dataDir: string): Promise<string> {
  const embedded = await startEmbedded({ dataDir });
  later(() => embedded.stop());
  return embedded.url;
}

describe("the server's role", () => {
  it('owns its database, and has no privileges over the machine, the cluster or other roles', async () => {
    const dataDir = await usedDataDir();
    const url = await start(dataDir);
    const sql = connect(url);
    const [role] = await sql`
      select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
        (select pg_get_userbyid(datdba) = current_user from pg_database where datname = current_database()) as owns,
        (select array_agg(roleid::regrole::text) from pg_auth_members where member = pg_roles.oid) as memberships
      from pg_roles
      where rolname = current_user`;
    expect(role).toEqual({
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      owns: true,
      memberships: null,
    });
    for (const statement of [
      `copy (select 1) to program 'true'`,
      `select pg_read_file('postgresql.conf')`,
      `alter system set fsync = off`,
      `create role another superuser`,
      `set role tillhouse`,
      `select rolpassword from pg_authid`,
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'tillhouse'`,
    ]) {
      await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('has its own password, and authenticates only by SCRAM', async () => {
    const dataDir = await usedDataDir();
    const url = new URL(await start(dataDir));
    const admin = new URL(await superuserUrl(url.href, dataDir));
    expect(url.password).not.toBe(admin.password);
    [url.username, admin.username] = [admin.username, url.username];
    for (const mixed of [url, admin])
      await expect(connect(mixed.href)`select 1`).rejects.toMatchObject({ code: '28P01' });

    const superuser = connect(await superuserUrl(url.href, dataDir));
    expect(await superuser`select distinct auth_method from pg_hba_file_rules`).toEqual([
      { auth_method: 'scram-sha-256' },
    ]);
    expect(
      await superuser`select distinct split_part(rolpassword, '$', 1) as kind from pg_authid where rolcanlogin`,
    ).toEqual([{ kind: 'SCRAM-SHA-256' }]);
  });

  it('loses at the next start the privileges that were granted to it', async () => {
    const dataDir = await usedDataDir();
    const first = await startEmbedded({ dataDir });
    await connect(
      await superuserUrl(first.url, dataDir),
    )`alter role tillhouse_server superuser createdb password 'other'`;
    await first.stop();
    const [role] = await connect(await start(dataDir))`
      select rolsuper, rolcreatedb from pg_roles where rolname = current_user`;
    expect(role).toEqual({ rolsuper: false, rolcreatedb: false });
  });
});

describe('a data folder of a version that worked as superuser', () => {
  /** As that version left it: one role, which owns everything. */
  async function olderDataDir(): Promise<string> {
    const dataDir = await usedDataDir();
    const embedded = await startEmbedded({ dataDir });
    const maintenance = new URL(await superuserUrl(embedded.url, dataDir));
    maintenance.pathname = '/postgres';
    const superuser = connect(maintenance.href);
    await superuser`drop database tillhouse`;
    await superuser`drop role tillhouse_server`;
    await superuser`create database tillhouse`;
    const database = openDatabase(await superuserUrl(embedded.url, dataDir), { maxConnections: 1 });
    await migrate(database);
    await database.sql.unsafe(`
      create schema "Other Things";
      create type "Other Things".colour as enum ('red', 'green');
      create type pair as (a integer, b integer);
      create domain small as integer check (value < 10);
      create type span as range (subtype = integer);
      create sequence "Numbers";
      create table "Other Things"."Notes" (
        id integer generated always as identity,
        serial_id serial,
        number bigint default nextval('"Numbers"'),
        colour "Other Things".colour,
        note text
      ) partition by list (colour);
      create table red_notes partition of "Other Things"."Notes" for values in ('red');
      create view all_notes as select * from "Other Things"."Notes";
      create materialized view counted as select count(*) from all_notes;
      create function add(integer, b integer default 1) returns integer language sql as 'select $1 + b';
      create procedure nothing() language sql as '';
      create aggregate total(integer) (sfunc = int4pl, stype = integer);
      insert into all_notes (colour, note) values ('red', 'kept');`);
    await database.close();
    await superuser.end();
    await embedded.stop();
    return dataDir;
  }

  it('belongs to the ordinary role after the next start, with everything in it, also after a second start', async () => {
    const dataDir = await olderDataDir();
    await (await startEmbedded({ dataDir })).stop(); // converts it
    const url = await start(dataDir);
    const sql = connect(url);
    expect(await sql`select note, number from all_notes`).toEqual([{ note: 'kept', number: '1' }]);
    await expect(connect(await superuserUrl(url, dataDir))`select note from all_notes`).resolves.toHaveLength(1);
    expect(
      await sql`
        select n.nspname, c.relname, c.relkind
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        where n.nspname not in ('pg_catalog', 'pg_toast', 'information_schema')
          and pg_get_userbyid(c.relowner) <> current_user`,
    ).toEqual([]);
    expect(
      await sql`
        select proname as name from pg_proc
        where pronamespace = 'public'::regnamespace and pg_get_userbyid(proowner) <> current_user
        union all
        select typname from pg_type
        where typnamespace in ('public'::regnamespace, '"Other Things"'::regnamespace)
          and pg_get_userbyid(typowner) <> current_user
        union all
        select nspname from pg_namespace where nspname = 'Other Things' and pg_get_userbyid(nspowner) <> current_user`,
    ).toEqual([]);

    // What migrations do, also to objects that this version did not create.
    const database = openDatabase(url, { maxConnections: 1, requireScram: true });
    later(() => database.close());
    expect(await migrate(database)).toEqual([]);
    await database.sql.unsafe(`
      alter table merchants add column colour text;
      create index merchants_colour on merchants (colour);
      alter type "Other Things".colour add value 'blue';
      drop schema "Other Things" cascade;
      create extension pgcrypto;`);
  });
});
