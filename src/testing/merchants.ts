/** Creates isolated merchants for tests, with control of their clock, faults and webhooks. */
import { callSandbox, type SandboxServer } from '../sandbox-client.js';
import { type FaultControls, faultControls } from './faults.js';
import { checkOptions, type Known } from './options.js';
import { type RequestControls, requestControls } from './requests.js';
import { type StubControls, stubControls } from './stubs.js';
import { type CatchOptions, catchWebhooks, type WebhookInbox } from './webhooks.js';

export interface NewTestMerchant {
  readonly businessName?: string;
  /** Two letters; default: US. */
  readonly country?: string;
  /** Three letters; default: USD. */
  readonly currency?: string;
  /** For locations without their own time zone; default: America/Los_Angeles. */
  readonly timezone?: string;
  /** Default: one location. */
  readonly locations?: readonly NewTestLocation[];
  /** Whether employee management is approved; default: true. */
  readonly approved?: boolean;
  /** The initial time of its clock; default: the real time. */
  readonly now?: Date | string;
  /** Whether its clock is frozen; default: false. */
  readonly frozen?: boolean;
  /** A bank account, which settlements require: true for one with test values, or its fields; default: none. */
  readonly bankAccount?: boolean | NewTestBankAccount;
  /** The owner, for the dashboard. Hashing the password takes almost 100 ms. */
  readonly owner?: NewTestOwner;
  /** A merchant as `export()` returns it, with all records. Besides it, only `owner` can be given. */
  readonly from?: MerchantFile;
}

/** A merchant as readable JSON, for a file in a repository (docs/merchant-files.md). */
export interface MerchantFile {
  /** The version of the format. */
  readonly tillhouse_merchant: number;
  readonly merchant: Readonly<Record<string, unknown>>;
  readonly clock: { readonly now: string; readonly frozen: boolean };
  /** Lists of records by their kind, such as `payments`. */
  readonly records: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

export interface NewTestLocation {
  readonly name?: string;
  readonly timezone?: string;
}

export interface NewTestOwner {
  readonly email: string;
  readonly password: string;
}

export interface TestMerchant {
  readonly id: string;
  /** Has all permissions. */
  readonly accessToken: string;
  readonly locationIds: readonly string[];
  /** The first location. */
  readonly locationId: string;
  readonly clock: ClockControls;
  /** Faults in requests and webhooks of this merchant only. */
  readonly faults: FaultControls;
  /** Stubs that answer requests of this merchant only. */
  readonly stubs: StubControls;
  /** What programs sent with tokens of this merchant. */
  readonly requests: RequestControls;
  /** Creates another access token, with all or the given permissions. */
  createToken(permissions?: readonly string[]): Promise<string>;
  /** Collects the webhooks of this merchant from now on in memory. */
  catchWebhooks(options?: CatchOptions): Promise<WebhookInbox>;
  /** Links a bank account and returns its id; omitted fields get test values. Settlements go to the first account. */
  addBankAccount(account?: NewTestBankAccount): Promise<string>;
  /** Pairs a register and signs in an employee who has all permissions. */
  openRegister(locationId?: string): Promise<TestRegister>;
  /** Keeps a copy of all its records and of its clock. It replaces the one before. */
  snapshot(): Promise<TestSnapshot>;
  /** All its records and its clock, for `createMerchant({ from })`. */
  export(): Promise<MerchantFile>;
  /** Puts all records and the clock back to the snapshot. Tokens that were created since stop working. */
  reset(): Promise<TestSnapshot>;
}

export interface TestSnapshot {
  readonly takenAt: Date;
  /** The time of the merchant's clock at the snapshot. */
  readonly now: Date;
  /** How many records it has, of all kinds. */
  readonly records: number;
}

export interface NewTestBankAccount {
  readonly bankName?: string;
  /** The name of the account holder. */
  readonly name?: string;
  readonly type?: string;
  /** Nine digits with a valid checksum. */
  readonly routingNumber?: string;
  readonly accountNumber?: string;
}

export interface TestRegister {
  readonly deviceId: string;
  readonly employeeId: string;
  /** The headers for requests to the register surface: the device token and the employee session. */
  readonly headers: Readonly<Record<'authorization' | 'tillhouse-employee-session', string>>;
}

/** Each method returns the new time of the clock. Work that falls due is finished when `set` or `advance` resolves. */
export interface ClockControls {
  now(): Promise<Date>;
  set(time: Date | string): Promise<Date>;
  /** An ISO 8601 duration, such as `P61D` or `PT36H`. */
  advance(duration: string): Promise<Date>;
  freeze(): Promise<Date>;
  /** Ends a freeze. */
  run(): Promise<Date>;
}

interface WireMerchant {
  readonly merchant: { readonly id: string; readonly locations: readonly { readonly id: string }[] };
  readonly access_token: string;
}

const MERCHANT_OPTIONS: Known<NewTestMerchant> = {
  businessName: true,
  country: true,
  currency: true,
  timezone: true,
  locations: true,
  approved: true,
  now: true,
  frozen: true,
  bankAccount: true,
  owner: true,
  from: true,
};

const ACCOUNT_OPTIONS: Known<NewTestBankAccount> = {
  bankName: true,
  name: true,
  type: true,
  routingNumber: true,
  accountNumber: true,
};

function checkMerchant(options: NewTestMerchant): void {
  checkOptions('createMerchant', options, MERCHANT_OPTIONS);
  for (const location of options.locations ?? []) {
    checkOptions<NewTestLocation>('A location of createMerchant', location, { name: true, timezone: true });
  }
  if (options.owner) checkOptions('The owner of createMerchant', options.owner, { email: true, password: true });
  if (typeof options.bankAccount === 'object') {
    checkOptions('The bank account of createMerchant', options.bankAccount, ACCOUNT_OPTIONS);
  }
}

async function createFrom(server: SandboxServer, { from, owner, ...others }: NewTestMerchant): Promise<WireMerchant> {
  const [other] = Object.keys(others);
  if (other !== undefined) throw new TypeError(`createMerchant cannot have '${other}' beside 'from', only 'owner'.`);
  return callSandbox<WireMerchant>(server, 'POST', 'merchant-files', { file: from, owner });
}

async function createNew(server: SandboxServer, options: NewTestMerchant): Promise<WireMerchant> {
  const { businessName, bankAccount, now, frozen, ...rest } = options;
  const created = await callSandbox<WireMerchant>(server, 'POST', 'merchants', {
    ...rest,
    business_name: businessName,
    bank_account: bankAccount === true,
    ...((now !== undefined || frozen !== undefined) && { clock: { now: now && print(now), frozen } }),
  });
  if (typeof bankAccount === 'object') await addBankAccount(server, created.merchant.id, bankAccount);
  return created;
}

/** `keep` registers an inbox that `stop()` must close. */
export async function createMerchant(
  server: SandboxServer,
  options: NewTestMerchant,
  keep: (inbox: WebhookInbox) => WebhookInbox,
): Promise<TestMerchant> {
  checkMerchant(options);
  const { merchant, access_token } = await (options.from ? createFrom : createNew)(server, options);
  const locationIds = merchant.locations.map(({ id }) => id);
  return {
    id: merchant.id,
    accessToken: access_token,
    locationIds,
    locationId: locationIds[0] ?? '',
    clock: clockControls(server, merchant.id),
    faults: faultControls(server, merchant.id),
    stubs: stubControls(server, merchant.id),
    requests: requestControls(server, merchant.id),
    async createToken(permissions) {
      const path = `merchants/${merchant.id}/tokens`;
      return (await callSandbox<{ access_token: string }>(server, 'POST', path, { permissions })).access_token;
    },
    catchWebhooks: async (catchOptions = {}) => keep(await catchWebhooks(server, merchant.id, catchOptions)),
    addBankAccount: (account = {}) => addBankAccount(server, merchant.id, account),
    openRegister: (location_id) => openRegister(server, merchant.id, location_id),
    snapshot: () => postSnapshot(server, `merchants/${merchant.id}/snapshot`),
    async export() {
      return (await callSandbox<{ file: MerchantFile }>(server, 'GET', `merchants/${merchant.id}/file`)).file;
    },
    reset: () => postSnapshot(server, `merchants/${merchant.id}/reset`),
  };
}

async function addBankAccount(server: SandboxServer, merchantId: string, account: NewTestBankAccount): Promise<string> {
  checkOptions('addBankAccount', account, ACCOUNT_OPTIONS);
  const { bankName, routingNumber, accountNumber, ...rest } = account;
  const body = { ...rest, bank_name: bankName, routing_number: routingNumber, account_number: accountNumber };
  const path = `merchants/${merchantId}/bank-accounts`;
  return (await callSandbox<{ bank_account: { id: string } }>(server, 'POST', path, body)).bank_account.id;
}

interface WireSnapshot {
  readonly snapshot: { readonly taken_at: string; readonly now: string; readonly records: number };
}

async function postSnapshot(server: SandboxServer, path: string): Promise<TestSnapshot> {
  const { snapshot } = await callSandbox<WireSnapshot>(server, 'POST', path);
  return { takenAt: new Date(snapshot.taken_at), now: new Date(snapshot.now), records: snapshot.records };
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
