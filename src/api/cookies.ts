/** Cookies as we set and find them: out of reach for scripts, and in production never without TLS (decision 0053). */
import type { Mode } from '../base/config.js';

/** Longer than any secret we make, shorter than anything worth hashing. */
const LONGEST_VALUE = 1024;

export interface NewCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Lax comes along when a link of another site leads here. */
  readonly sameSite: 'Strict' | 'Lax';
  readonly maxAgeSeconds: number;
}

export function printCookie(cookie: NewCookie, mode: Mode): string {
  const { name, value, path, sameSite, maxAgeSeconds } = cookie;
  const secure = mode === 'production' ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${secure}`;
}

export function cookieIn(cookies: string | undefined, name: string): string | undefined {
  const found = cookies?.split(/; */).find((cookie) => cookie.startsWith(`${name}=`));
  const value = found?.slice(name.length + 1);
  return value && value.length <= LONGEST_VALUE ? value : undefined;
}
