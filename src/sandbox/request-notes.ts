/** What a developer should know about a recorded request: mistakes that its response does not explain. */
import { IGNORED_HEADER } from '../api/ignored-fields.js';
import type { RecordedRequest } from '../api/recorded-requests.js';
import { NOT_IMPLEMENTED_HEADER } from '../api/send-error.js';
import { STUB_HEADER } from '../api/stubs.js';
import { MINUTE_MS } from '../base/time.js';
import { NEVER_SENT_HEADER } from '../events/never-sent.js';
import { headerIn, headerOf, parseBody } from './printed-request.js';
import { nameOf, senderOf } from './request-filter.js';

export interface RequestNote {
  readonly tone: 'warning' | 'info';
  readonly text: string;
  /** Another request that it is about. */
  readonly requestId?: string;
}

/** A program that repeats a request does it within this time. */
const REPEAT_MS = 10 * MINUTE_MS;

export function notesOn(request: RecordedRequest, newestFirst: Iterable<RecordedRequest>): readonly RequestNote[] {
  return [
    ...faultNote(request),
    ...stubNote(request),
    ...notImplementedNote(request),
    ...neverSentNote(request),
    ...ignoredNote(request),
    ...tokenNote(request),
    ...unreadNote(request),
    ...repeatNote(request, newestFirst),
  ];
}

function faultNote(request: RecordedRequest): RequestNote[] {
  const fault = faultOf(request);
  if (fault === undefined) return [];
  const what = request.status === 0 ? 'The connection was reset' : 'The response was changed';
  return [{ tone: 'info', text: `${what} by the injected fault ${fault}. It is not a mistake of the program.` }];
}

export function faultOf({ responseHeaders }: RecordedRequest): string | undefined {
  return headerIn(responseHeaders, 'tillhouse-fault');
}

function stubNote(request: RecordedRequest): RequestNote[] {
  const stub = stubOf(request);
  return stub === undefined ? [] : [{ tone: 'info', text: `The response is that of the stub ${stub}.` }];
}

/** The id of the stub that answered the request. */
export function stubOf({ responseHeaders }: RecordedRequest): string | undefined {
  return headerIn(responseHeaders, STUB_HEADER);
}

function notImplementedNote(request: RecordedRequest): RequestNote[] {
  const name = notImplementedBy(request);
  if (name === undefined) return [];
  const text = `The program called ${name}, which this server does not implement. So it is no mistake of the program, and says nothing about the record. A stub can answer it.`;
  return [{ tone: 'info', text }];
}

/** The published operation that the request called and that is missing here. */
export function notImplementedBy({ responseHeaders }: RecordedRequest): string | undefined {
  return headerIn(responseHeaders, NOT_IMPLEMENTED_HEADER);
}

function neverSentNote({ responseHeaders }: RecordedRequest): RequestNote[] {
  const kinds = headerIn(responseHeaders, NEVER_SENT_HEADER);
  if (kinds === undefined) return [];
  const text = `The subscription is accepted, but this server has no records of which it could send ${kinds}: these events never arrive.`;
  return [{ tone: 'warning', text }];
}

function ignoredNote(request: RecordedRequest): RequestNote[] {
  const names = ignoredBy(request);
  if (names === undefined) return [];
  const operation = nameOf(request) ?? 'The operation';
  const text = `${operation} does not know ${names.join(' and ')}, so the server ignored it. It is misspelt, or not implemented here: the reference lists what the operation takes.`;
  return [{ tone: 'warning', text }];
}

/** What the server ignored of the request. */
export function ignoredBy({ responseHeaders }: RecordedRequest): readonly string[] | undefined {
  return headerIn(responseHeaders, IGNORED_HEADER)?.split(', ');
}

/** Clients compare the texts of these refusals, so the texts cannot say more. */
function tokenNote(request: RecordedRequest): RequestNote[] {
  const { status, merchantId, operation } = request;
  const isPublished = operation?.surface === 'v1' || operation?.surface === 'v2';
  if (status !== 401 || !isPublished) return [];
  const authorization = headerOf(request, 'authorization');
  if (authorization === undefined) {
    return [{ tone: 'warning', text: 'The request has no Authorization header. Send `Authorization: Bearer TOKEN`.' }];
  }
  if (!/^bearer +\S+ *$/i.test(authorization)) {
    return [
      { tone: 'warning', text: 'The Authorization header must be `Bearer TOKEN`: the word, a space, the token.' },
    ];
  }
  if (merchantId === undefined) {
    return [
      { tone: 'warning', text: 'This server does not know the token. It may be from another server or cut off.' },
    ];
  }
  const text =
    'The token is known but no longer valid: it has expired or was revoked. An application gets a new one from POST /oauth2/token with its refresh token.';
  return [{ tone: 'warning', text }];
}

function unreadNote(request: RecordedRequest): RequestNote[] {
  if (!hasUnreadBody(request)) return [];
  return [{ tone: 'info', text: 'The request was refused before its body was read, so the body is not shown.' }];
}

export function hasUnreadBody(request: RecordedRequest): boolean {
  return request.requestBody === undefined && Number(headerOf(request, 'content-length') ?? 0) > 0;
}

/** Says whether the same write was sent before. With the same key nothing new was made; with another key it was done twice. */
function repeatNote(request: RecordedRequest, newestFirst: Iterable<RecordedRequest>): RequestNote[] {
  const body = keyedBody(request);
  if (!body || !isSuccessful(request)) return [];
  const all = [...newestFirst];
  const alike = all
    .slice(all.findIndex(({ id }) => id === request.id) + 1)
    .filter((other) => request.at - other.at <= REPEAT_MS)
    .filter((other) => other.merchantId === request.merchantId && nameOf(other) === nameOf(request))
    .filter((other) => senderOf(other) === senderOf(request))
    .map((other) => ({ other, before: keyedBody(other) }))
    .filter(({ before }) => before?.rest === body.rest);
  const [first] = [...alike.filter(({ before }) => before?.key === body.key), ...alike];
  if (!first) return [];
  const seconds = Math.max(0, Math.round((request.at - first.other.at) / 100) / 10);
  if (first.before?.key === body.key) {
    const text = `It repeats a request of ${seconds} s before with the same idempotency key, so nothing new was made.`;
    return [{ tone: 'info', text, requestId: first.other.id }];
  }
  const text = `It is the same as a request of ${seconds} s before, but with another idempotency key. If the program repeated it, for example after a timeout, it was done twice: send the key of the first attempt again.`;
  return [{ tone: 'warning', text, requestId: first.other.id }];
}

export function isSuccessful({ status }: RecordedRequest): boolean {
  return status >= 200 && status < 300;
}

/** The key of a body, and the body without it. */
function keyedBody({
  method,
  requestBody,
}: RecordedRequest): { readonly key: string; readonly rest: string } | undefined {
  if (method !== 'POST') return undefined;
  const parsed = parseBody(requestBody);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const { idempotency_key, request_idempotence_key, ...rest } = parsed as Record<string, unknown>;
  const key = idempotency_key ?? request_idempotence_key;
  return typeof key === 'string' ? { key, rest: JSON.stringify(rest) } : undefined;
}
