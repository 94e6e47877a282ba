/** Makes the request of now from a recorded one: with the ids, times and tokens of now. */
import { isMasked } from '../sandbox/masking.js';
import type { Json, JsonObject } from '../sandbox/stub-definition.js';
import type { Bindings } from './bindings.js';
import type { RecordedSide } from './fixture.js';

/** Any card will do, because a nonce is valid once. */
const SOME_CARD = 'cnon:card-nonce-ok';
/** Proves that a buyer was asked, which nobody can repeat. */
const NOT_REPEATABLE = ['verification_token'];
const CREDENTIALS = /^((?:bearer|client) +)(.*)$/i;

export interface ReadyRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
}

export interface Known {
  readonly bindings: Bindings;
  /** Values that a response should have had, and why it did not. */
  readonly lost: ReadonlyMap<string, string>;
  /** A token for the masked one; undefined: there is none. */
  tokenFor(masked: string): string | undefined;
  /** Another idempotency key for the recorded one. */
  keyFor(recorded: string): string;
}

/** Thrown if the request cannot be made. The message says why. */
export class NotRepeatable extends Error {}

const KEYS = ['idempotency_key', 'request_idempotence_key'];

export function toRequest({ method, path, headers, body, text }: RecordedSide, known: Known): ReadyRequest {
  const content = body === undefined ? text && formWith(text, known) : JSON.stringify(withValues(body, '', known));
  return {
    method,
    path: pathWith(path, known),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, headerWith(name, value, known)] as const),
    ),
    text: content,
  };
}

function headerWith(name: string, value: string, known: Known): string {
  if (name !== 'authorization') return replace(name, value, known);
  const [, scheme = '', secret = value] = CREDENTIALS.exec(value) ?? [];
  if (!isMasked(secret)) return value;
  const token = known.tokenFor(secret);
  if (token === undefined) throw new NotRepeatable('its credential is not known here');
  return scheme + token;
}

function pathWith(path: string, known: Known): string {
  const [place = '', query] = path.split('?', 2);
  const parts = place.split('/').map((part) => {
    const text = decode(part);
    const filled = replace('path', text, known);
    return filled === text ? part : encodeURIComponent(filled);
  });
  return parts.join('/') + (query === undefined ? '' : `?${formWith(query, known)}`);
}

/** `a=1&b=2`. What is not replaced stays as it was written. */
function formWith(text: string, known: Known): string {
  return text
    .split('&')
    .map((part) => {
      const mark = part.indexOf('=');
      if (mark < 0) return part;
      const [name, given] = [part.slice(0, mark), decode(part.slice(mark + 1).replaceAll('+', ' '))];
      const filled = replace(decode(name), given, known);
      return filled === given ? part : `${name}=${encodeURIComponent(filled)}`;
    })
    .join('&');
}

function withValues(value: Json, name: string, known: Known): Json {
  if (typeof value === 'string') return replace(name, value, known);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each: Json) => withValues(each, name, known));
  const members = Object.entries(value as JsonObject)
    .filter(([member, each]) => !(NOT_REPEATABLE.includes(member) && typeof each === 'string' && isMasked(each)))
    .map(([member, each]) => [member, withValues(each, member, known)] as const);
  return Object.fromEntries(members);
}

function replace(name: string, recorded: string, { bindings, lost, keyFor }: Known): string {
  const now = bindings.nowOf(recorded);
  if (now !== undefined) return now;
  const reason = lost.get(recorded);
  if (reason !== undefined) throw new NotRepeatable(`it needs ${recorded}, and ${reason}`);
  if (recorded === 'cnon:****') return SOME_CARD;
  if (isMasked(recorded)) throw new NotRepeatable(`its ${name} is masked in the fixture`);
  return KEYS.includes(name) ? keyFor(recorded) : recorded;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
