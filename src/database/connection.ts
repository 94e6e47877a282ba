/**
 * One connection to PostgreSQL, spoken by a driver of its own that never connects again: the driver's pool loses connections and
 * statements when a connection ends at a bad moment, and would send the rest of a broken transaction on somebody else's connection.
 */
import { connect, type Socket } from 'node:net';
import { Stream } from 'node:stream';
import postgres from 'postgres';
import { type AuthenticationRules, guardAuthentication } from './authentication.js';
import { afterPatience } from './patience.js';
import { startTls, type TlsRules } from './secure-socket.js';
import { Silence } from './silence.js';
import { asUnavailable, DatabaseUnavailable } from './unavailable.js';

/** Where one PostgreSQL listens. */
export type Target = { readonly host: string; readonly port: number } | { readonly path: string };

/** What the driver makes of a statement, as far as we touch it. It waits until somebody hands it to a connection. */
export interface Statement {
  /** To whom it is handed when it is awaited. */
  handler: (statement: Statement) => void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly streaming?: boolean;
}

export interface ConnectionOptions extends AuthenticationRules {
  readonly url: string;
  readonly driver: postgres.Options<Record<string, postgres.PostgresType>>;
  /** Absent: without TLS. */
  readonly tls?: TlsRules | undefined;
  /** How long making it may take. */
  readonly patienceMs: number;
  readonly onStatement?: ((text: string, parameters: readonly unknown[]) => void) | undefined;
  /** Gets the socket as soon as it is opened. */
  readonly onDial?: ((socket: Socket) => void) | undefined;
  /** Looks at it before anybody uses it, in the same time; throws where it is of no use. */
  readonly inspect?: (connection: Connection) => Promise<void>;
}

/** What the pool wants to hear from a connection. */
export interface ConnectionListener {
  onIdle(connection: Connection): void;
  onLost(connection: Connection, error: DatabaseUnavailable): void;
  onFailure(error: unknown): void;
}

export class Connection {
  /** The process that serves it; undefined where something in between hides that. */
  pid: number | undefined;
  readonly target: Target;
  readonly since = performance.now();
  /** Held for a transaction. */
  isReserved = false;
  /** Told when the connection is lost while it is reserved. */
  onLostWhileReserved: ((error: DatabaseUnavailable) => void) | undefined;
  readonly silence = new Silence();
  /** How often PostgreSQL did not know of the work that is waited for. */
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
    let isHandedOut = false;
    const settings = {
      ...driver,
      ...('path' in target ? { path: target.path } : { host: [target.host], port: [target.port] }),
      ssl: false, // ours is below the driver, so that the guard reads what the server asks
      max: 1,
      connect_timeout: 0,
      idle_timeout: 0,
      max_lifetime: null,
      onclose: () => this.lose(closed()),
      ...(onStatement && {
        debug: (_: number, text: string, parameters: unknown[]) => this.#isOpen && onStatement(text, parameters),
      }),
      // Asked a second time, the driver wants to connect again: what it still holds was rejected when the connection was lost.
      socket: () => {
        if (!isHandedOut) {
          isHandedOut = true;
          return socket;
        }
        this.lose(closed());
        return new Promise(() => {});
      },
    };
    this.#driver = postgres(url, settings as unknown as ConnectionOptions['driver']);
    this.#send = (this.#driver`` as unknown as Statement).handler;
    socket.on('error', (error) => this.lose(asUnavailable(error)));
    socket.on('close', () => this.lose(closed()));
  }

  /** Resolves when PostgreSQL has answered a first statement on it. */
  static async open(target: Target, options: ConnectionOptions): Promise<Connection> {
    const socket = openSocket(target);
    options.onDial?.(socket);
    let connection: Connection | undefined;
    const tooLate = new DatabaseUnavailable('the database did not answer in time', { code: 'CONNECT_TIMEOUT' });
    const callOff = afterPatience(options.patienceMs, () => {
      if (connection) connection.lose(tooLate);
      else socket.destroy(tooLate);
    });
    try {
      await untilConnected(socket);
      const secured = options.tls && 'host' in target ? await startTls(socket, target.host, options.tls) : socket;
      connection = new Connection(guardAuthentication(secured, options), target, options);
      await connection.#greet();
      await options.inspect?.(connection);
      connection.#isOpen = true;
      return connection;
    } catch (error) {
      socket.destroy();
      throw asUnavailable(error);
    } finally {
      callOff();
    }
  }

  /** Whether it can be used. */
  get isAlive(): boolean {
    return this.#lost === undefined;
  }

  /** How many statements are under way on it, one behind the other. */
  get load(): number {
    return this.#pending.size;
  }

  get bytesHeard(): number {
    return this.#socket.bytesRead;
  }

  /** For statements of our own. */
  get sql(): postgres.Sql {
    const sql = (strings: TemplateStringsArray, ...values: never[]) =>
      Object.assign(this.#driver(strings, ...values), { handler: (statement: Statement) => this.run(statement) });
    return sql as unknown as postgres.Sql;
  }

  run(statement: Statement, onFailure?: (error: unknown) => void): void {
    if (this.#lost) return void statement.reject(this.#lost);
    const { resolve, reject } = statement;
    this.#pending.add(statement);
    statement.resolve = (value) => {
      // A copy resolves twice: first with the stream that is to be filled.
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

  /** Gives up everything that is under way on it. */
  lose(error: DatabaseUnavailable): void {
    if (this.#lost) return;
    this.#lost = error;
    this.#socket.destroy();
    for (const statement of [...this.#pending]) statement.reject(error);
    this.#pending.clear();
    this.onLostWhileReserved?.(error);
    this.listener?.onLost(this, error);
  }

  /** Says goodbye, so that PostgreSQL does not take it for a loss. */
  async close(): Promise<void> {
    this.listener = undefined;
    if (!this.#lost)
      await Promise.race([this.#driver.end(), new Promise((resolve) => afterPatience(500, () => resolve(0)))]);
    this.lose(new DatabaseUnavailable('the connection was closed', { code: 'CONNECTION_ENDED' }));
  }

  /** Called at every tick: whether anything was heard since the last one. */
  listen(): boolean {
    const isHeard = this.bytesHeard > this.#bytesSeen;
    this.#bytesSeen = this.bytesHeard;
    this.silence.count(this.load > 0, isHeard);
    if (this.silence.ticks === 0) this.doubts = 0;
    return isHeard;
  }

  /** Whether rows are being copied in: then PostgreSQL waits for us. */
  get isCopying(): boolean {
    for (const { streaming } of this.#pending) if (streaming) return true;
    return false;
  }

  #settle(statement: Statement): void {
    if (this.#pending.delete(statement) && this.#pending.size === 0 && !this.#lost) this.listener?.onIdle(this);
  }

  async #greet(): Promise<void> {
    const greeting = this.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const [row] = await greeting;
    // The driver was told at the beginning who serves it; a pooler in between says a number of its own.
    const { state } = greeting as unknown as { state: { pid: number } | null };
    this.pid = state?.pid === row?.pid ? row?.pid : undefined;
  }
}

function closed(): DatabaseUnavailable {
  return new DatabaseUnavailable('the connection to the database was closed', { code: 'CONNECTION_CLOSED' });
}

/**
 * Nothing waits for company on it: otherwise a small message behind a large one, as at the end of a copy, lies in the socket until
 * the other side has acknowledged the large one, which takes it 40 ms.
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
