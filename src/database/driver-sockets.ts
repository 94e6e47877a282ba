/** Makes the driver's sockets: to each of the listed hosts in turn, over TLS where that is asked for, and always guarded. */
import type { Socket } from 'node:net';
import postgres from 'postgres';
import { type AuthenticationRules, guardAuthentication } from './authentication.js';
import { connectSecurely, type HostAddress } from './secure-socket.js';

/** A server on the network, or a socket that is a file. */
export type Address = HostAddress | { readonly path: string };

export interface SocketOptions extends AuthenticationRules {
  /** Connects without TLS. */
  readonly connect: (address: Address) => Socket | Promise<Socket>;
}

/**
 * Options for the driver that let it use sockets of ours. It reads the connection string also for what we do in its place, so that
 * there are no two readings of it.
 */
export function openSockets(
  url: string,
  { connect, ...rules }: SocketOptions,
): { readonly ssl: false; readonly socket: () => Promise<Socket> } {
  const { host, port, path, ssl, sslnegotiation } = postgres(url).options as unknown as ReadOptions;
  let turn = 0;
  const connectNext = (): Socket | Promise<Socket> => {
    if (path) return connect({ path });
    const index = turn++ % host.length;
    const address = { host: host[index] ?? '', port: port[index] ?? 0 };
    return ssl ? connectSecurely(address, { mode: ssl, direct: sslnegotiation === 'direct' }) : connect(address);
  };
  return { ssl: false, socket: async () => guardAuthentication(await connectNext(), rules) };
}

interface ReadOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
  readonly ssl: string | boolean | object;
  readonly sslnegotiation: string | null;
}
