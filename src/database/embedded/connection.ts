/** Connections to the embedded PostgreSQL: of the server as an ordinary role, and of cluster management as superuser. */
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import { guardAuthentication } from '../authentication.js';

/** Created by `initdb`. It locks and prepares the cluster, and runs no statement of the server. */
export const SUPERUSER = 'tillhouse';
/** Owns the database and its contents, and has no other rights. */
export const SERVER_ROLE = 'tillhouse_server';
/** The database with the tables of Tillhouse. */
export const DATABASE = 'tillhouse';

const HOST = '127.0.0.1';

export interface PostgresAddress {
  readonly port: number;
  /** The password of the superuser, from the data folder. */
  readonly password: string;
}

/** Derived from the superuser's password, so that there is only one secret to store. The derivation cannot be reversed. */
export function serverPassword({ password }: PostgresAddress): string {
  return createHmac('sha256', password).update(SERVER_ROLE).digest('base64url');
}

/** The URL of a database that the server's role owns. */
export function databaseUrl(address: PostgresAddress, database = DATABASE): string {
  return `postgres://${SERVER_ROLE}:${serverPassword(address)}@${HOST}:${address.port}/${database}`;
}

export interface SuperuserOptions {
  readonly database: string;
  readonly applicationName: string;
  /** Also called for a connection that was never established. */
  readonly onclose?: () => void;
}

/** One connection without a maximum lifetime, because it may hold the folder lock. */
export function connectAsSuperuser(
  { port, password }: PostgresAddress,
  { database, applicationName, onclose }: SuperuserOptions,
): postgres.Sql {
  const opened = new Set<Socket>();
  const openSocket = (): Socket => {
    const socket = guardAuthentication(connect({ host: HOST, port, noDelay: true }), { requireScram: true });
    opened.add(socket.once('close', () => opened.delete(socket)));
    return socket;
  };
  const sql = postgres({
    host: HOST,
    port,
    user: SUPERUSER,
    password,
    database,
    ssl: false,
    ...{ socket: openSocket },
    max: 1,
    connect_timeout: 5,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    connection: { application_name: applicationName },
    onnotice: () => {},
    ...(onclose && { onclose }),
  });
  sockets.set(sql, opened);
  return sql;
}

const sockets = new WeakMap<postgres.Sql, Set<Socket>>();

/** The driver sends Terminate and waits for the other side, which may hang. An open socket would keep this process running. */
export async function disconnect(sql: postgres.Sql): Promise<void> {
  await sql.end({ timeout: 0 });
  const remaining = [...(sockets.get(sql) ?? [])];
  // Terminate is sent first, because it releases the lock at once.
  setImmediate(() => {
    for (const socket of remaining) socket.destroy();
  });
}
