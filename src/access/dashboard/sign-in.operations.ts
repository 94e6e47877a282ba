/** Operations to sign in to the dashboard, to sign out, and to confirm or change the password. */

import { operation } from '../../api/operation.js';
import { SAMPLE_SECRETS, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { about, model, Nothing, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { DEVICE_COOKIE, printDeviceCookie } from './known-devices.js';
import { NewPassword } from './new-password.js';
import { DASHBOARD_PATH, printSessionCookie, printSessionCookies } from './session-cookie.js';
import { changePassword, confirmPassword, signIn, signOut } from './sessions.js';

const Session = model('DashboardSession', {
  merchant_id: about('The business of the owner.', Type.String()),
  email: about('The address with which the owner signed in.', Type.String()),
});

const Password = text(255, { minLength: 1 });

export const dashboardSessionOperations = [
  operation({
    surface: 'dashboard',
    name: 'signIn',
    method: 'POST',
    path: '/api/dashboard/session',
    permission: 'ANYONE',
    summary: 'Signs the owner in. The response sets the session cookie of the dashboard.',
    body: Type.Object({
      email: about("The owner's email address.", text(255, { minLength: 1 })),
      password: about("The owner's password.", Password),
    }),
    example: { body: { email: SAMPLE_VALUES.owner_email, password: SAMPLE_SECRETS.owner_password } },
    response: Session,
    async handle(context, { body: { email, password } }) {
      const { cookies, visitor } = context;
      const deviceCookie = cookies.find(visitor.cookies, DEVICE_COOKIE);
      const signedIn = await signIn(context, { email, password, surface: 'dashboard', visitor, deviceCookie });
      if (!signedIn) throw new Refusal('UNAUTHORIZED', { detail: 'The email or the password is wrong.' });
      const set = printSessionCookies(cookies, signedIn);
      return { headers: { 'set-cookie': set }, body: { merchant_id: signedIn.merchantId, email: signedIn.email } };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'showSession',
    method: 'GET',
    path: '/api/dashboard/session',
    permission: 'OWNER',
    summary: 'Shows the merchant and the email of the signed-in owner.',
    response: Session,
    async handle({ account, merchant }) {
      return { merchant_id: merchant.id, email: account.email };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'signOut',
    method: 'DELETE',
    path: '/api/dashboard/session',
    permission: 'OWNER',
    summary: 'Signs the owner out.',
    response: Nothing,
    async handle(context) {
      await signOut(context);
      context.invalidateCredentials(context.merchant.id);
      return { headers: { 'set-cookie': printSessionCookie(context.cookies, '', 0) }, body: {} };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'confirmPassword',
    method: 'POST',
    path: '/api/dashboard/session/confirm',
    permission: 'OWNER',
    summary:
      'Confirms the password. For the next 15 minutes the session can use the operations that require a recent sign-in.',
    body: Type.Object({ password: about("The owner's password, once more.", Password) }),
    example: { body: { password: SAMPLE_SECRETS.owner_password } },
    response: Nothing,
    async handle(context, { body: { password } }) {
      await confirmPassword(context, password);
      context.invalidateCredentials(context.merchant.id);
      return {};
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'changePassword',
    method: 'PUT',
    path: '/api/dashboard/password',
    permission: 'OWNER',
    summary: 'Changes the password and ends every other session of the owner.',
    body: Type.Object({
      old_password: about('The current password.', Password),
      new_password: about('The password from now on.', NewPassword),
    }),
    example: { body: { old_password: SAMPLE_SECRETS.owner_password, new_password: 'four loaves of dark rye' } },
    response: Nothing,
    async handle(context, { body: { old_password, new_password } }) {
      const device = await changePassword(context, { oldPassword: old_password, newPassword: new_password });
      context.invalidateCredentials(context.merchant.id);
      return { headers: { 'set-cookie': printDeviceCookie(context.cookies, device, DASHBOARD_PATH) }, body: {} };
    },
  }),
];
