/**
 * What the examples of the dashboard need. Each gets a business of its own, whose owner is signed in. The records that an example names are
 * made by the examples that create them, or at a register, in a store, or by the operator.
 */
import { replaceSamples } from '../../src/api/example-ids.js';
import { fullName, type Operation } from '../../src/api/operation.js';
import { SAMPLE_IDS, SAMPLE_SECRETS, SAMPLE_VALUES } from '../../src/api/sample-ids.js';
import { operations } from '../../src/operations.js';
import { made } from '../contract/business.js';
import { cookieOf, newOwnerEmail, PASSWORD, signIn } from '../support/dashboard.js';
import type { CallOptions } from '../support/http.js';
import type { TestServer } from '../support/server.js';
import { type ExampleRequest, requestOf } from './example-request.js';
import { sellOnline, storeAt, usd, workAtRegister } from './example-trade.js';
import { type Json, SAMPLE_RECEIVER, type Samples, Trial } from './trial.js';

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0' };

type SampleName = keyof typeof SAMPLE_IDS;

function find(name: string): Operation {
  const operation = operations.find((each) => fullName(each) === `dashboard.${name}`);
  if (!operation) throw new Error(`dashboard.${name} does not exist`);
  return operation;
}

/** An owner at work: the samples that have a record so far, and the session. */
class Office {
  readonly trial: Trial;
  readonly #session: CallOptions;
  readonly #samples: Record<string, string>;

  private constructor(trial: Trial, email: string, cookie: string) {
    this.trial = trial;
    this.#session = { headers: { cookie, origin: trial.server.baseUrl } };
    this.#samples = {
      ...trial.samples,
      [SAMPLE_VALUES.owner_email]: email,
      [SAMPLE_SECRETS.owner_password]: PASSWORD,
      [SAMPLE_RECEIVER]: trial.receiverUrl,
    };
  }

  static async open(server: TestServer, receiverUrl: string): Promise<Office> {
    const owner = { email: newOwnerEmail(), password: PASSWORD };
    const trial = await Trial.open(server, receiverUrl, { owner });
    return new Office(trial, owner.email, cookieOf(await signIn(server, owner.email, PASSWORD, BROWSER)));
  }

  get samples(): Samples {
    return this.#samples;
  }

  get session(): CallOptions {
    return this.#session;
  }

  set(sample: string, real: string): void {
    this.#samples[sample] = real;
  }

  read(path: string): Promise<Json> {
    return this.#send('GET', path);
  }

  /** Makes the record of each sample, unless it exists. */
  async need(...names: readonly SampleName[]): Promise<void> {
    for (const name of names) {
      if (this.#samples[SAMPLE_IDS[name]] !== undefined) continue;
      const make = MAKERS[name];
      if (!make) throw new Error(`nothing makes a record for the sample ${name}`);
      this.set(SAMPLE_IDS[name], await make(this));
    }
  }

  /** Makes the records that the example of an operation names, and returns the example. */
  async needFor(name: string): Promise<ExampleRequest> {
    const request = requestOf(find(name));
    const text = JSON.stringify(request);
    const named = Object.entries(SAMPLE_IDS).filter(([, sample]) => text.includes(sample));
    await this.need(...named.map(([sample]) => sample as SampleName));
    return request;
  }

  /** Sends the example of an operation of the dashboard. */
  async run(name: string): Promise<Json> {
    const { method } = find(name);
    const { path, body } = await this.needFor(name);
    return this.#send(method, path, body);
  }

  async #send(method: string, path: string, body?: unknown): Promise<Json> {
    return made(
      await this.trial.server.call(method, replaceSamples(path, this.#samples), {
        ...this.#session,
        ...(body !== undefined && { body: JSON.parse(replaceSamples(JSON.stringify(body), this.#samples)) }),
      }),
    );
  }
}

type Make = (office: Office) => Promise<string>;

/** The example of an operation makes the record, and the response has its id under this name. */
const byExample =
  (operation: string, member: string): Make =>
  async (office) =>
    (await office.run(operation))[member].id;

/** By the name of the sample. */
const MAKERS: Readonly<Partial<Record<SampleName, Make>>> = {
  role_id: byExample('createRole', 'role'),
  employee_id: byExample('createEmployee', 'employee'),
  timecard_id: byExample('createTimecard', 'timecard'),
  category_id: byExample('createCategory', 'category'),
  modifier_list_id: byExample('createModifierList', 'modifier_list'),
  discount_id: byExample('createDiscount', 'discount'),
  tax_id: byExample('createTax', 'tax'),
  async item_id(office) {
    const { item } = await office.run('createItem');
    office.set(SAMPLE_IDS.variation_id, item.variations[0].id);
    return item.id;
  },
  async device_id(office) {
    const { device, device_token } = await office.run('pairDevice');
    office.set(SAMPLE_SECRETS.device_token, device_token);
    return device.id;
  },
  bank_account_id: byExample('linkBankAccount', 'bank_account'),
  key_id: byExample('createPublishableKey', 'key'),
  token_id: byExample('createToken', 'token'),
  client_id: byExample('registerApplication', 'application'),
  subscription_id: byExample('createWebhookSubscription', 'subscription'),
  async session_id(office) {
    await office.run('signIn');
    const { sessions } = await office.read('/api/dashboard/sessions');
    return sessions.find(({ current }: Json) => !current).id;
  },
  async sale_id(office) {
    const register = await office.trial.ofMerchant('POST', 'registers', { name: 'Counter' });
    const { saleId, shiftId } = await workAtRegister(office.trial.server, register);
    office.set(SAMPLE_IDS.shift_id, shiftId);
    return saleId;
  },
  async shift_id(office) {
    await office.need('sale_id');
    return office.samples[SAMPLE_IDS.shift_id] ?? '';
  },
  async order_id({ trial }) {
    const store = await trial.ofMerchant('POST', 'stores', storeAt(trial.locationId));
    return sellOnline(trial.server, trial.locationId, store);
  },
  settlement_id: ({ trial }) => trial.settle(),
  payment_id: async ({ trial }) => (await trial.pay()).paymentId,
  async delivery_id(office) {
    const { id, event_id } = await office.trial.deliver();
    office.set(SAMPLE_IDS.event_id, event_id);
    return id;
  },
};

/** A sale that a register kept, by somebody who had not signed in there: it is flagged. */
async function keepSale(office: Office): Promise<void> {
  await office.need('employee_id', 'device_id');
  const token = office.samples[SAMPLE_SECRETS.device_token] ?? '';
  const sale = {
    itemizations: [{ name: 'Rye loaf', single_quantity_money: usd(850) }],
    tenders: [{ id: 'tender-1', type: 'CASH' }],
  };
  const write = {
    ...{ id: SAMPLE_VALUES.kept_write_id, operation: 'ringUpSale', occurred_at: '2026-03-02T17:55:00Z', body: sale },
    employee_id: office.samples[SAMPLE_IDS.employee_id],
  };
  made(
    await office.trial.server.call('POST', '/api/register/queue', {
      token,
      body: { sent_at: '2026-03-02T18:00:00Z', writes: [write] },
    }),
  );
}

type Preparation = (office: Office) => Promise<unknown>;

const have =
  (...names: readonly SampleName[]): Preparation =>
  (office) =>
    office.need(...names);

/** The version of what is edited, as the editor reads it. */
const seen =
  (path: string, versionOf: (found: Json) => string): Preparation =>
  async (office) =>
    office.set(SAMPLE_VALUES.version, versionOf(await office.read(path)));

const timecardSeen = seen(`/api/dashboard/timecards/${SAMPLE_IDS.timecard_id}`, ({ timecard }) => timecard.version);

/** A subscription that a program made with its token. */
async function programSubscribed(office: Office): Promise<void> {
  const { server, token, receiverUrl: notification_url } = office.trial;
  const subscription = { name: 'Bookkeeping', event_types: ['payment.created', 'payment.updated'], notification_url };
  const call = { token, body: { subscription } };
  office.set(
    SAMPLE_IDS.subscription_id,
    made(await server.call('POST', '/v2/webhooks/subscriptions', call)).subscription.id,
  );
}

/** Beyond the records that the request names: what a list shows, or the state that a change needs. */
const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  listTokens: have('token_id'),
  listAuditEvents: have('device_id'),
  listEmployees: have('employee_id'),
  listRoles: have('employee_id'),
  listDevices: have('device_id'),
  listFlaggedWrites: keepSale,
  markReviewed: keepSale,
  async pairDeviceByCode(office) {
    const { code } = made(await office.trial.server.call('POST', '/api/register/pairing-codes'));
    office.set(SAMPLE_VALUES.pairing_code, code);
  },
  updateEmployee: seen(`/api/dashboard/employees/${SAMPLE_IDS.employee_id}`, ({ employee }) => employee.version),
  updateRole: seen(`/api/dashboard/roles/${SAMPLE_IDS.role_id}`, ({ role }) => role.version),
  updateTimecard: timecardSeen,
  closeTimecard: timecardSeen,
  updateBusiness: seen('/api/dashboard/business', ({ profile }) => profile.version),
  updateLocation: seen(`/api/dashboard/locations/${SAMPLE_IDS.location_id}`, ({ version }) => version),
  listSales: have('sale_id'),
  retrieveSalesReport: have('sale_id'),
  retrieveToday: have('sale_id'),
  listOrders: have('order_id'),
  retrieveStore: have('order_id'),
  exportBuyer: have('order_id'),
  /** The orders of the buyer are finished. */
  eraseBuyer: (office) => office.run('updateOrder'),
  listTimecards: have('timecard_id'),
  listHours: have('timecard_id'),
  listCashDrawerShifts: have('shift_id'),
  listCashOutsideDrawers: keepSale,
  sumCashOutsideDrawers: keepSale,
  listBankAccounts: have('bank_account_id'),
  listSettlements: have('settlement_id'),
  retrieveBalance: have('bank_account_id', 'payment_id'),
  adjustBalance: have('payment_id'),
  listDisputes: ({ trial }) => trial.dispute(),
  listUncapturedPayments: ({ trial }) => trial.pay({ autocomplete: false }),
  listApplications: have('client_id'),
  listAuthorizations: ({ trial }) => trial.authorize(),
  async revokeAuthorization(office) {
    office.set(SAMPLE_IDS.client_id, await office.trial.authorize());
  },
  retrieveCatalogue: have('item_id', 'discount_id'),
  listPublishableKeys: have('key_id'),
  listWebhookSubscriptions: have('subscription_id'),
  listWebhookDeliveries: have('delivery_id'),
  listMadeSubscriptions: programSubscribed,
  updateMadeSubscription: programSubscribed,
  deleteMadeSubscription: programSubscribed,
  rotateMadeSubscriptionKey: programSubscribed,
  testMadeSubscription: programSubscribed,
};

/** Makes what the example of an operation of the dashboard needs. */
export async function prepareDashboard(
  name: string,
  server: TestServer,
  receiverUrl: string,
): Promise<{ readonly samples: Samples; readonly credentials: CallOptions }> {
  const office = await Office.open(server, receiverUrl);
  const bare = name.replace(/^dashboard\./, '');
  await office.needFor(bare);
  await PREPARATIONS[bare]?.(office);
  return { samples: office.samples, credentials: office.session };
}
