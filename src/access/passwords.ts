/** Hashes and checks passwords and passcodes with argon2id, a few at a time. */
import { hash, verify } from '@node-rs/argon2';
import type { KeyedHash } from '../base/secrets.js';
import { HashQueue } from './hash-queue.js';

// The least that OWASP advises for argon2id: 19 MiB, two passes.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Each has a queue of its own, so that strangers at the sign-in page do not keep employees waiting.
const passwords = new HashQueue();
const passcodes = new HashQueue();

// Checking against something takes as long for an unknown account as for a known one.
const nobody = hash('nobody has this password', COST);

export function hashPassword(password: string): Promise<string> {
  return passwords.run(() => hash(password, COST));
}

export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const matches = await passwords.run(async () => verify(stored ?? (await nobody), password));
  return matches && stored !== undefined;
}

/** Marks hashes that need the pepper; those of earlier versions have no mark and go on working. */
const PEPPERED = 'k1';

/** The digits of a passcode are found by trying, so what is stored is of no use without the key (decision 0062). */
const pepper = (keyedHash: KeyedHash) => ({ secret: keyedHash('passcode pepper') });

export async function hashPasscode(keyedHash: KeyedHash, passcode: string): Promise<string> {
  return PEPPERED + (await passcodes.run(() => hash(passcode, { ...COST, ...pepper(keyedHash) })));
}

export async function passcodeMatches(
  keyedHash: KeyedHash,
  passcode: string,
  stored: string | undefined,
): Promise<boolean> {
  const isPeppered = stored?.startsWith(PEPPERED) ?? false;
  const matches = await passcodes.run(async () =>
    isPeppered && stored !== undefined
      ? verify(stored.slice(PEPPERED.length), passcode, pepper(keyedHash))
      : verify(stored ?? (await nobody), passcode),
  );
  return matches && stored !== undefined;
}

export function needsPepper(stored: string): boolean {
  return !stored.startsWith(PEPPERED);
}
