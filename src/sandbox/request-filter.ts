/** Finds recorded requests by merchant, operation, status and text. */

import type { Exchange } from '../api/kept-exchanges.js';
import { fullName, type Surface } from '../api/operation.js';
import type { Page, PageRequest } from '../database/keyset.js';
import { toPage } from '../database/keyset.js';
import { printExchange } from './printed-exchange.js';

export interface RequestFilter {
  readonly merchantId: string | undefined;
  /** A full name such as `v2.createPayment`, or a surface such as `v2`. */
  readonly operation: string | undefined;
  /** A status such as `404`, or a class such as `4xx`. */
  readonly status: string | undefined;
  /** In any letter case, anywhere in the request and the response. */
  readonly text: string | undefined;
}

export function nameOf({ operation }: Exchange): string | undefined {
  return operation && fullName({ surface: operation.surface as Surface, name: operation.name });
}

/** Newest first. A page begins after the last request of the page before; if that is gone, everything older is gone too. */
export function listExchanges(
  newestFirst: Iterable<Exchange>,
  filter: RequestFilter,
  { limit, after }: PageRequest,
): Page<Exchange> {
  const found: Exchange[] = [];
  let isAfter = after === undefined;
  for (const exchange of newestFirst) {
    if (isAfter && matches(exchange, filter)) found.push(exchange);
    if (found.length > limit) break;
    isAfter ||= exchange.id === after?.id;
  }
  return toPage(found, limit, ({ at, id }) => ({ at, id }));
}

function matches(exchange: Exchange, { merchantId, operation, status, text }: RequestFilter): boolean {
  if (merchantId !== undefined && exchange.merchantId !== merchantId) return false;
  if (operation !== undefined && !isOf(exchange, operation)) return false;
  if (status !== undefined && !hasStatus(exchange, status)) return false;
  return text === undefined || contains(exchange, text.toLowerCase());
}

function isOf(exchange: Exchange, operation: string): boolean {
  return nameOf(exchange) === operation || exchange.operation?.surface === operation;
}

function hasStatus({ status }: Exchange, wanted: string): boolean {
  return wanted.endsWith('xx') ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted);
}

/** Searches the printed request, in which secrets are hidden. Printing is slow, so the raw request must contain the text first. */
function contains(exchange: Exchange, text: string): boolean {
  const raw = [
    exchange.id,
    exchange.method,
    exchange.url,
    nameOf(exchange) ?? '',
    exchange.merchantId ?? '',
    exchange.applicationId ?? '',
    ...exchange.requestHeaders,
    ...exchange.responseHeaders,
    String(exchange.requestBody ?? ''),
    String(exchange.responseBody ?? ''),
  ];
  if (!raw.some((each) => each.toLowerCase().includes(text))) return false;
  const { url, requestHeaders, requestBody, responseHeaders, responseBody } = printExchange(exchange);
  const printed = [
    ...[exchange.id, exchange.method, url, nameOf(exchange), exchange.merchantId, exchange.applicationId],
    ...[...requestHeaders, ...responseHeaders].map(({ value }) => value),
    ...[requestBody?.text, responseBody?.text].flatMap((body) => [body, body?.replaceAll(/\s+/g, '')]),
  ];
  return printed.some((each) => each?.toLowerCase().includes(text));
}
