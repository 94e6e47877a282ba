/** The public exports of the test kit, `tillhouse/testing`. */
export { SandboxRefusal } from '../sandbox-client.js';
export type { Delay, Fault, FaultControls, FaultEffect, NewFault } from './faults.js';
export type {
  ClockControls,
  MerchantFile,
  NewTestBankAccount,
  NewTestLocation,
  NewTestMerchant,
  NewTestOwner,
  TestMerchant,
  TestRegister,
  TestSnapshot,
} from './merchants.js';
export type { OperationName, OperationSurface } from './operation-names.js';
export type { RequestControls, RequestFilter, SentRequest } from './requests.js';
export type { StartOptions } from './start-options.js';
export type { Expected, NewStub, Stub, StubControls, StubRequest, StubResponse, ValueRule } from './stubs.js';
export { connectTillhouse, type StartingTillhouse, startTillhouse, type Tillhouse } from './tillhouse.js';
export type { V1WebhookType, V2WebhookType, WebhookType } from './webhook-types.js';
export type { CatchOptions, CaughtWebhook, V1WebhookEvent, V2WebhookEvent, WebhookInbox } from './webhooks.js';
