/**
 * A database for one program, in a PostgreSQL that all programs of a folder share (decision 0269). The program that comes first starts a
 * keeper, a process of its own, which prepares that PostgreSQL and ends it after its last user.
 */
import { randomBytes } from 'node:crypto';
import { join as joinPath } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { makeDataFolder } from '../../base/data-folder.js';
import { connectAsSuperuser, databaseUrl, disconnect, SERVER_ROLE } from '../embedded/connection.js';
import { isLocked } from '../embedded/process-lock.js';
import { findAddress } from '../embedded/start.js';
import { KeeperProcess } from './keeper-process.js';
import { applicationOf, databaseOf, KEEPER, MEETING_DATABASE, PREPARED, USE_KEY } from './names.js';

const POLL_MS = 15;
/** A busy machine creates and migrates the first database for a while. */
const TIMEOUT_MS = 120_000;
/** After a crash PostgreSQL needs this long at most until it takes connections again. */
const RETURN_MS = 20_000;

export interface LeasedDatabase {
  /** For files of the program. It goes with the database. */
  readonly folder: string;
  /** With the ordinary role that owns the database. */
  readonly url: string;
  /** The keeper removes the database, also if the program is killed. */
  release(): Promise<void>;
}

/** Returns when the database is there. Starts a keeper if none runs on the folder. */
export async function leaseDatabase(dataDir: string): Promise<LeasedDatabase> {
  await makeDataFolder(dataDir);
  const since = performance.now();
  let keeper: KeeperProcess | undefined;
  try {
    for (;;) {
      const lease = await Lease.take(dataDir);
      if (lease) return lease;
      if (keeper?.failure !== undefined) throw new Error(keeper.failure);
      if ((keeper === undefined || keeper.hasEnded) && !(await isLocked('keeper', dataDir))) {
        keeper = await KeeperProcess.start(dataDir);
      }
      if (performance.now() - since > TIMEOUT_MS) {
        throw new Error(`The database in ${dataDir} was not ready within ${TIMEOUT_MS / 1000} seconds.`);
      }
      await sleep(POLL_MS);
    }
  } finally {
    keeper?.leave();
  }
}

/** A session as superuser. The keeper counts those, and removes the database of one that has ended. */
class Lease implements LeasedDatabase {
  readonly folder: string;
  readonly url: string;
  readonly #sql: postgres.Sql;
  #released = false;

  private constructor(sql: postgres.Sql, { folder, url }: Pick<LeasedDatabase, 'folder' | 'url'>) {
    this.folder = folder;
    this.url = url;
    this.#sql = sql;
  }

  /** Undefined if no keeper is ready for users. */
  static async take(dataDir: string): Promise<Lease | undefined> {
    const address = await findAddress(dataDir);
    if (address === undefined) return undefined;
    const name = databaseOf(process.pid, randomBytes(4).toString('hex'));
    let lease: Lease | undefined;
    const sql = connectAsSuperuser(address, {
      database: MEETING_DATABASE,
      applicationName: applicationOf(name),
      onclose: () => void lease?.return(),
    });
    try {
      if (await join(sql)) {
        const template = await untilPrepared(sql);
        await sql`create database ${sql(name)} template ${sql(template)} owner ${sql(SERVER_ROLE)} strategy file_copy`;
        lease = new Lease(sql, { folder: joinPath(dataDir, name), url: databaseUrl(address, name) });
        return lease;
      }
    } catch (error) {
      if (isAboutRoom(error)) throw error;
      // Otherwise PostgreSQL is not ready yet, or ends: the keeper says why.
    }
    await disconnect(sql);
    return undefined;
  }

  /** When one of its processes crashes, PostgreSQL closes all connections and continues. */
  async return(): Promise<void> {
    const since = performance.now();
    while (!this.#released && performance.now() - since < RETURN_MS) {
      if (await join(this.#sql).catch(() => false)) return;
      await sleep(POLL_MS);
    }
  }

  async release(): Promise<void> {
    this.#released = true;
    await disconnect(this.#sql);
  }
}

/** False if the keeper is about to end, or was killed: the next one stops the PostgreSQL that it has left. */
async function join(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ joined: boolean }[]>`
    select exists (select from pg_stat_activity where application_name = ${KEEPER})
      and pg_try_advisory_lock_shared(${USE_KEY}::bigint) as joined`;
  return row?.joined ?? false;
}

/** The name of the template. The connection is lost if the keeper cannot make it. */
async function untilPrepared(sql: postgres.Sql): Promise<string> {
  for (;;) {
    const [found] = await sql<{ name: string }[]>`
      select datname as name
      from pg_database
      where datistemplate and starts_with(datname, ${PREPARED})`;
    if (found) return found.name;
    await sleep(POLL_MS);
  }
}

/** Waiting would not help. */
function isAboutRoom(error: unknown): boolean {
  return ['53100', '53300'].includes((error as { code?: string }).code ?? '');
}
