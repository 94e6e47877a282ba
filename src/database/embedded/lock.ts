/** The lock of a data folder: an advisory lock in its PostgreSQL. The process that holds it owns the folder. */
import type postgres from 'postgres';
import { connectAsSuperuser, disconnect, type PostgresAddress } from './connection.js';

/** Advisory locks belong to a database. This one exists from the beginning. */
const LOCK_DATABASE = 'postgres';
/** Any fixed number works. This one is "tillhous" in ASCII. */
const LOCK_KEY = 0x74_69_6c_6c_68_6f_75_73n.toString();

export type HolderRole = 'server' | 'command';

export interface Holder {
  readonly role: HolderRole;
  readonly pid: number;
}

/** Another running process uses the data folder. Nothing was changed in it. */
export class DataFolderInUse extends Error {
  constructor(dataDir: string, holder: Holder | { readonly postmasterPid: number }) {
    super(
      'postmasterPid' in holder
        ? `The data folder ${dataDir} is in use by a PostgreSQL (process ${holder.postmasterPid}) that does not respond. ` +
            'Stop that process, or use another data folder.'
        : `The data folder ${dataDir} is in use by a Tillhouse ${holder.role} (process ${holder.pid}). ` +
            (holder.role === 'server'
              ? 'Stop that server first, or use another data folder.'
              : 'Retry when that command has finished, or use another data folder.'),
    );
    this.name = 'DataFolderInUse';
  }
}

/** Finds the holder of the lock without trying to take it, so that it never blocks a start. */
export async function findHolder(address: PostgresAddress): Promise<Holder | undefined> {
  const sql = connect(address, 'tillhouse look');
  try {
    return await selectHolder(sql);
  } finally {
    await disconnect(sql);
  }
}

/** The lock lasts as long as its connection. `onLost` is called if the connection is lost before `release`. */
export class FolderLock {
  /** The connection that holds the lock. The holder may run statements on it. */
  readonly sql: postgres.Sql;
  #released = false;

  private constructor(sql: postgres.Sql) {
    this.sql = sql;
  }

  /** Returns the lock, or its holder if another process has it. */
  static async take(
    address: PostgresAddress,
    { role, onLost }: { role: HolderRole; onLost: () => void },
  ): Promise<FolderLock | Holder> {
    let lock: FolderLock | undefined;
    const sql = connect(address, `tillhouse ${role} ${process.pid}`, () => {
      if (lock !== undefined && !lock.#released) onLost();
    });
    try {
      for (;;) {
        const [row] = await sql<{ granted: boolean }[]>`select pg_try_advisory_lock(${LOCK_KEY}::bigint) as granted`;
        if (row?.granted) {
          lock = new FolderLock(sql);
          return lock;
        }
        const holder = await selectHolder(sql);
        if (holder !== undefined) {
          await disconnect(sql);
          return holder;
        }
      }
    } catch (error) {
      await disconnect(sql);
      throw error;
    }
  }

  async release(): Promise<void> {
    this.#released = true;
    await disconnect(this.sql);
  }
}

function connect(address: PostgresAddress, applicationName: string, onclose?: () => void): postgres.Sql {
  return connectAsSuperuser(address, { database: LOCK_DATABASE, applicationName, ...(onclose && { onclose }) });
}

async function selectHolder(sql: postgres.Sql): Promise<Holder | undefined> {
  const [row] = await sql<{ application: string }[]>`
    select coalesce(a.application_name, '') as application
    from pg_locks l
    left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory'
      and l.database = (select oid from pg_database where datname = current_database())
      and (l.classid::bigint << 32) | l.objid::bigint = ${LOCK_KEY}::bigint
      and l.objsubid = 1
      and l.granted`;
  if (row === undefined) return undefined;
  const [, role, pid] = /^tillhouse (server|command) (\d+)$/.exec(row.application) ?? [];
  return { role: role === 'command' ? 'command' : 'server', pid: Number(pid ?? 0) };
}
