/** Merchants as tests use them: made in a moment, alone in their world, with a clock and an inbox of their own. */
import { callSandbox, type SandboxServer } from '../sandbox-client.js';
import { type FaultControls, faultControls } from './faults.js';
import { type CatchOptions, catchWebhooks, type WebhookInbox } from './webhooks.js';

export interface NewTestMerchant {
  readonly businessName?: string;
  /** Two letters; US where not said. */
  readonly country?: string;
  /** Three letters; USD where not said. */
  readonly currency?: string;
  /** Of its locations, where they do not say their own; America/Los_Angeles where not said. */
  readonly timezone?: string;
  /** One where not said. */
  readonly locations?: readonly { readonly name?: string; readonly timezone?: string }[];
  /** Whether it may use employee management; true where not said. */
  readonly approved?: boolean;
  /** What its clock shows at first; the real time where not said. */
  readonly now?: Date | string;
  /** Whether its clock stands still. */
  readonly frozen?: boolean;
  /** Whether it has a bank account, so that its days are settled. */
  readonly bankAccount?: boolean;
  /** Who signs in to the dashboard; hashing the password takes most of a tenth of a second. */
  readonly owner?: { readonly email: string; readonly password: string };
}

export interface TestMerchant {
  readonly id: string;
  /** An access token that may do everything. */
  readonly accessToken: string;
  readonly locationIds: readonly string[];
  /** The first of its locations. */
  readonly locationId: string;
  readonly clock: ClockControls;
  /** Faults that befall this merchant's requests and webhooks only. */
  readonly faults: FaultControls;
  /** Another access token, with all permissions or those given. */
  createToken(permissions?: readonly string[]): Promise<string>;
  /** Catches what applications are told about this merchant from now on, in the memory of the test. */
  catchWebhooks(options?: CatchOptions): Promise<WebhookInbox>;
  /** A bank account, made up but for what is said; settlements go to the first one. Tells its id. */
  addBankAccount(account?: NewTestBankAccount): Promise<string>;
  /** A point of sale with somebody at it who may do everything there. */
  openRegister(locationId?: string): Promise<TestRegister>;
}

export interface NewTestBankAccount {
  readonly bankName?: string;
  /** Whose account it is. */
  readonly name?: string;
  readonly type?: string;
  /** Nine digits that add up. */
  readonly routingNumber?: string;
  readonly accountNumber?: string;
}

export interface TestRegister {
  readonly deviceId: string;
  readonly employeeId: string;
  /** What requests to the register surface carry: the device's token, and who is signed in at it. */
  readonly headers: Readonly<Record<'authorization' | 'tillhouse-employee-session', string>>;
}

/** Each tells the time that the clock shows then. What falls due on the way has happened when a move is through. */
export interface ClockControls {
  now(): Promise<Date>;
  set(time: Date | string): Promise<Date>;
  /** By an ISO 8601 duration, such as `P61D` or `PT36H`. */
  advance(duration: string): Promise<Date>;
  freeze(): Promise<Date>;
  /** Ends a freeze. */
  run(): Promise<Date>;
}

interface WireMerchant {
  readonly merchant: { readonly id: string; readonly locations: readonly { readonly id: string }[] };
  readonly access_token: string;
}

/** `keep` is told of what has to be closed in the end. */
export async function createMerchant(
  server: SandboxServer,
  asked: NewTestMerchant,
  keep: (inbox: WebhookInbox) => WebhookInbox,
): Promise<TestMerchant> {
  const { businessName, bankAccount, now, frozen, ...rest } = asked;
  const { merchant, access_token } = await callSandbox<WireMerchant>(server, 'POST', 'merchants', {
    ...rest,
    business_name: businessName,
    bank_account: bankAccount,
    ...((now !== undefined || frozen !== undefined) && { clock: { now: now && print(now), frozen } }),
  });
  const locationIds = merchant.locations.map(({ id }) => id);
  return {
    id: merchant.id,
    accessToken: access_token,
    locationIds,
    locationId: locationIds[0] ?? '',
    clock: clockControls(server, merchant.id),
    faults: faultControls(server, merchant.id),
    async createToken(permissions) {
      const path = `merchants/${merchant.id}/tokens`;
      return (await callSandbox<{ access_token: string }>(server, 'POST', path, { permissions })).access_token;
    },
    catchWebhooks: async (options = {}) => keep(await catchWebhooks(server, merchant.id, options)),
    addBankAccount: (account = {}) => addBankAccount(server, merchant.id, account),
    openRegister: (location_id) => openRegister(server, merchant.id, location_id),
  };
}

async function addBankAccount(server: SandboxServer, merchantId: string, account: NewTestBankAccount): Promise<string> {
  const { bankName, routingNumber, accountNumber, ...rest } = account;
  const body = { ...rest, bank_name: bankName, routing_number: routingNumber, account_number: accountNumber };
  const path = `merchants/${merchantId}/bank-accounts`;
  return (await callSandbox<{ bank_account: { id: string } }>(server, 'POST', path, body)).bank_account.id;
}

interface WireRegister {
  readonly device_id: string;
  readonly device_token: string;
  readonly employee_id: string;
  readonly session: string;
}

async function openRegister(server: SandboxServer, merchantId: string, location_id?: string): Promise<TestRegister> {
  const path = `merchants/${merchantId}/registers`;
  const opened = await callSandbox<WireRegister>(server, 'POST', path, { location_id });
  return {
    deviceId: opened.device_id,
    employeeId: opened.employee_id,
    headers: { authorization: `Bearer ${opened.device_token}`, 'tillhouse-employee-session': opened.session },
  };
}

function clockControls(server: SandboxServer, merchantId: string): ClockControls {
  const path = `merchants/${merchantId}/clock`;
  const send = async (method: 'GET' | 'POST', change?: Record<string, unknown>): Promise<Date> => {
    return new Date((await callSandbox<{ clock: { now: string } }>(server, method, path, change)).clock.now);
  };
  return {
    now: () => send('GET'),
    set: (time) => send('POST', { now: print(time) }),
    advance: (duration) => send('POST', { advance: duration }),
    freeze: () => send('POST', { frozen: true }),
    run: () => send('POST', { frozen: false }),
  };
}

function print(time: Date | string): string {
  return typeof time === 'string' ? time : time.toISOString();
}
