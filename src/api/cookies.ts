/** Cookies as we set and find them: out of reach for scripts, and in production never without TLS (decision 0053). */
import type { Mode } from '../base/config.js';

/** Longer than any secret we make, shorter than anything worth hashing. */
const MAX_VALUE_LENGTH = 1024;

export interface NewCookie {
  readonly name: string;
  readonly value: string;
  /** Where browsers send it in a sandbox: the applications of a developer run on the same host. */
  readonly path: string;
  /** Lax comes along when a link of another site leads here. */
  readonly sameSite: 'Strict' | 'Lax';
  readonly maxAgeSeconds: number;
}

/**
 * Names and attributes follow the mode. In production the prefix makes browsers insist on TLS, on the whole site and on this very
 * host. Browsers share cookies between the ports of a host, so the names of a sandbox include the port that clients call.
 */
export class Cookies {
  readonly #isProduction: boolean;
  readonly #port: () => number;

  constructor(mode: Mode, port: () => number) {
    this.#isProduction = mode === 'production';
    this.#port = port;
  }

  print({ name, value, path, sameSite, maxAgeSeconds }: NewCookie): string {
    const secure = this.#isProduction ? '; Secure' : '';
    const within = this.#isProduction ? '/' : path; // the prefix demands the whole site
    return `${this.#nameOf(name)}=${value}; Path=${within}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure}`;
  }

  /** In the header that a browser sends. */
  find(header: string | undefined, name: string): string | undefined {
    const start = `${this.#nameOf(name)}=`;
    const value = header
      ?.split(/; */)
      .find((cookie) => cookie.startsWith(start))
      ?.slice(start.length);
    return value && value.length <= MAX_VALUE_LENGTH ? value : undefined;
  }

  #nameOf(name: string): string {
    return this.#isProduction ? `__Host-${name}` : `${name}_${this.#port()}`;
  }
}
