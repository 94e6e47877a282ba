/** Keeps secrets out of reach: what is stored is a hash, and comparing takes the same time for any guess. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Tokens are long and random, so one round of SHA-256 is enough (decision 0001); passwords get argon2. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
