/** Responses to requests that fail: refusals, unexpected errors, and paths or methods that do not exist. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Mode } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { JSON_TYPE } from '../base/json.js';
import { requestFields } from './log-fields.js';
import { countParameters, findPublished, type PublishedOperation } from './published-operations.js';
import { asRefusal, codeOf, renderError, shapeOf } from './render-error.js';
import type { RequestLog } from './request-log.js';
import type { createMethodFinder } from './routes.js';

/** The published operation that the server does not have. */
export const NOT_IMPLEMENTED_HEADER = 'tillhouse-not-implemented';

/**
 * A published operation is not implemented; a path without this method lists its methods; a path without any does not exist. The first must not
 * look like the others: a program would take it for a record that does not exist.
 */
export function refuseUnknown(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  methodsAt: ReturnType<typeof createMethodFinder>,
  mode: Mode,
): never {
  const path = url.split('?', 1)[0] ?? '';
  const published = findPublished(method, path);
  if (published) throw notImplemented(published, mode);
  const supported = methodsAt(path).join(', ');
  if (supported === '') {
    throw new Refusal('NOT_FOUND', { detail: `There is no ${method} ${path.slice(0, 100)}.${baseAddressHint(path)}` });
  }
  reply.header('allow', supported);
  throw new Refusal('METHOD_NOT_ALLOWED', { detail: `This path supports ${supported}.` });
}

/** Clients add the generation to their base address. Somebody who gives one that has it already sends `/v2/v2/payments`. */
function baseAddressHint(path: string): string {
  const [, base, rest] = /^\/(v[12])(\/(?:v[12]|oauth2)\/.*)$/.exec(path) ?? [];
  if (base === undefined) return '';
  return ` The base address of the client must not end with /${base}: it adds ${rest?.slice(0, 100)} itself.`;
}

function notImplemented({ name, method, path }: PublishedOperation, mode: Mode): Refusal {
  const stub = mode === 'sandbox' ? ' A stub can answer it: see /docs/guides/stubs.' : '';
  return new Refusal('NOT_IMPLEMENTED', {
    detail: `This server does not implement ${name} (${method} ${path}). GET /openapi.json lists what it does.${stub}`,
    headers: { [NOT_IMPLEMENTED_HEADER]: name },
  });
}

/** The last part of `/v2/locations/custom-attribute-definitions` is no id of a location, but the path of a published operation. */
function asMissingOperation(
  refusal: Refusal,
  { method, url, is404 }: FastifyRequest,
  path: string,
  mode: Mode,
): Refusal {
  if (is404 || refusal.reason !== 'NOT_FOUND') return refusal;
  const published = findPublished(method, url.split('?', 1)[0] ?? '');
  return published && countParameters(published.path) < countParameters(path)
    ? notImplemented(published, mode)
    : refusal;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error with which it is refused. */
    errorCode: string | undefined;
  }
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { requestLog, mode }: { readonly requestLog?: RequestLog | undefined; readonly mode: Mode },
): FastifyReply {
  const found = asRefusal(error);
  const refusal = found && asMissingOperation(found, request, pathOf(request), mode);
  if (!refusal) request.log.error({ err: error, ...requestFields(request) }, 'request failed unexpectedly');
  const shown = refusal ?? new Refusal('INTERNAL_SERVER_ERROR');
  request.errorCode = codeOf(shown);
  const { status, body } = renderError(shown, shapeOf(pathOf(request)));
  if (refusal) reply.headers(refusal.headers);
  if (refusal?.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds);
  reply.code(status).type(JSON_TYPE).serializer(String);
  if (request.is404) requestLog?.record(undefined, request, reply, { payload: body }); // other requests are recorded by their routes
  return reply.send(body);
}

/** The declared path if there is one: the path of the request may be percent-encoded. */
export function pathOf(request: FastifyRequest): string {
  return request.routeOptions?.config?.operation?.path ?? request.url;
}
