/**
 * What the examples of sandbox operations need. Each gets a business of its own, so that its response does not depend on what other examples
 * did before. Its clock stands still.
 */
import { SAMPLE_IDS, SAMPLE_SECRETS } from '../../src/api/sample-ids.js';
import { made } from '../contract/business.js';
import { pollUntil } from '../support/clock.js';
import { OPERATOR_KEY, type TestServer } from '../support/server.js';

type Samples = Readonly<Record<string, string>>;

// biome-ignore lint/suspicious/noExplicitAny: responses of several operations, of which a member or two is read
type Json = any;

const PATIENCE_MS = 20_000;

class Trial {
  readonly server: TestServer;
  readonly merchantId: string;
  readonly locationId: string;
  readonly token: string;
  /** Where webhooks are sent. */
  readonly receiverUrl: string;

  private constructor(server: TestServer, receiverUrl: string, { id, token, locationIds: [location = ''] }: Opened) {
    [this.server, this.receiverUrl] = [server, receiverUrl];
    [this.merchantId, this.locationId, this.token] = [id, location, token];
  }

  static async open(server: TestServer, receiverUrl: string, now = '2026-03-02T18:00:00Z'): Promise<Trial> {
    const opened = await server.createMerchant({
      business_name: 'Juniper & Rye',
      timezone: 'America/Los_Angeles',
      locations: [{ name: 'Mission Street' }],
      clock: { now, frozen: true },
    });
    return new Trial(server, receiverUrl, opened);
  }

  get samples(): Samples {
    return { [SAMPLE_IDS.merchant_id]: this.merchantId, [SAMPLE_IDS.location_id]: this.locationId };
  }

  async operate(method: string, path: string, body?: object): Promise<Json> {
    return made(await this.server.operator(method, `/api/sandbox/${path}`, body));
  }

  /** An operation on the merchant of this trial. */
  ofMerchant(method: string, path: string, body?: object): Promise<Json> {
    return this.operate(method, `merchants/${this.merchantId}/${path}`, body);
  }

  async pay(): Promise<{ readonly paymentId: string; readonly requestId: string }> {
    const answer = await this.server.call('POST', '/v2/payments', {
      token: this.token,
      body: {
        ...{ source_id: 'cnon:card-nonce-ok', idempotency_key: 'order-1042', location_id: this.locationId },
        amount_money: { amount: 2400, currency: 'USD' },
      },
    });
    return { paymentId: made(answer).payment.id, requestId: String(answer.headers['x-request-id']) };
  }

  /** An application that may read the payments of the merchant. Returns its id. */
  async authorize(): Promise<string> {
    const { application } = await this.operate('POST', 'applications', { name: 'Bookkeeping' });
    const body = { application_id: application.id, permissions: ['PAYMENTS_READ'] };
    await this.ofMerchant('POST', 'authorizations', body);
    return application.id;
  }

  async subscribe(): Promise<string> {
    const applicationId = await this.authorize();
    const subscription = { name: 'Payments', event_types: ['payment.created'], notification_url: this.receiverUrl };
    await this.operate('POST', `applications/${applicationId}/webhook-subscriptions`, { subscription });
    return applicationId;
  }

  /** A webhook that was received. */
  async deliver(): Promise<Json> {
    await this.subscribe();
    await this.pay();
    const find = async () => (await this.ofMerchant('GET', 'webhook-deliveries')).deliveries;
    const [delivery] = await pollUntil(find, ([first]) => first?.state === 'DELIVERED', PATIENCE_MS);
    return delivery;
  }
}

type Opened = Awaited<ReturnType<TestServer['createMerchant']>>;

type Preparation = (trial: Trial) => Promise<Samples>;

const withPayment: Preparation = async (trial) => ({ [SAMPLE_IDS.payment_id]: (await trial.pay()).paymentId });

const withApplication: Preparation = async (trial) => ({ [SAMPLE_IDS.client_id]: await trial.authorize() });

const withSubscription: Preparation = async (trial) => ({ [SAMPLE_IDS.client_id]: await trial.subscribe() });

const withDelivery: Preparation = async (trial) => {
  const { id, event_id } = await trial.deliver();
  return { [SAMPLE_IDS.delivery_id]: id, [SAMPLE_IDS.event_id]: event_id };
};

const withFault: Preparation = async (trial) => {
  await trial.operate('DELETE', 'faults');
  const body = {
    merchant_id: trial.merchantId,
    operation: 'v2.createPayment',
    effect: 'STATUS',
    status: 503,
    times: 1,
  };
  return { [SAMPLE_IDS.fault_id]: (await trial.operate('POST', 'faults', body)).fault.id };
};

const withRule: Preparation = async (trial) => {
  const body = { effect: 'DECLINE', code: 'INSUFFICIENT_FUNDS', times: 1 };
  return { [SAMPLE_IDS.rule_id]: (await trial.ofMerchant('POST', 'processor-rules', body)).rule.id };
};

const withToken: Preparation = async (trial) => {
  await trial.ofMerchant('POST', 'tokens', { permissions: ['PAYMENTS_READ', 'PAYMENTS_WRITE'] });
  const { tokens } = await trial.ofMerchant('GET', 'tokens');
  return { [SAMPLE_IDS.token_id]: tokens[0].id };
};

const withSnapshot: Preparation = async (trial) => {
  await trial.ofMerchant('POST', 'snapshot');
  return {};
};

/** Only this request is in the log. */
const withRequest: Preparation = async (trial) => {
  await trial.operate('DELETE', 'requests');
  const { paymentId, requestId } = await trial.pay();
  return { [SAMPLE_IDS.request_id]: requestId, [SAMPLE_IDS.payment_id]: paymentId };
};

const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  /** The newest come first: these were created at times of their own. */
  async listMerchants({ server, receiverUrl }) {
    await Trial.open(server, receiverUrl, '2026-03-20T18:00:00Z');
    await Trial.open(server, receiverUrl, '2026-03-21T18:00:00Z');
    return {};
  },
  /** The books of the day are closed on the way. */
  async changeClock(trial) {
    await trial.ofMerchant('POST', 'bank-accounts', {});
    await trial.pay();
    return {};
  },
  async expireToken(trial) {
    const { access_token } = await trial.ofMerchant('POST', 'tokens', { permissions: ['PAYMENTS_READ'] });
    return { [SAMPLE_SECRETS.access_token]: access_token };
  },
  listProcessorRules: withRule,
  clearProcessorRules: withRule,
  removeProcessorRule: withRule,
  listFaults: withFault,
  clearFaults: withFault,
  removeFault: withFault,
  async failSettlement(trial) {
    await trial.ofMerchant('POST', 'bank-accounts', {});
    await trial.pay();
    await trial.ofMerchant('POST', 'clock', { advance: 'P2D' });
    const path = `/v1/${trial.locationId}/settlements`;
    const [settlement] = made(await trial.server.call('GET', path, { token: trial.token }));
    return { [SAMPLE_IDS.settlement_id]: settlement.id };
  },
  placeHold: withPayment,
  async releaseHold(trial) {
    const { paymentId } = await trial.pay();
    await trial.ofMerchant('POST', `payments/${paymentId}/hold`, {});
    return { [SAMPLE_IDS.payment_id]: paymentId };
  },
  createAuthorization: withApplication,
  revokeAuthorization: withApplication,
  listAuthorizations: withApplication,
  createWebhookSubscription: withApplication,
  setV1Webhook: withApplication,
  listWebhookSubscriptions: withSubscription,
  listWebhookDeliveries: withDelivery,
  retrieveWebhookDelivery: withDelivery,
  replayWebhookDelivery: withDelivery,
  resendWebhookEvent: withDelivery,
  hurryWebhookDeliveries: withDelivery,
  checkSignature: withDelivery,
  listTokens: withToken,
  expireTokenById: withToken,
  listDueWork: withPayment,
  retrieveSnapshot: withSnapshot,
  resetMerchant: withSnapshot,
  listRequests: withRequest,
  retrieveRequest: withRequest,
  resendRequest: withRequest,
  signIn: async () => ({ [SAMPLE_SECRETS.operator_key]: OPERATOR_KEY }),
};

/** Makes what the example of a sandbox operation needs, and returns the records that stand in for its samples. */
export async function prepareSandbox(name: string, server: TestServer, receiverUrl: string): Promise<Samples> {
  const trial = await Trial.open(server, receiverUrl);
  const prepared = await PREPARATIONS[name.replace(/^sandbox\./, '')]?.(trial);
  return { ...trial.samples, ...prepared };
}
