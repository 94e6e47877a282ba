/** The public exports of the test kit, `tillhouse/testing`. */
export { SandboxRefusal } from '../sandbox-client.js';
export type { Delay, Fault, FaultControls, FaultEffect, NewFault } from './faults.js';
export type { ClockControls, NewTestBankAccount, NewTestMerchant, TestMerchant, TestRegister } from './merchants.js';
export type { RequestControls, RequestFilter, SentRequest } from './requests.js';
export { connectTillhouse, type StartOptions, startTillhouse, type Tillhouse } from './tillhouse.js';
export type {
  CatchOptions,
  CaughtWebhook,
  V1WebhookEvent,
  V1WebhookType,
  V2WebhookEvent,
  V2WebhookType,
  WebhookInbox,
  WebhookType,
} from './webhooks.js';
