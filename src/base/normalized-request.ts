/** Decides whether a retry is the same request, by comparing the parsed requests (decision 0027). */
import { hashSecret } from './secrets.js';

export class NormalizedRequest {
  /** Stored with the idempotency key. */
  readonly hash: Buffer;

  /** `normalized` is the parsed request with its defaults. */
  constructor(normalized: unknown) {
    this.hash = hashSecret(JSON.stringify(normalizeValue(normalized)));
  }

  matchesHash(hash: Buffer): boolean {
    return hash.equals(this.hash);
  }
}

/** The version of a record that is computed from its content: another one after every change (decision 0152). */
export function versionOfContent(parts: readonly unknown[]): string {
  return new NormalizedRequest(parts).hash.toString('hex').slice(0, 16);
}

/** Sorts members by name and removes empty ones, because neither changes the meaning of a request. */
function normalizeValue(value: unknown): unknown {
  if (value === null || value === '') return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(normalizeValue);
  if (typeof value !== 'object') return value;
  const members = Object.entries(value as object)
    .map(([name, member]) => [name, normalizeValue(member)] as const)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
