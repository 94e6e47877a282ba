/** Finds recorded requests by merchant, operation, status and text. */

import { fullName, type Surface } from '../api/operation.js';
import type { RecordedRequest } from '../api/recorded-requests.js';
import { STUB_HEADER } from '../api/stubs.js';
import { SENDER_HEADER, type Sender, toSender } from '../base/senders.js';
import type { Page, PageRequest } from '../database/keyset.js';
import { toPage } from '../database/keyset.js';
import { headerIn, headerOf, printRequest } from './printed-request.js';

export interface RequestFilter {
  readonly merchantId: string | undefined;
  /** A full name such as `v2.createPayment`, or a surface such as `v2`. */
  readonly operation: string | undefined;
  /** A status such as `404`, or a class such as `4xx`. */
  readonly status: string | undefined;
  /** The id of the stub that answered. */
  readonly stub: string | undefined;
  /** In any letter case, anywhere in the request and the response. */
  readonly text: string | undefined;
  /** Programs, or commands and pages of ours. Undefined: both. */
  readonly sentBy: 'program' | 'tillhouse' | undefined;
}

export function nameOf({ operation }: RecordedRequest): string | undefined {
  return operation && fullName({ surface: operation.surface as Surface, name: operation.name });
}

/** Undefined: a program. What the console sends again is still the program's. */
export function senderOf(request: RecordedRequest): Sender | undefined {
  return toSender(headerOf(request, SENDER_HEADER));
}

/** Newest first. A page begins after the last request of the page before; if that is gone, everything older is gone too. */
export function listRecordedRequests(
  newestFirst: Iterable<RecordedRequest>,
  filter: RequestFilter,
  { limit, after }: PageRequest,
): Page<RecordedRequest> {
  const found: RecordedRequest[] = [];
  let isAfter = after === undefined;
  for (const request of newestFirst) {
    if (isAfter && matches(request, filter)) found.push(request);
    if (found.length > limit) break;
    isAfter ||= request.id === after?.id;
  }
  return toPage(found, limit, ({ at, id }) => ({ at, id }));
}

function matches(
  request: RecordedRequest,
  { merchantId, operation, status, stub, text, sentBy }: RequestFilter,
): boolean {
  if (merchantId !== undefined && request.merchantId !== merchantId) return false;
  if (operation !== undefined && !isOf(request, operation)) return false;
  if (status !== undefined && !hasStatus(request, status)) return false;
  if (sentBy !== undefined && (senderOf(request) === undefined) !== (sentBy === 'program')) return false;
  if (stub !== undefined && headerIn(request.responseHeaders, STUB_HEADER) !== stub) return false;
  return text === undefined || contains(request, text.toLowerCase());
}

function isOf(request: RecordedRequest, operation: string): boolean {
  return nameOf(request) === operation || request.operation?.surface === operation;
}

function hasStatus({ status }: RecordedRequest, wanted: string): boolean {
  return wanted.endsWith('xx') ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted);
}

/** Searches the printed request, in which secrets are hidden. Printing is slow, so the raw request must contain the text first. */
function contains(request: RecordedRequest, text: string): boolean {
  const raw = [
    request.id,
    request.method,
    request.url,
    nameOf(request) ?? '',
    request.merchantId ?? '',
    request.applicationId ?? '',
    ...request.requestHeaders,
    ...request.responseHeaders,
    String(request.requestBody ?? ''),
    String(request.responseBody ?? ''),
  ];
  if (!raw.some((each) => each.toLowerCase().includes(text))) return false;
  const { url, requestHeaders, requestBody, responseHeaders, responseBody } = printRequest(request);
  const printed = [
    ...[request.id, request.method, url, nameOf(request), request.merchantId, request.applicationId],
    ...[...requestHeaders, ...responseHeaders].map(({ value }) => value),
    ...[requestBody?.text, responseBody?.text].flatMap((body) => [body, body?.replaceAll(/\s+/g, '')]),
  ];
  return printed.some((each) => each?.toLowerCase().includes(text));
}
