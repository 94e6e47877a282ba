/** Checks and headers of every request and response: host names, versions, and security headers for browsers. */
import type { FastifyInstance } from 'fastify';
import type { Mode } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { hostName, isLoopbackName } from '../base/hosts.js';
import { parseTime } from '../base/time.js';

/** The version of the published API that the contract describes. The content of a response does not depend on the requested version. */
export const API_VERSION = '2020-02-26';

const COMMON = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** Pages of any site may use the checkout, and only the checkout (decision 0053). It uses no cookies. */
const FOR_OTHER_SITES = { 'access-control-allow-origin': '*' };

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
};

/** Browsers send a preflight request before a page of another site may call the checkout. */
export function handlePreflights(app: FastifyInstance): void {
  app.options('/api/checkout/*', async (_request, reply) => reply.code(204).headers(PREFLIGHT).send());
}

/** Browsers then use TLS only, for a year. */
const TLS_ONLY = { 'strict-transport-security': 'max-age=31536000' };

export interface Answered {
  readonly path: string;
  readonly requestId: string;
  /** The header of the request; undefined if there is none, or if the request cannot be read. */
  readonly version: string | string[] | undefined;
}

/** The headers of a response for which no hooks run. */
export function securityHeaders({ path, requestId, version }: Answered, mode: Mode): Record<string, string> {
  return { ...fixedHeaders(path, mode), ...versionHeaders(path, version), [REQUEST_ID_HEADER]: requestId };
}

export const REQUEST_ID_HEADER = 'x-request-id';

/** These headers depend on mode and surface only, so the same objects are returned for every request. */
export function fixedHeaders(path: string, mode: Mode): Readonly<Record<string, string>> {
  const { checkout, others } = FIXED[mode];
  return path.startsWith('/api/checkout/') ? checkout : others;
}

const FIXED = {
  sandbox: bySurface(COMMON),
  production: bySurface({ ...COMMON, ...TLS_ONLY }),
} satisfies Record<Mode, unknown>;

function bySurface(others: Readonly<Record<string, string>>) {
  return {
    checkout: { ...others, ...FOR_OTHER_SITES },
    others,
  };
}

const VERSION_HEADER = 'square-version';

/** A response of v2 names the version that was asked for (decision 0013). */
export function versionHeaders(path: string, asked: string | string[] | undefined): Readonly<Record<string, string>> {
  if (!path.startsWith('/v2/')) return {};
  return { [VERSION_HEADER]: isVersion(asked) ? asked : API_VERSION };
}

/** The header is optional, and any valid date is accepted (decision 0013). */
export function requireVersionHeader(header: string | string[] | undefined): void {
  if (header !== undefined && header !== '' && !isVersion(header)) throw new Refusal('INVALID_SQUARE_VERSION_FORMAT');
}

function isVersion(header: string | string[] | undefined): header is string {
  return typeof header === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(header) && parseTime(header) !== undefined;
}

/** Most requests have the same header as the one before. */
let lastLoopbackHost: string | undefined;

/** Protects against DNS rebinding: a site whose name resolves to loopback still sends its own host name. */
export function requireKnownHost(header: string | undefined, publicUrl: string | undefined): void {
  if (header !== undefined && header === lastLoopbackHost) return;
  const name = header === undefined ? undefined : hostName(header);
  const isLoopback = name !== undefined && isLoopbackName(name);
  if (isLoopback) lastLoopbackHost = header;
  const known =
    name === undefined || isLoopback || (publicUrl !== undefined && hostName(new URL(publicUrl).host) === name);
  if (!known) {
    throw new Refusal('FORBIDDEN', {
      detail: 'This server listens on loopback and does not accept this host name. Set it with --public-url.',
    });
  }
}
