/** Who connects to the embedded PostgreSQL: the server as an ordinary role, and what takes care of the cluster as superuser. */
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import { guardAuthentication } from '../authentication.js';

/** Made by `initdb`: starts, locks and prepares the cluster, and runs no statement of the server. */
export const SUPERUSER = 'tillhouse';
/** Owns the database and what is in it, and nothing else. */
export const SERVER_ROLE = 'tillhouse_server';
/** The database Tillhouse keeps its tables in. */
export const DATABASE = 'tillhouse';

const HOST = '127.0.0.1';

export interface Address {
  readonly port: number;
  /** The superuser's, as it lies in the data folder. */
  readonly password: string;
}

/** Made from the superuser's, so that there is one secret to keep; it does not lead back to that one. */
export function serverPassword({ password }: Address): string {
  return createHmac('sha256', password).update(SERVER_ROLE).digest('base64url');
}

/** What the server connects to. */
export function databaseUrl(address: Address): string {
  return `postgres://${SERVER_ROLE}:${serverPassword(address)}@${HOST}:${address.port}/${DATABASE}`;
}

export interface SuperuserOptions {
  readonly database: string;
  readonly applicationName: string;
  /** Also runs for a connection that was never made. */
  readonly onclose?: () => void;
}

/** One connection, without limits on its life: they would drop the lock that it may hold. */
export function connectAsSuperuser(
  { port, password }: Address,
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

/** The driver says goodbye and waits for the other side, which may hang; an open socket would keep our process. */
export async function disconnect(sql: postgres.Sql): Promise<void> {
  await sql.end({ timeout: 0 });
  const left = [...(sockets.get(sql) ?? [])];
  // The goodbye is written first: it frees the lock at once.
  setImmediate(() => {
    for (const socket of left) socket.destroy();
  });
}
