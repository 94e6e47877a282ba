/** Checks and headers of every request and response: host names, versions, and security headers for browsers. */
import type { FastifyInstance } from 'fastify';
import type { Mode } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { hostName, isLoopbackName } from '../base/hosts.js';
import { parseTime } from '../base/time.js';

/** The version of the published API that the contract describes. Responses do not depend on the requested version. */
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

export function securityHeaders(path: string, requestId: string, mode: Mode): Record<string, string> {
  return { ...fixedHeaders(path, mode), 'x-request-id': requestId };
}

const KNOWN = new Map<string, Readonly<Record<string, string>>>();

/** They depend on the surface only, so they are put together once. */
function fixedHeaders(path: string, mode: Mode): Readonly<Record<string, string>> {
  const surface = SURFACES.find((each) => path.startsWith(each)) ?? '';
  const name = `${mode} ${surface}`;
  let headers = KNOWN.get(name);
  if (!headers) {
    const tls = mode === 'production' ? TLS_ONLY : {};
    const version = surface === '/v2/' ? { 'square-version': API_VERSION } : {};
    const sites = surface === '/api/checkout/' ? FOR_OTHER_SITES : {};
    headers = { ...COMMON, ...tls, ...sites, ...version };
    KNOWN.set(name, headers);
  }
  return headers;
}

/** Those with headers of their own. */
const SURFACES = ['/v2/', '/api/checkout/'];

/** The header is optional, and any valid date is accepted (decision 0013). */
export function requireVersion(header: string | string[] | undefined): void {
  if (header === undefined || header === '') return;
  const date = String(header);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || parseTime(date) === undefined) {
    throw new Refusal('INVALID_SQUARE_VERSION_FORMAT');
  }
}

/** Protects against DNS rebinding: a site whose name resolves to loopback still sends its own host name. */
export function requireKnownHost(header: string | undefined, publicUrl: string | undefined): void {
  const name = header === undefined ? undefined : hostName(header);
  const known =
    name === undefined ||
    isLoopbackName(name) ||
    (publicUrl !== undefined && hostName(new URL(publicUrl).host) === name);
  if (!known) {
    throw new Refusal('FORBIDDEN', {
      detail: 'This server listens on loopback and does not accept this host name. Set it with --public-url.',
    });
  }
}
