/** Gives the demo's access token to the API reference in a browser on this machine, so that its examples run (decision 0167). */
import type { Page } from '../api/pages.js';
import { requireDemo } from './demo-visitor.js';

export const demoTokenPage: Page = {
  surface: 'v2',
  name: 'demoToken',
  method: 'POST',
  path: '/docs/demo-token',
  guard: 'oauth',
  async handle(context, { visitor }) {
    const { accessToken } = requireDemo(context, visitor);
    return { secrets: { access_token: accessToken } };
  },
};
