/** Gives the demo's register to a browser on this machine, without pairing, and the passcodes of its employees (decision 0154). */
import type { Page } from '../api/pages.js';
import { Refusal } from '../base/errors.js';
import { requireDemo } from './demo-visitor.js';

export const demoRegisterPage: Page = {
  surface: 'register',
  name: 'demoDevice',
  method: 'POST',
  path: '/register/demo-device',
  guard: 'oauth',
  async handle(context, { visitor }) {
    const { register } = requireDemo(context, visitor);
    if (!register) throw new Refusal('NOT_FOUND', { detail: 'The demo business has no register.' });
    const { deviceToken, employees } = register;
    return { secrets: { device_token: deviceToken, employees } };
  },
};
