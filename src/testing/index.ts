/** The test kit, `tillhouse/testing`: a whole server for the tests of programs that use it. */
export { SandboxRefusal } from '../sandbox-client.js';
export type { Fault, FaultControls, FaultEffect, NewFault } from './faults.js';
export type { ClockControls, NewTestMerchant, TestMerchant } from './merchants.js';
export { connectTillhouse, type StartOptions, startTillhouse, type Tillhouse } from './tillhouse.js';
