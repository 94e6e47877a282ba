/** Finds the URL of this server. A Host header is used only if it names this machine, because clients can forge it. */
import { hostname } from 'node:os';
import type { FastifyRequest } from 'fastify';
import { hostName, isLoopbackName } from '../base/hosts.js';

/** For links and redirects. Without `--public-url` it uses the Host header, or else the local address of the connection. */
export function ownUrl(request: FastifyRequest, publicUrl: string | undefined): string {
  const scheme = request.protocol === 'https' ? 'https' : 'http'; // a trusted proxy can send any value
  return publicUrl ?? `${scheme}://${ownHost(request)}`;
}

export function ownHost({ headers: { host }, socket }: Pick<FastifyRequest, 'headers' | 'socket'>): string {
  const localAddress = printAddress(socket.localAddress ?? '');
  if (host !== undefined && isOwnName(hostName(host), localAddress)) return host;
  return `${localAddress}:${socket.localPort}`;
}

function isOwnName(name: string, localAddress: string): boolean {
  return isLoopbackName(name) || name === localAddress || name === hostname().toLowerCase();
}

/** In the format of a URL. */
function printAddress(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, ''); // IPv4 on an IPv6 socket
  return plain.includes(':') ? `[${plain}]` : plain;
}
