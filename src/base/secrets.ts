/** Hashes secrets for storage and compares them in constant time. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Tokens are long and random, so one round of SHA-256 is enough (decision 0001). Passwords use argon2. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** The hash as text, for example as the key of a cache entry. */
export function hashAsText(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** For short values, such as account numbers, whose plain hash could be found by trying all of them. */
export function hashWithKey(key: string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** `hashWithKey` bound to a key. Its users can hash but do not see the key. */
export type KeyedHash = (text: string) => Buffer;

export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
