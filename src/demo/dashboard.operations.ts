/** Tells a page whether it may offer to sign in as the owner of the demo business (decision 0141). */
import { operation } from '../api/operation.js';
import { about, Bool, optional, Type } from '../api/wire.js';
import { storePath } from '../business/stores/view.js';
import { OWNER_EMAIL } from './demo-business.js';

export const dashboardDemoOperations = [
  operation({
    surface: 'dashboard',
    name: 'showDemoSignIn',
    method: 'GET',
    path: '/api/dashboard/demo-sign-in',
    permission: 'ANYONE',
    summary: 'Says whether this browser may sign in as the owner of the demo business without the password.',
    response: Type.Object({
      available: about('Whether this browser may sign in without the password.', Bool),
      email: about('The address of the demo owner. Absent if it may not.', optional(Type.String())),
      store_path: about("The page of the demo's online store. Absent without the demo.", optional(Type.String())),
    }),
    async handle({ demo, visitor }) {
      return {
        ...(demo?.isOnlyLocal && visitor.isLocal ? { available: true, email: OWNER_EMAIL } : { available: false }),
        ...(demo?.locationId !== undefined && { store_path: storePath(demo.locationId) }),
      };
    },
  }),
];
