/** Gives the demo's register to a browser on this machine, without pairing, and the passcodes of its employees (decision 0154). */
import type { Page } from '../api/pages.js';
import { Refusal } from '../base/errors.js';
import { requireDemoVisitor } from './demo-visitor.js';

export const demoRegisterPage: Page = {
  surface: 'register',
  name: 'demoDevice',
  method: 'POST',
  path: '/register/demo-device',
  guard: 'oauth',
  async handle(context, { visitor }) {
    requireDemoVisitor(context, visitor);
    if (!context.demoRegister) throw new Refusal('NOT_FOUND', { detail: 'The demo business has no register.' });
    const { deviceToken, employees } = context.demoRegister;
    return { secrets: { device_token: deviceToken, employees } };
  },
};
