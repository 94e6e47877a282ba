/** Sets and reads cookies. Scripts cannot read them, and production sends them over TLS only (decision 0053). */
import type { Mode } from '../base/config.js';

/** Longer than every valid secret. Longer values are ignored without being hashed. */
const MAX_VALUE_LENGTH = 1024;

export interface NewCookie {
  readonly name: string;
  readonly value: string;
  /** Applies in a sandbox, where the developer's own applications run on the same host. */
  readonly path: string;
  /** Lax is also sent when the user follows a link from another site. */
  readonly sameSite: 'Strict' | 'Lax';
  readonly maxAgeSeconds: number;
}

/**
 * Names and attributes depend on the mode. In production the prefix `__Host-` makes browsers require TLS, the path `/` and this
 * exact host. Browsers share cookies between the ports of a host, so names in a sandbox include the port.
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
    const allowedPath = this.#isProduction ? '/' : path; // the prefix __Host- requires /
    return `${this.#nameOf(name)}=${value}; Path=${allowedPath}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure}`;
  }

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
