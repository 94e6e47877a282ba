/** The cookies of a dashboard session. */
import { SESSION_COOKIE } from '../../api/authorize.js';
import type { Cookies } from '../../api/cookies.js';
import { SECOND_MS } from '../../base/time.js';
import { printDeviceCookie } from './known-devices.js';
import { SESSION_LIFETIME_MS, type SignedIn } from './sessions.js';

/** The browser sends the cookie only to paths below this one. */
export const DASHBOARD_PATH = '/api/dashboard';

/** Decision 0053: scripts and other sites cannot read or send it. */
export function printSessionCookie(cookies: Cookies, value: string, lifetimeMs: number): string {
  const maxAgeSeconds = lifetimeMs / SECOND_MS;
  return cookies.print({ name: SESSION_COOKIE, value, path: DASHBOARD_PATH, sameSite: 'Strict', maxAgeSeconds });
}

/** After a sign-in: the session, and the device by which the browser is known the next time. */
export function printSessionCookies(cookies: Cookies, { session, device }: SignedIn): string[] {
  return [
    printSessionCookie(cookies, session, SESSION_LIFETIME_MS.dashboard),
    printDeviceCookie(cookies, device, DASHBOARD_PATH),
  ];
}
