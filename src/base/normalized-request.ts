/** Decides whether a retry is the same request, by comparing the parsed requests (decision 0027). */
import { hash } from 'node:crypto';
import { hashSecret } from './secrets.js';

export class NormalizedRequest {
  /** Stored with the idempotency key. */
  readonly hash: Buffer;

  /** `normalized` is the parsed request with its defaults. */
  constructor(normalized: unknown) {
    this.hash = hashSecret(printNormalized(normalized) ?? '');
  }

  matchesHash(hash: Buffer): boolean {
    return hash.equals(this.hash);
  }
}

/** The version of a record that is computed from its content: another one after every change (decision 0152). */
export function versionOfContent(parts: readonly unknown[]): string {
  return new NormalizedRequest(parts).hash.toString('hex').slice(0, 16);
}

/** The same for a record whose version is printed with it, and so is computed often. `text` has what matters of its content. */
export function versionOfText(text: string): string {
  return hash('sha1', text, 'base64url');
}

/** As JSON, with members sorted by name and without empty ones, because neither changes the meaning of a request. */
function printNormalized(value: unknown): string | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : `[${value.map((each) => printNormalized(each) ?? 'null').join()}]`;
  }
  const record = value as Readonly<Record<string, unknown>>;
  let members = '';
  for (const name of sortNames(Object.keys(record))) {
    const member = printNormalized(record[name]);
    if (member !== undefined) members += `${members && ','}${JSON.stringify(name)}:${member}`;
  }
  return members === '' ? undefined : `{${members}}`;
}

/** Stored hashes were made of objects, in which names that are numbers come first. */
function sortNames(names: string[]): readonly string[] {
  names.sort();
  if (!names.some((name) => /^\d/.test(name))) return names;
  return Object.keys(Object.fromEntries(names.map((name) => [name, true])));
}
