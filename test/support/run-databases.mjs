/**
 * The databases that a test run creates, and who drops them: the process that cleans up after the run, or else the next run on the same
 * server. Their names begin with the name of the run, which is also the name of a connection that the run holds while it lives. Plain
 * JavaScript, because the process that cleans up is.
 */
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';

const PREFIX = 'tillhouse_run_';
const INSUFFICIENT_PRIVILEGE = '42501';
/** Autovacuum needs less for a small database, even on a busy machine. */
const PATIENCE_MS = 60_000;

/** The folder of a run has a random name, so the end of it identifies the run. A run inside a run has a folder of its own. */
function nameOf(folder) {
  return `${PREFIX}${basename(folder).split('-').at(-1).toLowerCase()}`;
}

/** Shows other runs that this one lives, and drops the databases of runs that do not. The first server shows who lives. */
export async function beginRun(servers, folder) {
  const name = nameOf(folder);
  const sign = connectTo(servers[0], { max_lifetime: null, connection: { application_name: name } });
  await sign`select 1`;
  await dropAbandoned(servers);
  return { databasePrefix: `${name}_`, end: () => sign.end() };
}

/** Drops all databases of a run that has ended. */
export async function dropRun(servers, folder) {
  for (const url of servers) {
    const names = await listDatabases(url);
    await dropDatabases(
      url,
      names.filter((name) => name.startsWith(`${nameOf(folder)}_`)),
    );
  }
}

async function dropAbandoned(servers) {
  // Databases first: a run that begins meanwhile shows that it lives before it creates one.
  const found = await Promise.all(servers.map(async (url) => [url, await listDatabases(url)]));
  const living = await withConnection(servers[0], (sql) =>
    sql`select application_name from pg_stat_activity where starts_with(application_name, ${PREFIX})`.values(),
  );
  for (const [url, names] of found) {
    await dropDatabases(
      url,
      names.filter((name) => !living.flat().some((run) => name.startsWith(`${run}_`))),
    );
  }
}

/** Without those of other roles, which only they can drop. */
async function listDatabases(url) {
  const rows = await withConnection(url, (sql) =>
    sql`
      select datname
      from pg_database
      where starts_with(datname::text, ${PREFIX}) and pg_has_role(datdba, 'usage')`.values(),
  );
  return rows.flat();
}

async function dropDatabases(url, names) {
  await withConnection(url, async (sql) => {
    for (const name of names) await dropDatabase(sql, name);
  });
}

/** Waits for autovacuum: it belongs to the superuser, so an ordinary role cannot end it. */
export async function dropDatabase(sql, name) {
  for (const until = Date.now() + PATIENCE_MS; ; ) {
    try {
      return void (await sql.unsafe(`drop database if exists ${name} with (force)`));
    } catch (error) {
      if (error.code !== INSUFFICIENT_PRIVILEGE || Date.now() > until) throw error;
      await sleep(100);
    }
  }
}

export function inDatabase(serverUrl, name) {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function withConnection(url, work) {
  const sql = connectTo(url);
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

function connectTo(url, options = {}) {
  return postgres(url, { max: 1, fetch_types: false, onnotice: () => {}, ...options });
}
