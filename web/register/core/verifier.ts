/**
 * Who may sign in offline: a slow salted hash of the passcode, made on this device at a sign-in online. The server sends no hashes.
 */
import type { Instant } from '../../../src/base/time.js';
import { DAY_MS } from '../../../src/base/time.js';
import type { LocalDatabase } from './storage/local-database.js';

interface Verifier {
  readonly employeeId: string;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
  readonly hash: Uint8Array<ArrayBuffer>;
  /** By the server's clock. */
  readonly madeAt: number;
  readonly failures: number;
}

/** As OWASP recommends for PBKDF2 with SHA-256. */
const ITERATIONS = 600_000;
const VALID_MS = 7 * DAY_MS;
const MAX_FAILURES = 5;

export type Verification = 'RIGHT' | 'WRONG' | 'WIPED' | 'NONE';

export class Verifiers {
  readonly #database: LocalDatabase;
  readonly #now: () => Instant;

  constructor(database: LocalDatabase, now: () => Instant) {
    this.#database = database;
    this.#now = now;
  }

  /** Call it after the server has accepted the passcode. */
  async remember(employeeId: string, passcode: string): Promise<void> {
    const salt = crypto.getRandomValues(new Uint8Array(16));
    const hash = await derive(passcode, salt, ITERATIONS);
    const made: Verifier = { employeeId, salt, iterations: ITERATIONS, hash, madeAt: this.#now(), failures: 0 };
    await this.#database.write(['verifiers'], (access) => access.put('verifiers', made));
  }

  /** Each attempt counts as a failure before it is checked: closing the page in the middle gives no free attempt. */
  async check(employeeId: string, passcode: string): Promise<Verification> {
    const verifier = await this.#count(employeeId);
    if (!verifier) return 'NONE';
    const isRight = equal(await derive(passcode, verifier.salt, verifier.iterations), verifier.hash);
    const isLast = verifier.failures >= MAX_FAILURES;
    if (isRight)
      await this.#database.write(['verifiers'], (access) => access.put('verifiers', { ...verifier, failures: 0 }));
    else if (isLast) await this.forget(employeeId);
    return isRight ? 'RIGHT' : isLast ? 'WIPED' : 'WRONG';
  }

  async forget(employeeId: string): Promise<void> {
    await this.#database.write(['verifiers'], (access) => access.delete('verifiers', employeeId));
  }

  /** The employees who may sign in offline now. */
  async list(): Promise<ReadonlySet<string>> {
    const all = await this.#database.read(['verifiers'], (access) => access.all<Verifier>('verifiers'));
    return new Set(all.filter((each) => this.#isUsable(each)).map(({ employeeId }) => employeeId));
  }

  #count(employeeId: string): Promise<Verifier | undefined> {
    return this.#database.write(['verifiers'], async (access) => {
      const found = await access.get<Verifier>('verifiers', employeeId);
      if (!found) return undefined;
      if (!this.#isUsable(found)) {
        await access.delete('verifiers', employeeId);
        return undefined;
      }
      const counted = { ...found, failures: found.failures + 1 };
      await access.put('verifiers', counted);
      return counted;
    });
  }

  #isUsable({ madeAt, failures }: Verifier): boolean {
    return failures < MAX_FAILURES && this.#now() < madeAt + VALID_MS;
  }
}

async function derive(
  passcode: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(passcode), 'PBKDF2', false, ['deriveBits']);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, key, 256),
  );
}

/** Compares in constant time, wherever the two differ. */
function equal(one: Uint8Array, other: Uint8Array): boolean {
  return (
    one.length === other.length && one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 0)), 0) === 0
  );
}
