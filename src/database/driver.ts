/**
 * All that is used of the inside of the driver, which its types do not promise. `driver.test.ts` says what a new version has changed; until
 * then package.json has its exact version.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import postgres from 'postgres';

/** The parts of the driver's statement object that are used. It is not sent before it is passed to a connection. */
export interface Statement {
  /** Called with the statement when it is awaited. */
  handler: (statement: Statement) => void;
  /** Its parameters, and parts with parameters of their own. */
  readonly args?: readonly unknown[];
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly streaming?: boolean;
}

export type DriverOptions = postgres.Options<Record<string, postgres.PostgresType>>;

/** The statement object behind a query. */
export function statementOf(query: object): Statement {
  return query as unknown as Statement;
}

/** What the driver has made, run by `run` when it is awaited. Fragments are never awaited. */
export function runBy<Made>(made: Made, run: (statement: Statement) => void): Made {
  if (made instanceof Promise) statementOf(made).handler = run;
  return made;
}

/** The process id that the server gave to the connection on which a query ran. */
export function backendPidOf(query: object): number | undefined {
  return (query as unknown as { readonly state: { readonly pid: number } | null }).state?.pid;
}

interface OneConnection {
  readonly socket: Socket;
  /** Whether statements are told to `onStatement`. */
  readonly isOpen: () => boolean;
  readonly onClose: () => void;
  readonly onStatement?: ((text: string, parameters: readonly unknown[]) => void) | undefined;
}

export interface OneDriver {
  readonly sql: postgres.Sql;
  /** Sends a statement at once. */
  readonly send: (statement: Statement) => void;
}

/** A driver instance for one socket, which never reconnects. TLS is below it. */
export function openDriver(url: string, options: object, connection: OneConnection): OneDriver {
  const { socket, isOpen, onClose, onStatement } = connection;
  let isHandedOut = false;
  const settings = {
    ...options,
    ssl: false,
    max: 1,
    connect_timeout: 0,
    idle_timeout: 0,
    max_lifetime: null,
    onclose: onClose,
    ...(onStatement && {
      debug: (_: number, text: string, parameters: unknown[]) => isOpen() && onStatement(text, parameters),
    }),
    // A second call means that the driver tries to reconnect. Its statements were rejected when the connection was lost.
    socket: () => {
      if (!isHandedOut) {
        isHandedOut = true;
        return socket;
      }
      onClose();
      return new Promise(() => {});
    },
  };
  const sql = postgres(url, settings as unknown as DriverOptions);
  return { sql, send: statementOf(sql``).handler };
}

/** The mode of TLS that the driver has read from the connection string and the environment. False: none. */
export function tlsSettingsOf<Mode>({ options }: { readonly options: object }): {
  readonly mode: Mode | false | undefined;
  readonly isDirect: boolean;
} {
  const { ssl, sslnegotiation } = options as { ssl: Mode | false | undefined; sslnegotiation: string | null };
  return { mode: ssl, isDirect: sslnegotiation === 'direct' };
}

/** The driver pauses its socket when a stream of rows is full, and resumes it when the stream wants more. At its end it wants no more. */
export function resumeSocketOf(rows: Readable): void {
  rows._read(0);
}
