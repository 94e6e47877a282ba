/** Signs a browser on this machine in as the owner of the demo business, without the password (decision 0141). */
import { printSessionCookies } from '../access/dashboard/session-cookie.js';
import { signInWithoutPassword } from '../access/dashboard/sessions.js';
import type { Page } from '../api/pages.js';
import { Refusal } from '../base/errors.js';
import { OWNER_EMAIL } from './demo-business.js';

export const demoSignInPage: Page = {
  surface: 'dashboard',
  name: 'demoSignIn',
  method: 'POST',
  path: '/dashboard/demo-sign-in',
  guard: 'oauth',
  async handle(context, { visitor }) {
    const { cookies, demoSignIn } = context;
    if (!demoSignIn || !visitor.isLocal) {
      throw new Refusal('FORBIDDEN', {
        detail: 'Only a sandbox with the demo business offers this, on its own machine.',
      });
    }
    // The route has refused other sites. Without an origin the request does not come from a page of this server.
    if (visitor.origin === undefined || visitor.origin === 'null') {
      throw new Refusal('FORBIDDEN', { detail: 'Only pages of this server may do this.' });
    }
    const signedIn = await signInWithoutPassword(context, OWNER_EMAIL, visitor);
    if (!signedIn) throw new Refusal('NOT_FOUND', { detail: 'There is no demo business.' });
    return { location: '/dashboard', cookies: printSessionCookies(cookies, signedIn) };
  },
};
