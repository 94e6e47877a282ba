/** The operator of a sandbox: the key, and the session of the console in a browser (decision 0165). */
import { hashSecret, hashWithKey, secretMatches } from '../base/secrets.js';
import type { Visitor } from './visitor.js';

export const CONSOLE_COOKIE = 'tillhouse_console';

export class Operator {
  /** The value of the console's cookie. It is derived from the key: it is valid as long as the key, on all servers with this key. */
  readonly session: string;
  readonly #keyHash: Buffer;
  readonly #sessionHash: Buffer;
  readonly #isOnlyLocal: boolean;

  /** `isOnlyLocal`: nobody but browsers on this machine reaches the server. */
  constructor(key: string, { isOnlyLocal }: { readonly isOnlyLocal: boolean }) {
    this.#keyHash = hashSecret(key);
    this.session = hashWithKey(key, 'session of the console').toString('base64url');
    this.#sessionHash = hashSecret(this.session);
    this.#isOnlyLocal = isOnlyLocal;
  }

  isKey(key: string): boolean {
    return secretMatches(key, this.#keyHash);
  }

  isSession(cookie: string): boolean {
    return secretMatches(cookie, this.#sessionHash);
  }

  /** Whether this browser may sign in without the key. */
  admits({ isLocal }: Visitor): boolean {
    return this.#isOnlyLocal && isLocal;
  }
}
