/**
 * One connection to PostgreSQL, with a driver instance of its own that never reconnects. The driver's own pool loses connections
 * and statements if a connection ends while it is being opened, and sends the rest of a broken transaction on another connection.
 */
import { connect, type Socket } from 'node:net';
import { Stream } from 'node:stream';
import type postgres from 'postgres';
import { setActiveTimeout } from './active-timeout.js';
import { type AuthenticationRules, guardAuthentication } from './authentication.js';
import { backendPidOf, type DriverOptions, openDriver, runBy, type Statement } from './driver.js';
import { startTls, type TlsRules } from './secure-socket.js';
import { SilenceCounter } from './silence-counter.js';
import { asUnavailable, DatabaseUnavailable } from './unavailable.js';

/** The address of one PostgreSQL server. */
export type Target = { readonly host: string; readonly port: number } | { readonly path: string };

export interface ConnectionOptions extends AuthenticationRules {
  readonly url: string;
  readonly driver: DriverOptions;
  /** Undefined: no TLS. */
  readonly tls?: TlsRules | undefined;
  /** The timeout for opening the connection, including `inspect`. */
  readonly connectTimeoutMs: number;
  /** How long a statement waits for a lock; 0: as long as it takes. */
  readonly lockTimeoutMs: number;
  readonly onStatement?: ((text: string, parameters: readonly unknown[]) => void) | undefined;
  /** Called with the socket before it is connected. */
  readonly onDial?: ((socket: Socket) => void) | undefined;
  /** Checks the connection before it is used. Throws if it cannot be used. */
  readonly inspect?: (connection: Connection) => Promise<void>;
}

/** The events of a connection, for the pool. */
export interface ConnectionListener {
  onIdle(connection: Connection): void;
  onLost(connection: Connection, error: DatabaseUnavailable): void;
  onFailure(error: unknown): void;
}

export class Connection {
  /** The process id of the backend; undefined behind a connection pooler, which hides it. */
  pid: number | undefined;
  readonly target: Target;
  readonly since = performance.now();
  /** Reserved for a transaction. */
  isReserved = false;
  /** Gets no further statements, and is closed when it is idle. */
  isSpent = false;
  /** The node of a distributed database to which its statements in flight go; undefined: unknown, or several. */
  node: string | undefined;
  /** Called if the connection is lost while it is reserved. */
  onLostWhileReserved: ((error: DatabaseUnavailable) => void) | undefined;
  readonly silence = new SilenceCounter();
  /** How many lookups found that PostgreSQL does not work on the statement in flight. */
  doubts = 0;
  listener: ConnectionListener | undefined;
  readonly #socket: Socket;
  readonly #driver: postgres.Sql;
  readonly #send: (statement: Statement) => void;
  readonly #pending = new Set<Statement>();
  #lost: DatabaseUnavailable | undefined;
  #isOpen = false;
  #bytesSeen = 0;

  private constructor(socket: Socket, target: Target, { url, driver, onStatement }: ConnectionOptions) {
    this.#socket = socket;
    this.target = target;
    const address = 'path' in target ? { path: target.path } : { host: [target.host], port: [target.port] };
    const { sql, send } = openDriver(
      url,
      { ...driver, ...address },
      { socket, isOpen: () => this.#isOpen, onClose: () => this.lose(closed()), onStatement },
    );
    this.#driver = sql;
    this.#send = send;
    socket.on('error', (error) => this.lose(asUnavailable(error)));
    socket.on('close', () => this.lose(closed()));
  }

  /** Resolves after PostgreSQL has responded to a first statement. */
  static async open(target: Target, options: ConnectionOptions): Promise<Connection> {
    const socket = openSocket(target);
    options.onDial?.(socket);
    let connection: Connection | undefined;
    const timeout = new DatabaseUnavailable('the database did not respond in time', { code: 'CONNECT_TIMEOUT' });
    const cancelTimeout = setActiveTimeout(options.connectTimeoutMs, () => {
      if (connection) connection.lose(timeout);
      else socket.destroy(timeout);
    });
    try {
      await untilConnected(socket);
      const secured = options.tls && 'host' in target ? await startTls(socket, target.host, options.tls) : socket;
      connection = new Connection(guardAuthentication(secured, options), target, options);
      await connection.#begin(options.lockTimeoutMs);
      await options.inspect?.(connection);
      connection.#isOpen = true;
      return connection;
    } catch (error) {
      socket.destroy();
      throw asUnavailable(error);
    } finally {
      cancelTimeout();
    }
  }

  get isAlive(): boolean {
    return this.#lost === undefined;
  }

  /** The number of statements in flight. */
  get load(): number {
    return this.#pending.size;
  }

  get bytesReceived(): number {
    return this.#socket.bytesRead;
  }

  /** Runs statements on this connection. */
  get sql(): postgres.Sql {
    const sql = (strings: TemplateStringsArray, ...values: never[]) =>
      runBy(this.#driver(strings, ...values), (statement) => this.run(statement));
    return sql as unknown as postgres.Sql;
  }

  run(statement: Statement, onFailure?: (error: unknown) => void): void {
    if (this.#lost) return void statement.reject(this.#lost);
    const { resolve, reject } = statement;
    this.#pending.add(statement);
    statement.resolve = (value) => {
      // A copy resolves twice: the first time with the stream for its rows.
      if (!(statement.streaming && value instanceof Stream)) this.#settle(statement);
      resolve(value);
    };
    statement.reject = (error) => {
      onFailure?.(error);
      if (!this.#lost) this.listener?.onFailure(error);
      reject(error);
      this.#settle(statement);
    };
    this.#send(statement);
  }

  /** Closes the socket and rejects all statements in flight. */
  lose(error: DatabaseUnavailable): void {
    if (this.#lost) return;
    this.#lost = error;
    this.#socket.destroy();
    for (const statement of [...this.#pending]) statement.reject(error);
    this.#pending.clear();
    this.onLostWhileReserved?.(error);
    this.listener?.onLost(this, error);
  }

  /** Sends a Terminate message first, so that PostgreSQL does not log a lost connection. */
  async close(): Promise<void> {
    this.listener = undefined;
    if (!this.#lost)
      await Promise.race([this.#driver.end(), new Promise((resolve) => setActiveTimeout(500, () => resolve(0)))]);
    this.lose(new DatabaseUnavailable('the connection was closed', { code: 'CONNECTION_ENDED' }));
  }

  /** Called at every tick. Returns whether bytes were received since the last tick. */
  listen(): boolean {
    const hasReceivedBytes = this.bytesReceived > this.#bytesSeen;
    this.#bytesSeen = this.bytesReceived;
    this.silence.count(this.load > 0, hasReceivedBytes);
    if (this.silence.ticks === 0) this.doubts = 0;
    return hasReceivedBytes;
  }

  /** During a copy PostgreSQL waits for the client. */
  get isCopying(): boolean {
    for (const { streaming } of this.#pending) if (streaming) return true;
    return false;
  }

  #settle(statement: Statement): void {
    if (this.#pending.delete(statement) && this.#pending.size === 0 && !this.#lost) this.listener?.onIdle(this);
  }

  async #begin(lockTimeoutMs: number): Promise<void> {
    const statement = this.sql<{ pid: number }[]>`
      select pg_backend_pid() as pid, set_config('lock_timeout', ${String(lockTimeoutMs)}, false)`;
    const [row] = await statement;
    // The driver got a process id when it connected. If it is a different one, there is a pooler in between.
    this.pid = backendPidOf(statement) === row?.pid ? row?.pid : undefined;
  }
}

function closed(): DatabaseUnavailable {
  return new DatabaseUnavailable('the connection to the database was closed', { code: 'CONNECTION_CLOSED' });
}

/**
 * Nagle's algorithm is off. Otherwise a small message after a large one, as at the end of a copy, waits until the other side has
 * acknowledged the large one, which takes 40 ms.
 */
function openSocket(target: Target): Socket {
  return connect({ ...target, noDelay: true });
}

function untilConnected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(error instanceof Error ? error : closed());
    socket.once('error', fail).once('close', fail);
    socket.once('connect', () => {
      socket.off('error', fail).off('close', fail);
      resolve();
    });
  });
}
