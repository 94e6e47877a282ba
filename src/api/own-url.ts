/** How this server is called, as far as that can be trusted: a Host header is repeated only where it names this machine. */
import { hostname } from 'node:os';
import type { FastifyRequest } from 'fastify';
import { hostName, isLoopbackName } from '../base/hosts.js';

/** For links and redirects. Without `--public-url`, the name that was asked for, or else the address that was reached. */
export function ownUrl(request: FastifyRequest, publicUrl: string | undefined): string {
  const scheme = request.protocol === 'https' ? 'https' : 'http'; // a proxy that is trusted may have said anything
  return publicUrl ?? `${scheme}://${ownHost(request)}`;
}

export function ownHost({ headers: { host }, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): string {
  const reached = printAddress(socket.localAddress ?? '');
  if (host !== undefined && isOwnName(hostName(host), reached)) return host;
  return `${reached}:${socket.localPort}`;
}

function isOwnName(name: string, reached: string): boolean {
  return isLoopbackName(name) || name === reached || name === hostname().toLowerCase();
}

/** As it stands in a URL. */
function printAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, ''); // IPv4 on a socket of IPv6
  return plain.includes(':') ? `[${plain}]` : plain;
}
