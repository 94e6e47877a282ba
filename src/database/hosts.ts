/** Connects to the writable PostgreSQL server among the hosts of a connection string. */
import type { Socket } from 'node:net';
import { UsageError } from '../base/config.js';
import { Connection, type ConnectionOptions, type Target } from './connection.js';
import { type TlsFiles, takeTlsFiles } from './tls-files.js';
import { asUnavailable, DatabaseUnavailable, readOnlyDatabase } from './unavailable.js';

/** The server writes, so it cannot use other values of `target_session_attrs`. */
const WRITABLE = ['read-write', 'primary'];

export interface Hosts {
  /** The connection string without the parameters that this file handles. */
  readonly url: string;
  readonly mustBeWritable: boolean;
  readonly tlsFiles: TlsFiles;
}

/** The driver would try the hosts one after the other, each with its own timeout, and never leave the first host that it finds. */
export function parseHosts(url: string): Hosts {
  const [address = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get('target_session_attrs') ?? 'any';
  if (attributes !== 'any' && !WRITABLE.includes(attributes)) {
    throw new UsageError(
      `--database-url (DATABASE_URL) has target_session_attrs=${attributes}, but the server must write: use read-write.`,
    );
  }
  const tlsFiles = takeTlsFiles(parameters);
  parameters.delete('target_session_attrs');
  const isList = /^[^/]*\/\/(?:[^/]*@)?[^/@]*,/.test(address);
  return {
    url: parameters.size === 0 ? address : `${address}?${parameters}`,
    mustBeWritable: attributes !== 'any' || isList,
    tlsFiles,
  };
}

export class HostConnector {
  readonly #targets: readonly Target[];
  readonly #mustBeWritable: boolean;
  readonly #options: ConnectionOptions;
  /**
   * The newest timeline that was used. Every promotion of a standby begins a new one. A former primary that returns is
   * writable too, but writes to it would be lost.
   */
  #timeline = 0;
  /** The number of bytes received on each socket that is still connecting. */
  readonly #bytesReceived = new Map<Socket, number>();

  constructor(targets: readonly Target[], hosts: Hosts, options: ConnectionOptions) {
    this.#targets = targets;
    this.#mustBeWritable = hosts.mustBeWritable;
    this.#options = options;
  }

  /** Called at every tick. Returns whether a connection that is being opened has received bytes since the last tick. */
  listen(): boolean {
    if (this.#targets.length > 1) return false; // the bytes can come from another host
    let hasReceivedBytes = false;
    for (const [socket, bytes] of this.#bytesReceived) {
      if (socket.bytesRead > bytes) hasReceivedBytes = true;
      this.#bytesReceived.set(socket, socket.bytesRead);
    }
    return hasReceivedBytes;
  }

  /** Connects to all hosts at the same time, so that a host that does not respond costs no time. */
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
      throw mostSpecificError((error as AggregateError).errors);
    }
  }

  /** On the first connection two hosts can be writable. The one with the newest timeline is used. */
  #newest(results: readonly PromiseSettledResult<Opened>[]): Connection {
    const opened = results.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const newest = opened.toSorted((one, other) => other.timeline - one.timeline)[0];
    if (!newest) throw mostSpecificError(results.map((each) => (each as PromiseRejectedResult).reason));
    for (const { connection } of opened) closeUnless(newest.connection, connection);
    return newest.connection;
  }

  async #open(target: Target): Promise<Opened> {
    let timeline = 0;
    const inspect = async (connection: Connection): Promise<void> => {
      timeline = await readTimeline(connection);
      if (timeline < this.#timeline) {
        throw new DatabaseUnavailable('the host is a former primary with an old timeline', { code: '25006' });
      }
      this.#timeline = timeline;
    };
    let connecting: Socket | undefined;
    const onDial = (socket: Socket): void => {
      connecting = socket;
      this.#bytesReceived.set(socket, 0);
    };
    try {
      const options = { ...this.#options, onDial, ...(this.#mustBeWritable && { inspect }) };
      return { connection: await Connection.open(target, options), timeline };
    } finally {
      if (connecting) this.#bytesReceived.delete(connecting);
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

/** Returns 0 if the database does not report its timeline. Throws if it is read-only. */
async function readTimeline({ sql }: Connection): Promise<number> {
  const [row] = await sql<{ setting: string }[]>`select current_setting('transaction_read_only') as setting`;
  if (row?.setting !== 'off') throw readOnlyDatabase();
  const [found] = await sql<{ file: string }[]>`
    select pg_walfile_name(pg_current_wal_insert_lsn()) as file`.catch(() => []);
  return Number.parseInt(found?.file.slice(0, 8) ?? '0', 16);
}

/** That one host is a standby is more useful to know than that another one is down. */
function mostSpecificError(errors: readonly unknown[]): DatabaseUnavailable {
  const failures = errors.map(asUnavailable);
  return failures.find(({ code }) => code === '25006') ?? failures[0] ?? readOnlyDatabase();
}
