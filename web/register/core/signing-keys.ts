/**
 * The keys with which employees sign what this register does offline. Each is made at a sign-in online, and only the passcode of that
 * sign-in unlocks it: so it also says who may sign in offline. The server knows the public half (decision 0206).
 */
import type { Instant } from '../../../src/base/time.js';
import { DAY_MS } from '../../../src/base/time.js';
import type { Access, LocalDatabase } from './storage/local-database.js';

type Bytes = Uint8Array<ArrayBuffer>;

interface LockedKey {
  readonly employeeId: string;
  /** SPKI in base64. */
  readonly publicKey: string;
  /** PKCS #8, encrypted with AES-GCM under a key that is derived from the passcode. */
  readonly locked: Bytes;
  readonly nonce: Bytes;
  readonly salt: Bytes;
  readonly iterations: number;
  /** By the server's clock. */
  readonly madeAt: number;
  readonly failures: number;
}

export interface SigningKey {
  readonly publicKey: string;
  /** The browser never shows it. */
  readonly privateKey: CryptoKey;
  /** Unlocks it again after a reload, without the passcode. */
  readonly secret: string;
}

export interface NewPair {
  readonly publicKey: string;
  readonly pair: CryptoKeyPair;
}

/** As OWASP recommends for PBKDF2 with SHA-256. */
const ITERATIONS = 600_000;
const VALID_MS = 7 * DAY_MS;
const MAX_FAILURES = 5;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' };

export type Unlocking = { readonly result: 'RIGHT'; readonly key: SigningKey } | { readonly result: Refused };
type Refused = 'WRONG' | 'WIPED' | 'NONE';

/** Call it before the sign-in, which tells the server the public half. */
export async function newPair(): Promise<NewPair> {
  const pair = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
  return { publicKey: toBase64(await crypto.subtle.exportKey('spki', pair.publicKey)), pair };
}

/** The signature of a text in base64. */
export async function signText({ privateKey }: Pick<SigningKey, 'privateKey'>, text: string): Promise<string> {
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
  return toBase64(await crypto.subtle.sign(algorithm, privateKey, new TextEncoder().encode(text)));
}

export class SigningKeys {
  readonly #database: LocalDatabase;
  readonly #now: () => Instant;

  constructor(database: LocalDatabase, now: () => Instant) {
    this.#database = database;
    this.#now = now;
  }

  /** Call it after the server has accepted the passcode and the public key. */
  async keep(employeeId: string, passcode: string, { publicKey, pair }: NewPair): Promise<SigningKey> {
    const [salt, nonce] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
    const secret = await derive(passcode, salt, ITERATIONS);
    const wrapping = await toWrappingKey(secret);
    const locked = await crypto.subtle.wrapKey('pkcs8', pair.privateKey, wrapping, { name: 'AES-GCM', iv: nonce });
    const made: LockedKey = {
      ...{ employeeId, publicKey, locked: new Uint8Array(locked), nonce, salt },
      ...{ iterations: ITERATIONS, madeAt: this.#now(), failures: 0 },
    };
    await this.#database.write(['verifiers'], (access) => access.put('verifiers', made));
    return open(made, secret);
  }

  /** Each attempt counts as a failure before it is checked: closing the page in the middle gives no free attempt. */
  async unlock(employeeId: string, passcode: string): Promise<Unlocking> {
    const found = await this.#count(employeeId);
    if (!found) return { result: 'NONE' };
    const secret = await derive(passcode, found.salt, found.iterations);
    const key = await open(found, secret).catch(() => undefined);
    const isLast = found.failures >= MAX_FAILURES;
    if (key) {
      await this.#database.write(['verifiers'], (access) => access.put('verifiers', { ...found, failures: 0 }));
      return { result: 'RIGHT', key };
    }
    if (isLast) await this.forget(employeeId);
    return { result: isLast ? 'WIPED' : 'WRONG' };
  }

  /** After a reload. Returns undefined if the employee has signed in again elsewhere, or nobody may sign in with the key any more. */
  async reopen(employeeId: string, secret: string): Promise<SigningKey | undefined> {
    const found = await this.#database.read(['verifiers'], (access) => find(access, employeeId));
    if (!found || !this.#isUsable(found)) return undefined;
    return open(found, fromBase64(secret)).catch(() => undefined);
  }

  async forget(employeeId: string): Promise<void> {
    await this.#database.write(['verifiers'], (access) => access.delete('verifiers', employeeId));
  }

  /** The employees who may sign in offline now. */
  async list(): Promise<ReadonlySet<string>> {
    const all = await this.#database.read(['verifiers'], (access) => access.all<LockedKey>('verifiers'));
    return new Set(all.filter((each) => this.#isUsable(each)).map(({ employeeId }) => employeeId));
  }

  #count(employeeId: string): Promise<LockedKey | undefined> {
    return this.#database.write(['verifiers'], async (access) => {
      const found = await find(access, employeeId);
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

  /** Versions before this one kept a hash of the passcode and no key. */
  #isUsable({ locked, madeAt, failures }: Partial<LockedKey>): boolean {
    if (locked === undefined || madeAt === undefined || failures === undefined) return false;
    return failures < MAX_FAILURES && this.#now() < madeAt + VALID_MS;
  }
}

function find(access: Access, employeeId: string): Promise<LockedKey | undefined> {
  return access.get<LockedKey>('verifiers', employeeId);
}

/** Rejects if the secret is wrong. */
async function open({ publicKey, locked, nonce }: LockedKey, secret: Bytes): Promise<SigningKey> {
  const wrapping = await toWrappingKey(secret);
  const algorithm = { name: 'AES-GCM', iv: nonce };
  const privateKey = await crypto.subtle.unwrapKey('pkcs8', locked, wrapping, algorithm, ECDSA, false, ['sign']);
  return { publicKey, privateKey, secret: toBase64(secret.buffer) };
}

async function derive(passcode: string, salt: Bytes, iterations: number): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(passcode), 'PBKDF2', false, ['deriveBits']);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, key, 256),
  );
}

function toWrappingKey(secret: Bytes): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', secret, 'AES-GCM', false, ['wrapKey', 'unwrapKey']);
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
