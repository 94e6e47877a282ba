/** Gives the demo's access token to the API reference in a browser on this machine, so that its examples run (decision 0167). */
import type { Page } from '../api/pages.js';
import { Refusal } from '../base/errors.js';
import { requireDemoVisitor } from './demo-visitor.js';

export const demoTokenPage: Page = {
  surface: 'v2',
  name: 'demoToken',
  method: 'POST',
  path: '/docs/demo-token',
  guard: 'oauth',
  async handle(context, { visitor }) {
    requireDemoVisitor(context, visitor);
    if (context.demoToken === undefined) throw new Refusal('NOT_FOUND', { detail: 'There is no demo business.' });
    return { secrets: { access_token: context.demoToken } };
  },
};
