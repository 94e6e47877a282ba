/** Tells whether a request that comes again is the same one: what is compared is what was understood (decision 0027). */
import { hashSecret } from './secrets.js';

export class NormalizedRequest {
  /** Under which it is remembered. */
  readonly hash: Buffer;
  readonly #body: unknown;

  /** What was understood has its defaults filled in; the body is what it was read from. */
  constructor(normalized: unknown, body: unknown) {
    this.hash = hashSecret(JSON.stringify(normalizeValue(normalized)));
    this.#body = body;
  }

  /** Whether that is the hash of this request; earlier versions kept the hash of the body. */
  matchesHash(hash: Buffer): boolean {
    return hash.equals(this.hash) || hash.equals(hashSecret(JSON.stringify(this.#body)));
  }
}

/** Members in the order of their names, without those that say nothing. */
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
