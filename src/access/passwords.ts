/** Hashes and checks passwords and passcodes with argon2id, a few at a time. */
import { hash, verify } from '@node-rs/argon2';
import type { KeyedHash } from '../base/secrets.js';
import { HashQueue } from './hash-queue.js';

// The minimum that OWASP recommends for argon2id: 19 MiB, two passes.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Two queues, so that a flood of sign-ins at the dashboard does not delay employees at registers. In the first, networks take turns, in
// the second merchants.
const passwords = new HashQueue();
const passcodes = new HashQueue();

// An unknown account is checked against this hash, so that it takes as long as a known one.
const dummyHash = hash('nobody has this password', COST);

/** The turn of the operator, and of the programs of this machine. */
const OPERATOR = 'operator';

export function hashPassword(password: string, network: string = OPERATOR): Promise<string> {
  return passwords.run(network, () => hash(password, COST));
}

export async function passwordMatches(network: string, password: string, stored: string | undefined): Promise<boolean> {
  const matches = await passwords.run(network, async () => verify(stored ?? (await dummyHash), password));
  return matches && stored !== undefined;
}

/** A passcode has few digits, so a plain hash can be cracked. With the pepper that needs the server's key too (decision 0062). */
const pepper = (keyedHash: KeyedHash) => ({ secret: keyedHash('passcode pepper') });

export async function hashPasscode(
  keyedHash: KeyedHash,
  passcode: string,
  merchantId: string = OPERATOR,
): Promise<string> {
  return passcodes.run(merchantId, () => hash(passcode, { ...COST, ...pepper(keyedHash) }));
}

export async function passcodeMatches(
  { keyedHash, merchant }: { readonly keyedHash: KeyedHash; readonly merchant: { readonly id: string } },
  passcode: string,
  stored: string | undefined,
): Promise<boolean> {
  const matches = await passcodes.run(merchant.id, async () =>
    verify(stored ?? (await dummyHash), passcode, pepper(keyedHash)),
  );
  return matches && stored !== undefined;
}
