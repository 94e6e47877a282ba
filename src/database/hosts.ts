/** Finds the PostgreSQL to work with among the hosts of a connection string: the one that can be written to. */
import type { Socket } from 'node:net';
import { UsageError } from '../base/config.js';
import { Connection, type ConnectionOptions, type Target } from './connection.js';
import { asUnavailable, DatabaseUnavailable, readOnlyDatabase } from './unavailable.js';

/** We write: a session that cannot is of no use to us. */
const WRITABLE = ['read-write', 'primary'];

/** The words of PostgreSQL's own clients. */
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

export interface Hosts {
  /** The connection string without what we look after ourselves. */
  readonly url: string;
  readonly mustBeWritable: boolean;
}

/** The driver would go from host to host by itself, each with a time limit of its own, and take what it once found for good. */
export function readHosts(url: string): Hosts {
  const [address = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get('target_session_attrs') ?? 'any';
  if (attributes !== 'any' && !WRITABLE.includes(attributes)) {
    throw new UsageError(
      `--database-url (DATABASE_URL) has target_session_attrs=${attributes}, but the server writes: use read-write.`,
    );
  }
  const sslMode = parameters.get('sslmode') ?? 'disable';
  if (!SSL_MODES.includes(sslMode)) {
    throw new UsageError(
      `--database-url (DATABASE_URL) has sslmode=${sslMode}, which is not one of ${SSL_MODES.join(', ')}.`,
    );
  }
  parameters.delete('target_session_attrs');
  const isList = /^[^/]*\/\/(?:[^/]*@)?[^/@]*,/.test(address);
  return {
    url: parameters.size === 0 ? address : `${address}?${parameters}`,
    mustBeWritable: attributes !== 'any' || isList,
  };
}

export class Dialler {
  readonly #targets: readonly Target[];
  readonly #mustBeWritable: boolean;
  readonly #options: ConnectionOptions;
  /**
   * Of the newest history that we have worked on: every promotion begins a new one. A former primary that comes back is writable
   * too, but what was done on it after that is lost.
   */
  #timeline = 0;
  /** Of connections that are being made: the bytes that have been heard on each. */
  readonly #heard = new Map<Socket, number>();

  constructor(targets: readonly Target[], hosts: Hosts, options: ConnectionOptions) {
    this.#targets = targets;
    this.#mustBeWritable = hosts.mustBeWritable;
    this.#options = options;
  }

  /** Called at every tick: whether the database has said anything since the last one on a connection that is being made. */
  listen(): boolean {
    if (this.#targets.length > 1) return false; // it may be another host that speaks
    let isHeard = false;
    for (const [socket, bytes] of this.#heard) {
      if (socket.bytesRead > bytes) isHeard = true;
      this.#heard.set(socket, socket.bytesRead);
    }
    return isHeard;
  }

  /** All hosts are asked at the same moment, so that one that does not answer costs no time. */
  async dial(): Promise<Connection> {
    const [only, ...others] = this.#targets;
    if (only && others.length === 0) return this.#open(only).then(({ connection }) => connection);
    const attempts = this.#targets.map((target) => this.#open(target));
    if (this.#timeline === 0) return this.#newest(await Promise.allSettled(attempts));
    try {
      const { connection } = await Promise.any(attempts);
      for (const attempt of attempts)
        void attempt.then(
          (other) => closeUnless(connection, other.connection),
          () => {},
        );
      return connection;
    } catch (error) {
      throw mostTelling((error as AggregateError).errors);
    }
  }

  /** Where we know nothing yet, two of them may be writable: then the younger history counts. */
  #newest(results: readonly PromiseSettledResult<Opened>[]): Connection {
    const opened = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const newest = opened.toSorted((one, other) => other.timeline - one.timeline)[0];
    if (!newest) throw mostTelling(results.map((each) => (each as PromiseRejectedResult).reason));
    for (const { connection } of opened) closeUnless(newest.connection, connection);
    return newest.connection;
  }

  async #open(target: Target): Promise<Opened> {
    let timeline = 0;
    const inspect = async (connection: Connection): Promise<void> => {
      timeline = await readTimeline(connection);
      if (timeline < this.#timeline) {
        throw new DatabaseUnavailable('a former primary is back; its history has ended', { code: '25006' });
      }
      this.#timeline = timeline;
    };
    let dialled: Socket | undefined;
    const onDial = (socket: Socket): void => {
      dialled = socket;
      this.#heard.set(socket, 0);
    };
    try {
      const options = { ...this.#options, onDial, ...(this.#mustBeWritable && { inspect }) };
      return { connection: await Connection.open(target, options), timeline };
    } finally {
      if (dialled) this.#heard.delete(dialled);
    }
  }
}

interface Opened {
  readonly connection: Connection;
  readonly timeline: number;
}

function closeUnless(chosen: Connection, other: Connection): void {
  if (other !== chosen) void other.close();
}

/** 0 where the database does not tell. */
async function readTimeline({ sql }: Connection): Promise<number> {
  const [row] = await sql<{ setting: string }[]>`select current_setting('transaction_read_only') as setting`;
  if (row?.setting !== 'off') throw readOnlyDatabase();
  const [found] = await sql<{ file: string }[]>`
    select pg_walfile_name(pg_current_wal_insert_lsn()) as file`.catch(() => []);
  return Number.parseInt(found?.file.slice(0, 8) ?? '0', 16);
}

/** That one is a standby says more than that another is down. */
function mostTelling(errors: readonly unknown[]): DatabaseUnavailable {
  const told = errors.map(asUnavailable);
  return told.find(({ code }) => code === '25006') ?? told[0] ?? readOnlyDatabase();
}
