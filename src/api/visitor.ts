/** Where a request comes from, as far as limits and the audit log need to know. */
import { isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

export interface Visitor {
  /** The client's address; behind a trusted proxy the one that the proxy names (`--trust-proxy`). */
  readonly address: string;
  /** What limits count by: an IPv6 client has a whole /64 to itself, so its single addresses say nothing. */
  readonly network: string;
  readonly userAgent: string | undefined;
  /** The header, as it was sent. */
  readonly cookies: string | undefined;
}

const LONGEST_USER_AGENT = 200;

export function visitorOf(request: FastifyRequest): Visitor {
  const address = addressOf(request);
  const userAgent = request.headers['user-agent']?.slice(0, LONGEST_USER_AGENT);
  return { address, network: networkOf(address), userAgent, cookies: request.headers.cookie };
}

/** A proxy may put anything into its header, also a port behind the address; what is no address is not believed. */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const named = String(ip).replace(/^\[(.+)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/, '$1$2');
  return oneSpelling(isIP(named) ? named : (socket.remoteAddress ?? ''));
}

/** IPv6 has many spellings of an address, and each would be counted for itself. */
function oneSpelling(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%', 1); // the name of a network card
  const spelled = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high = '', low = ''] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(spelled) ?? []; // IPv4 on a socket of IPv6
  if (high === '') return spelled;
  return [high, low].flatMap((word) => [Number.parseInt(word, 16) >> 8, Number.parseInt(word, 16) & 255]).join('.');
}

export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [front = '', back] = address.split('::');
  const groups = front === '' ? [] : front.split(':');
  const behind = back === undefined || back === '' ? [] : back.split(':');
  while (back !== undefined && groups.length + behind.length < 8) groups.push('0');
  return `${[...groups, ...behind].slice(0, 4).join(':')}::/64`;
}
