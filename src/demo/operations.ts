/** What this room offers, on all surfaces. */
import { room } from '../api/room.js';
import { dashboardDemoOperations } from './dashboard.operations.js';
import { demoTokenPage } from './docs.page.js';
import { registerDemoOperations } from './register.operations.js';
import { demoRegisterPage } from './register.page.js';
import { demoSignInPage } from './sign-in.page.js';

export const demoRoom = room(
  [...dashboardDemoOperations, ...registerDemoOperations],
  [demoSignInPage, demoRegisterPage, demoTokenPage],
);
