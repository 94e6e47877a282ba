/** Makes stubs of recorded exchanges: each answers the requests of one kind as the server did, in the same order (docs/record-and-replay.md). */
import { parse as parseQuery } from 'node:querystring';
import { printCanonicalJson } from '../base/canonical-json.js';
import { Refusal } from '../base/errors.js';
import { isMasked } from '../sandbox/masking.js';
import { checkStub } from '../sandbox/stub-check.js';
import {
  type Expected,
  type Json,
  type JsonObject,
  STUB_LIMITS,
  type StubDefinition,
  type StubRequest,
  type StubResponse,
} from '../sandbox/stub-definition.js';
import { type Exchange, type Fixture, SERVER } from './fixture.js';

/** A program makes a new one each time. */
const KEYS = ['idempotency_key', 'request_idempotence_key'];
/** A server keeps no more. */
const MAX_STUBS = 1000;
/** What somebody writes by hand is asked first. */
const LOWEST_PRIORITY = -STUB_LIMITS.priority;

export interface RecordedStubs {
  readonly stubs: readonly StubDefinition[];
  /** Exchanges that cannot be stubs, and why. */
  readonly leftOut: readonly string[];
}

export function toStubs({ exchanges, target }: Fixture): RecordedStubs {
  const groups = new Map<string, { readonly request: StubRequest; readonly responses: StubResponse[] }>();
  const leftOut: string[] = [];
  for (const { request: sent, response } of exchanges) {
    const request = toRequest(sent);
    const key = printCanonicalJson(request);
    const group = groups.get(key) ?? { request, responses: [] };
    const answer = toResponse(response, target);
    const isTooMuch = groups.size === MAX_STUBS && !groups.has(key);
    const problem = isTooMuch ? `there are ${MAX_STUBS} stubs already.` : problemOf({ request, response: answer });
    if (problem !== undefined) leftOut.push(`${sent.method} ${sent.path}: ${problem}`);
    else {
      groups.set(key, group);
      if (group.responses.length < STUB_LIMITS.responses) group.responses.push(answer);
    }
  }
  return { stubs: [...groups.values()].map(toStub), leftOut };
}

function problemOf(stub: StubDefinition): string | undefined {
  try {
    checkStub(stub);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** Whoever asks for more is answered first: a request without a query is also one with a query for a stub. */
function toStub({ request, responses }: { request: StubRequest; responses: readonly StubResponse[] }): StubDefinition {
  const conditions = Object.keys(request.query ?? {}).length + countValues(request.body);
  const [first] = responses;
  // The last one is repeated.
  const last = responses.findLastIndex((each, index) => index === 0 || !isEqual(each, responses[index - 1]));
  const different = responses.slice(0, last + 1);
  return {
    request,
    ...(different.length > 1 || !first ? { responses: different } : { response: first }),
    priority: Math.min(LOWEST_PRIORITY + conditions, 0),
  };
}

function toRequest({ method, path, body, text, headers }: Exchange['request']): StubRequest {
  const [place = '', query] = path.split('?', 2);
  const names = query === undefined ? [] : Object.entries(parseQuery(query));
  const form = /form-urlencoded/i.test(headers['content-type'] ?? '') ? { ...parseQuery(text ?? '') } : undefined;
  const wanted = whatMatters(body ?? (form as Json | undefined));
  return {
    method,
    path: place.split('/').map(decode).join('/'),
    ...(names.length > 0 && {
      query: Object.fromEntries(names.map(([name, value]) => [name, expect(String(value))])),
    }),
    ...(wanted !== undefined && countValues(wanted) > 0 && { body: wanted }),
  };
}

function expect(value: string): Expected {
  return isMasked(value) ? { present: true } : value;
}

/** Without what is another one each time, and without secrets. */
function whatMatters(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return isMasked(value) || value.endsWith(':****') ? undefined : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each: Json) => whatMatters(each) ?? null);
  const members = Object.entries(value as JsonObject).flatMap(([name, each]) => {
    const kept = KEYS.includes(name) ? undefined : whatMatters(each);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return Object.fromEntries(members);
}

function countValues(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countValues(each as Json), 0);
}

function toResponse({ status, headers, body, text }: Exchange['response'], target: string): StubResponse {
  const content = body ?? text;
  const hasBraces = JSON.stringify(content ?? '').includes('{{');
  // A stub can name its own server only by a template.
  const server = hasBraces ? target : 'http://{{request.headers.host}}';
  const place = (words: string) => words.replaceAll(SERVER, server);
  const placed = content === undefined ? undefined : (JSON.parse(place(JSON.stringify(content))) as Json);
  const kept = Object.entries(headers).map(([name, value]) => [name, place(value)]);
  return {
    status,
    ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
    ...(placed !== undefined && { body: placed }),
    ...(hasBraces && { template: false }),
  };
}

function isEqual(one: StubResponse, other: StubResponse | undefined): boolean {
  return other !== undefined && printCanonicalJson(one) === printCanonicalJson(other);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
