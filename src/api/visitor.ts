/** Describes the origin of a request for rate limits and the audit log. */
import { isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { hostName, isLoopbackAddress, isLoopbackName } from '../base/hosts.js';

export interface Visitor {
  /** The client's address. Behind a trusted proxy it is the one from the proxy's header (`--trust-proxy`). */
  readonly address: string;
  /** The key of rate limits. An IPv6 client usually has a whole /64, so limits count the /64 and not the address. */
  readonly network: string;
  readonly userAgent: string | undefined;
  /** The raw Cookie header. */
  readonly cookies: string | undefined;
  /** Browsers send it with every write. */
  readonly origin: string | undefined;
  /** Whether the client runs on this machine, uses a name of this machine, and is not behind a proxy. */
  readonly isLocal: boolean;
}

const MAX_USER_AGENT_LENGTH = 200;

export function visitorOf(request: FastifyRequest): Visitor {
  return new RequestVisitor(request);
}

/** Most requests need the address only, so the rest is computed when it is read. */
class RequestVisitor implements Visitor {
  readonly address: string;
  readonly #request: FastifyRequest;

  constructor(request: FastifyRequest) {
    this.address = addressOf(request); // now: a closed connection has none
    this.#request = request;
  }

  get network(): string {
    return networkOf(this.address);
  }

  get userAgent(): string | undefined {
    return this.#request.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH);
  }

  get cookies(): string | undefined {
    return this.#request.headers.cookie;
  }

  get origin(): string | undefined {
    return this.#request.headers.origin;
  }

  get isLocal(): boolean {
    return isLocal(this.#request);
  }
}

/** What browsers send, and our own pages. Every proxy, CDN and tunnel has headers of its own, so these are listed instead of theirs. */
const BROWSER_HEADER = new RegExp(
  `^(?:${[
    ...[
      'accept',
      'accept-.+',
      'authorization',
      'cache-control',
      'connection',
      'content-.+',
      'cookie',
      'dnt',
      'expect',
      'host',
    ],
    ...[
      'if-.+',
      'keep-alive',
      'last-event-id',
      'origin',
      'pragma',
      'priority',
      'purpose',
      'range',
      'referer',
      'save-data',
    ],
    ...['sec-.+', 'service-worker.*', 'te', 'transfer-encoding', 'upgrade-insecure-requests', 'user-agent'],
    ...['device-memory', 'downlink', 'dpr', 'ect', 'rtt', 'viewport-width', 'width'],
    ...['x-moz', 'x-purpose', 'x-requested-with', 'tillhouse-.+'],
  ].join('|')})$`,
);

/**
 * A proxy on this machine connects from loopback too, so any sign of one counts as remote: a header that browsers do not send, or another
 * version of HTTP. Some proxies send no header, but they speak HTTP/1.0 by default, which no browser does.
 */
export function isLocal({ headers, socket, raw }: Pick<FastifyRequest, 'headers' | 'socket' | 'raw'>): boolean {
  const peer = normalizeAddress(socket.remoteAddress ?? '');
  const host = hostName(headers.host ?? '');
  if (!isLoopbackAddress(peer) || !isLoopbackName(host) || raw.httpVersion !== '1.1') return false;
  return Object.keys(headers).every((name) => BROWSER_HEADER.test(name));
}

/** A proxy can put anything into its header, for example a port after the address. A value that is no address is ignored. */
export function addressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const known = NORMALIZED.get(ip);
  if (known !== undefined) return known;
  const address = normalizeIp({ ip, socket });
  // Only addresses of connections are remembered, because a proxy's header can contain anything.
  if (ip === socket.remoteAddress && isIP(ip)) {
    if (NORMALIZED.size >= MAX_NORMALIZED) NORMALIZED.clear();
    NORMALIZED.set(ip, address);
  }
  return address;
}

/** The canonical spelling of addresses, by the spelling of the connections. */
const NORMALIZED = new Map<string, string>();
const MAX_NORMALIZED = 1000;

function normalizeIp({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const named = String(ip).replace(/^\[(.+)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/, '$1$2');
  return normalizeAddress(isIP(named) ? named : (socket.remoteAddress ?? ''));
}

/** An IPv6 address has many spellings. All of them must share one limit. */
function normalizeAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%', 1); // removes the zone id
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [, high = '', low = ''] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(canonical) ?? []; // IPv4 on an IPv6 socket
  if (high === '') return canonical;
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
