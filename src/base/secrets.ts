/** Keeps secrets out of reach: what is stored is a hash, and comparing takes the same time for any guess. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Tokens are long and random, so one round of SHA-256 is enough (decision 0001); passwords get argon2. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** The same as text: what stands for a secret wherever it is remembered. */
export function hashAsText(secret: string): string {
  return hashSecret(secret).toString('hex');
}

/** For what could be guessed by trying, such as the digits of an account: without the key, trying is of no use. */
export function hashWithKey(key: string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** The same with the key already in it: whoever has it can hash, and never sees the key. */
export type KeyedHash = (text: string) => Buffer;

export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
