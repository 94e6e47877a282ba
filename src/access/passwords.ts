/** Hashes and checks passwords with argon2id. */
import { hash, verify } from '@node-rs/argon2';

// The least that OWASP advises for argon2id: 19 MiB, two passes.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Checking against something takes as long for an unknown account as for a known one.
const nobody = hash('nobody has this password', COST);

export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const matches = await verify(stored ?? (await nobody), password);
  return matches && stored !== undefined;
}
