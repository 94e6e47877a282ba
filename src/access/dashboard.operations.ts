/** Signing in to the dashboard and out of it. */

import { SESSION_COOKIE } from '../api/authorize.js';
import type { Cookies } from '../api/cookies.js';
import { operation } from '../api/operation.js';
import { model, Nothing, Type, text } from '../api/wire.js';
import { Refusal } from '../base/errors.js';
import { SECOND_MS } from '../base/time.js';
import { SESSION_LIFETIME_MS, signIn, signOut } from './sessions.js';

const Session = model('DashboardSession', { merchant_id: Type.String(), email: Type.String() });

/** Decision 0053: out of reach for scripts and other sites. */
function sessionCookie(cookies: Cookies, value: string, maxAgeSeconds: number): string {
  return cookies.print({ name: SESSION_COOKIE, value, sameSite: 'Strict', maxAgeSeconds });
}

export const dashboardSessionOperations = [
  operation({
    surface: 'dashboard',
    name: 'signIn',
    method: 'POST',
    path: '/dashboard/session',
    permission: 'ANYONE',
    summary: "Signs the owner in: the answer's cookie opens the dashboard.",
    body: Type.Object({ email: text(255, { minLength: 1 }), password: text(255, { minLength: 1 }) }),
    response: Session,
    async handle({ database, cookies }, { body: { email, password } }) {
      const signedIn = await signIn(database, { email, password, surface: 'dashboard' });
      if (!signedIn) throw new Refusal('UNAUTHORIZED', { detail: 'The email or the password is wrong.' });
      return {
        headers: { 'set-cookie': sessionCookie(cookies, signedIn.session, SESSION_LIFETIME_MS.dashboard / SECOND_MS) },
        body: { merchant_id: signedIn.merchantId, email: signedIn.email },
      };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'showSession',
    method: 'GET',
    path: '/dashboard/session',
    permission: 'OWNER',
    summary: 'Shows who is signed in.',
    response: Session,
    async handle({ account, merchant }) {
      return { merchant_id: merchant.id, email: account.email };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'signOut',
    method: 'DELETE',
    path: '/dashboard/session',
    permission: 'OWNER',
    summary: 'Signs the owner out.',
    response: Nothing,
    async handle({ database, session, cookies, forget, merchant }) {
      await signOut(database, session);
      forget(merchant.id);
      return { headers: { 'set-cookie': sessionCookie(cookies, '', 0) }, body: {} };
    },
  }),
];
