/**
 * What the examples of sandbox operations need. Each gets a business of its own, so that its response does not depend on what other examples
 * did before. Its clock is frozen.
 */
import { SAMPLE_IDS, SAMPLE_SECRETS } from '../../src/api/sample-ids.js';
import { pollUntil } from '../support/clock.js';
import { OPERATOR_KEY, type TestServer } from '../support/server.js';
import { type Samples, Trial } from './trial.js';

type Preparation = (trial: Trial) => Promise<Samples>;

const withPayment: Preparation = async (trial) => ({ [SAMPLE_IDS.payment_id]: (await trial.pay()).paymentId });

const withApplication: Preparation = async (trial) => ({ [SAMPLE_IDS.client_id]: await trial.authorize() });

const withSubscription: Preparation = async (trial) => ({ [SAMPLE_IDS.client_id]: await trial.subscribe() });

const withReceiver: Preparation = async (trial) => {
  await trial.subscribe();
  const { subscriptions } = await trial.ofMerchant('GET', 'webhook-subscriptions');
  return { [SAMPLE_IDS.subscription_id]: subscriptions[0].id };
};

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

const withStub: Preparation = async (trial) => {
  await trial.operate('DELETE', 'stubs');
  const stub = {
    merchant_id: trial.merchantId,
    request: { method: 'GET', path: '/v2/customers/{customer_id}' },
    response: { body: { customer: { id: '{{request.path.customer_id}}', given_name: 'Amelia' } } },
  };
  return { [SAMPLE_IDS.stub_id]: (await trial.operate('POST', 'stubs', { stub })).stub.id };
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
  /** The list begins with the newest, so these are created at different times. */
  async listMerchants({ server, receiverUrl }) {
    await Trial.open(server, receiverUrl, { now: '2026-03-20T18:00:00Z' });
    await Trial.open(server, receiverUrl, { now: '2026-03-21T18:00:00Z' });
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
  listStubs: withStub,
  removeStub: withStub,
  resetStubs: withStub,
  failSettlement: async (trial) => ({ [SAMPLE_IDS.settlement_id]: await trial.settle() }),
  placeHold: withPayment,
  releaseHold: async (trial) => ({ [SAMPLE_IDS.payment_id]: await trial.dispute() }),
  /** The list begins with the newest, by whole seconds, so these come before those of other examples. */
  async listApplications(trial) {
    const second = async () => Math.floor(Date.now() / 1000);
    const before = await second();
    await pollUntil(second, (now) => now > before, 2000);
    for (const _ of ['first', 'second', 'third']) await trial.authorize();
    return {};
  },
  createAuthorization: withApplication,
  revokeAuthorization: withApplication,
  listAuthorizations: withApplication,
  createWebhookSubscription: withApplication,
  setV1Webhook: withApplication,
  listWebhookSubscriptions: withSubscription,
  updateWebhookSubscription: withReceiver,
  deleteWebhookSubscription: withReceiver,
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
