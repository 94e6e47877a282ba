/** Hashes and checks passwords and passcodes with argon2id, a few at a time. */
import { hash, verify } from '@node-rs/argon2';
import type { KeyedHash } from '../base/secrets.js';
import { HashQueue } from './hash-queue.js';

// The minimum that OWASP recommends for argon2id: 19 MiB, two passes.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Two queues, so that a flood of sign-ins at the dashboard does not delay employees at registers.
const passwords = new HashQueue();
const passcodes = new HashQueue();

// An unknown account is checked against this hash, so that it takes as long as a known one.
const dummyHash = hash('nobody has this password', COST);

export function hashPassword(password: string): Promise<string> {
  return passwords.run(() => hash(password, COST));
}

export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const matches = await passwords.run(async () => verify(stored ?? (await dummyHash), password));
  return matches && stored !== undefined;
}

/** A passcode has few digits, so a plain hash can be cracked. With the pepper that needs the server's key too (decision 0062). */
const pepper = (keyedHash: KeyedHash) => ({ secret: keyedHash('passcode pepper') });

export async function hashPasscode(keyedHash: KeyedHash, passcode: string): Promise<string> {
  return passcodes.run(() => hash(passcode, { ...COST, ...pepper(keyedHash) }));
}

export async function passcodeMatches(
  keyedHash: KeyedHash,
  passcode: string,
  stored: string | undefined,
): Promise<boolean> {
  const matches = await passcodes.run(async () => verify(stored ?? (await dummyHash), passcode, pepper(keyedHash)));
  return matches && stored !== undefined;
}
