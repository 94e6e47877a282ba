/** The fields of every log line about a request (docs/logs.md). They contain no body, no query and no credential. */
import type { FastifyRequest } from 'fastify';
import { fullName } from './operation.js';
import { callersOf } from './request-log.js';
import { addressOf } from './visitor.js';

export function requestFields(request: FastifyRequest): Readonly<Record<string, string>> {
  return {
    request_id: request.id,
    operation: operationName(request),
    method: request.method,
    path: pathTemplate(request),
    ...callersOf(request),
    address: addressOf(request),
  };
}

/** The declared path. The path of the request itself contains ids, and can contain anything. */
export function pathTemplate({ routeOptions, is404 }: FastifyRequest): string {
  const { operation, page } = routeOptions?.config ?? {};
  return operation?.path ?? page?.path ?? (is404 ? 'none' : (routeOptions?.url ?? 'none'));
}

export function operationName(request: FastifyRequest): string {
  const { operation, page } = request.routeOptions?.config ?? {};
  const named = operation ?? page;
  return named ? fullName(named) : 'none';
}
