/** The cookie that carries a session of the dashboard. */
import { SESSION_COOKIE } from '../../api/authorize.js';
import type { Cookies } from '../../api/cookies.js';
import { SECOND_MS } from '../../base/time.js';

/** The addresses that the session opens. */
export const DASHBOARD_PATH = '/api/dashboard';

/** Decision 0053: out of reach for scripts and other sites. */
export function printSessionCookie(cookies: Cookies, value: string, lifetimeMs: number): string {
  const maxAgeSeconds = lifetimeMs / SECOND_MS;
  return cookies.print({ name: SESSION_COOKIE, value, path: DASHBOARD_PATH, sameSite: 'Strict', maxAgeSeconds });
}
