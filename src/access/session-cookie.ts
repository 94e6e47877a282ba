/** The cookie that carries a session of the dashboard. */
import { SESSION_COOKIE } from '../api/authorize.js';
import type { Cookies } from '../api/cookies.js';
import { SECOND_MS } from '../base/time.js';

/** Decision 0053: out of reach for scripts and other sites. */
export function printSessionCookie(cookies: Cookies, value: string, lifetimeMs: number): string {
  return cookies.print({ name: SESSION_COOKIE, value, sameSite: 'Strict', maxAgeSeconds: lifetimeMs / SECOND_MS });
}
