/** Signs a browser on this machine in as the owner of the demo business, without the password (decision 0141). */
import { printSessionCookies } from '../access/dashboard/session-cookie.js';
import { signInWithoutPassword } from '../access/dashboard/sessions.js';
import type { Page } from '../api/pages.js';
import { Refusal } from '../base/errors.js';
import { OWNER_EMAIL } from './demo-business.js';
import { requireDemo } from './demo-visitor.js';

export const demoSignInPage: Page = {
  surface: 'dashboard',
  name: 'demoSignIn',
  method: 'POST',
  path: '/dashboard/demo-sign-in',
  guard: 'oauth',
  async handle(context, { visitor }) {
    requireDemo(context, visitor);
    const signedIn = await signInWithoutPassword(context, OWNER_EMAIL, visitor);
    if (!signedIn) throw new Refusal('NOT_FOUND', { detail: 'There is no demo business.' });
    return { location: '/dashboard', cookies: printSessionCookies(context.cookies, signedIn) };
  },
};
