/**
 * Keeps the PostgreSQL that the programs of a folder share: prepares it, removes the databases of programs that are gone, and ends it after
 * the last of them. It is a process of its own, because each of the programs may end first, also by SIGKILL.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { connectAsSuperuser, disconnect } from '../embedded/connection.js';
import { DataFolderInUse, type EmbeddedPostgres, StartFailure, startEmbedded } from '../embedded/embedded.js';
import { tryProcessLock } from '../embedded/process-lock.js';
import { findAddress } from '../embedded/start.js';
import { beginUse, removeCluster } from './disposable.js';
import { databaseOfSession, isUsed, KEEPER, MEETING_DATABASE, USE_KEY } from './names.js';
import { prepareTemplate } from './template.js';

const TICK_MS = 100;
/** Test files that run one after the other find PostgreSQL still running. */
const LINGER_MS = 1_000;
/** Whoever started the keeper may be slow. */
const FIRST_LINGER_MS = 10_000;
/** After a crash of PostgreSQL all users lose their sessions, and come back as soon as it takes connections. */
const MISSING_MS = 10_000;

/** Returns when PostgreSQL has ended, or at once if another process keeps it. Throws if it cannot be prepared. */
export async function keep(dataDir: string, ending: AbortSignal): Promise<void> {
  if ((await tryProcessLock('keeper', dataDir)) === undefined) return; // the lock ends with this process
  const endUse = await beginUse(dataDir);
  const failing = new AbortController();
  const embedded = await startOrReplace(dataDir, (error) => failing.abort(error));
  if (embedded === undefined) return;
  try {
    await serveUsers(dataDir, AbortSignal.any([ending, failing.signal]));
  } finally {
    await embedded.stop();
  }
  failing.signal.throwIfAborted();
  await endUse();
}

async function startOrReplace(
  dataDir: string,
  onGiveUp: (error: Error) => void,
): Promise<EmbeddedPostgres | undefined> {
  const start = () => startEmbedded({ dataDir, isDisposable: true, onGiveUp });
  try {
    return await start().catch(async (error: unknown) => {
      if (!(error instanceof StartFailure && error.failure === 'other')) throw error;
      await removeCluster(dataDir); // files that were not synced may be damaged, and nobody misses them
      return start();
    });
  } catch (error) {
    if (error instanceof DataFolderInUse) return undefined;
    throw error;
  }
}

async function serveUsers(dataDir: string, ending: AbortSignal): Promise<void> {
  const address = await findAddress(dataDir);
  if (address === undefined) throw new Error(`The PostgreSQL in ${dataDir} has ended.`);
  const sql = connectAsSuperuser(address, { database: MEETING_DATABASE, applicationName: KEEPER });
  try {
    await prepareTemplate(sql, address);
    await new Users(dataDir, sql).untilAllAreGone(ending);
  } finally {
    await disconnect(sql);
  }
}

/** The programs that use the PostgreSQL, as the keeper sees them. */
class Users {
  readonly #dataDir: string;
  readonly #sql: postgres.Sql;
  /** Since when the user of a database has not been seen. */
  readonly #missing = new Map<string, number>();

  constructor(dataDir: string, sql: postgres.Sql) {
    this.#dataDir = dataDir;
    this.#sql = sql;
  }

  /** Then no other program can become a user any more. */
  async untilAllAreGone(ending: AbortSignal): Promise<void> {
    let lingerMs = FIRST_LINGER_MS;
    for (let emptySince = performance.now(); !ending.aborted; await sleep(TICK_MS)) {
      try {
        const present = await this.#listPresent();
        if (present.size > 0) [emptySince, lingerMs] = [performance.now(), LINGER_MS];
        await this.#removeMissing(present);
        if (performance.now() - emptySince < lingerMs || !(await this.#close())) continue;
        return await this.#removeMissing(present, 0);
      } catch {
        [emptySince, lingerMs] = [performance.now(), FIRST_LINGER_MS]; // PostgreSQL is restarted
      }
    }
  }

  async #listPresent(): Promise<ReadonlySet<string>> {
    const sessions = await this.#sql<{ application: string }[]>`
      select application_name as application from pg_stat_activity where application_name <> ''`;
    return new Set(sessions.flatMap(({ application }) => databaseOfSession(application) ?? []));
  }

  /** Fails for as long as somebody uses it. Whoever comes later waits until PostgreSQL has ended. */
  async #close(): Promise<boolean> {
    const [row] = await this.#sql<{ closed: boolean }[]>`select pg_try_advisory_lock(${USE_KEY}::bigint) as closed`;
    return row?.closed ?? false;
  }

  async #removeMissing(present: ReadonlySet<string>, patienceMs = MISSING_MS): Promise<void> {
    const databases = await this.#sql<{ name: string }[]>`select datname as name from pg_database`;
    const now = performance.now();
    for (const { name } of databases) {
      if (!isUsed(name)) continue;
      if (present.has(name)) {
        this.#missing.delete(name);
        continue;
      }
      if (!this.#missing.has(name)) this.#missing.set(name, now);
      if (now - (this.#missing.get(name) ?? now) >= patienceMs) await this.#remove(name);
    }
  }

  async #remove(name: string): Promise<void> {
    await this.#sql`drop database if exists ${this.#sql(name)} with (force)`;
    await rm(join(this.#dataDir, name), { recursive: true, force: true });
    this.#missing.delete(name);
  }
}
