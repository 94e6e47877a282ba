/** A small business for the examples of the API reference. Its clock is frozen, so that the responses are the same in every run. */
import { SAMPLE_IDS, SAMPLE_PASSCODE, SAMPLE_SECRETS } from '../../src/api/sample-ids.js';
import { type Counter, prepareRegister } from '../../web/console/try/register-state.js';
import { made } from '../contract/business.js';
import type { CallOptions } from '../support/http.js';
import { OPERATOR_KEY, type TestServer } from '../support/server.js';
import { prepareDashboard } from './example-dashboard.js';
import { prepareSandbox } from './example-sandbox.js';
import { ofRegister, type Register, type Store, sellOnline, storeAt, usd, workAtRegister } from './example-trade.js';

const OPENED_AT = '2026-02-27T18:00:00Z';

export interface ExampleShop {
  readonly merchantId: string;
  readonly locationId: string;
  readonly token: string;
  /** A sale at a register, as v1 names it. */
  readonly salePaymentId: string;
  readonly shiftId: string;
  readonly orderId: string;
  readonly settlementId: string;
  readonly bankAccountId: string;
  readonly application: { readonly id: string; readonly secret: string };
  /** Tokens of the application for this merchant. */
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly register: Register;
  readonly store: Store;
}

export async function openExampleShop(server: TestServer): Promise<ExampleShop> {
  const {
    id: merchantId,
    token,
    locationIds,
  } = await server.createMerchant({
    business_name: 'Juniper & Rye',
    timezone: 'America/Los_Angeles',
    locations: [
      {
        name: 'Mission Street',
        phone_number: '+1 415 555 0142',
        address: {
          address_line_1: '2140 Mission Street',
          locality: 'San Francisco',
          administrative_district_level_1: 'CA',
          postal_code: '94110',
          country: 'US',
        },
      },
    ],
    clock: { now: OPENED_AT, frozen: true },
  });
  const [locationId = ''] = locationIds;
  const sandbox = `/api/sandbox/merchants/${merchantId}`;
  const operate = async (path: string, body: object) => made(await server.operator('POST', sandbox + path, body));

  const account = {
    ...{ bank_name: 'First Bank', name: 'Juniper & Rye', type: 'CHECKING' },
    ...{ routing_number: '021000021', account_number: '000123456789' },
  };
  const { bank_account: linked } = await operate('/bank-accounts', account);
  const register = await operate('/registers', { name: 'Counter', passcode: SAMPLE_PASSCODE });
  const { paymentId, shiftId } = await workAtRegister(server, register);
  const store = await operate('/stores', storeAt(locationId));
  const orderId = await sellOnline(server, locationId, store);
  await operate('/clock', { advance: 'P3D' });
  const [settlement] = made(await server.call('GET', `/v1/${locationId}/settlements`, { token }));
  const application = made(
    await server.operator('POST', '/api/sandbox/applications', {
      name: 'Bookkeeping',
      redirect_urls: ['http://localhost:3000/callback'],
    }),
  );
  const { id } = application.application;
  const granted = await operate('/authorizations', { application_id: id, permissions: ['PAYMENTS_READ'] });
  return {
    ...{ merchantId, locationId, token, shiftId, orderId, register, store },
    salePaymentId: paymentId,
    settlementId: settlement.id,
    bankAccountId: linked.id,
    application: { id, secret: application.application_secret },
    accessToken: granted.access_token,
    refreshToken: granted.refresh_token,
  };
}

/** The records that stand in for the sample ids and secrets in examples. */
export function recordsOf(shop: ExampleShop): Record<string, string> {
  return {
    [SAMPLE_IDS.merchant_id]: shop.merchantId,
    [SAMPLE_IDS.location_id]: shop.locationId,
    [SAMPLE_IDS.shift_id]: shop.shiftId,
    [SAMPLE_IDS.order_id]: shop.orderId,
    [SAMPLE_IDS.settlement_id]: shop.settlementId,
    [SAMPLE_IDS.bank_account_id]: shop.bankAccountId,
    [SAMPLE_IDS.client_id]: shop.application.id,
    [SAMPLE_SECRETS.client_secret]: shop.application.secret,
    [SAMPLE_SECRETS.access_token]: shop.accessToken,
    [SAMPLE_SECRETS.refresh_token]: shop.refreshToken,
  };
}

/**
 * Examples that create come before those that read. Those that end a record come last. The others are in the order of the declarations.
 * Registers, stores, the operator and owners come after the published API, so that their sales, orders and businesses are not in its lists.
 */
const FIRST = [
  ...['v1.createEmployeeRole', 'v1.createEmployee', 'v1.createTimecard', 'v1.updateTimecard', 'v2.createPayment'],
  ...['v2.refundPayment', 'v2.createWebhookSubscription', 'v1.updateWebhooks'],
];
const LAST = ['v1.deleteTimecard', 'v2.deleteWebhookSubscription', 'oauth2.revokeToken'];
const REGISTERS = LAST.length + 1;
const LATER_SURFACES = ['register.', 'checkout.', 'sandbox.', 'dashboard.'];

export function rankOf(name: string): number {
  const [first, last] = [FIRST.indexOf(name), LAST.indexOf(name)];
  if (first >= 0) return first - FIRST.length;
  const later = LATER_SURFACES.findIndex((surface) => name.startsWith(surface));
  if (later >= 0) return REGISTERS + later + (name === 'register.signOut' ? 0.5 : 0);
  return last >= 0 ? last + 1 : 0;
}

/** The sample that a created record replaces from now on. */
export const CREATED: Readonly<Record<string, { readonly sample: string; readonly at: readonly string[] }>> = {
  'v1.createEmployeeRole': { sample: SAMPLE_IDS.role_id, at: ['id'] },
  'v1.createEmployee': { sample: SAMPLE_IDS.employee_id, at: ['id'] },
  'v1.createTimecard': { sample: SAMPLE_IDS.timecard_id, at: ['id'] },
  'v2.createPayment': { sample: SAMPLE_IDS.payment_id, at: ['payment', 'id'] },
  'v2.refundPayment': { sample: SAMPLE_IDS.refund_id, at: ['refund', 'id'] },
  'v2.createWebhookSubscription': { sample: SAMPLE_IDS.subscription_id, at: ['subscription', 'id'] },
  'checkout.placeOrder': { sample: SAMPLE_SECRETS.order_token, at: ['order_token'] },
};

type Preparation = (shop: ExampleShop, server: TestServer) => Promise<Record<string, string>>;

/** A payment that waits to be captured, with this key. */
const authorized =
  (idempotency_key: string): Preparation =>
  async ({ token, locationId }, server) => {
    const body = {
      ...{ source_id: 'cnon:card-nonce-ok', idempotency_key, amount_money: usd(2400) },
      ...{ location_id: locationId, autocomplete: false },
    };
    const { payment } = made(await server.call('POST', '/v2/payments', { token, body }));
    return { [SAMPLE_IDS.payment_id]: payment.id };
  };

const saleOfRegister: Preparation = async ({ salePaymentId }) => ({ [SAMPLE_IDS.payment_id]: salePaymentId });

/** Refunds complete some seconds after they were made. */
const waited: Preparation = async ({ merchantId }, server) => {
  const path = `/api/sandbox/merchants/${merchantId}/clock`;
  made(await server.operator('POST', path, { advance: 'PT10S' }));
  return {};
};

const itemOfStore: Preparation = async ({ store }) => ({ [SAMPLE_IDS.item_id]: store.items[0]?.id ?? '' });

const PREPARED: Readonly<Record<string, Preparation>> = {
  'v1.retrievePayment': saleOfRegister,
  'v2.completePayment': authorized('order-1050'),
  'v2.cancelPayment': authorized('order-1051'),
  'v2.cancelPaymentByIdempotencyKey': authorized('order-1043'),
  'v2.getPaymentRefund': waited,
  'checkout.priceOrder': itemOfStore,
  'checkout.placeOrder': itemOfStore,
};

export interface Prepared {
  /** The records that stand in for the samples of the example. */
  readonly samples: Readonly<Record<string, string>>;
  /** Absent: those of the shop. */
  readonly credentials?: CallOptions;
}

/** Makes what an example needs. */
export async function prepare(
  name: string,
  shop: ExampleShop,
  { server, receiverUrl }: { readonly server: TestServer; readonly receiverUrl: string },
): Promise<Prepared> {
  if (name.startsWith('dashboard.')) return prepareDashboard(name, server, receiverUrl);
  if (name.startsWith('sandbox.')) return { samples: await prepareSandbox(name, server, receiverUrl) };
  if (!name.startsWith('register.')) return { samples: (await PREPARED[name]?.(shop, server)) ?? {} };
  return { samples: (await prepareRegister(name, async () => counterOf(shop, server))).samples };
}

let keys = 0;

function counterOf({ register, store }: ExampleShop, server: TestServer): Counter {
  return {
    employeeId: register.employee_id,
    newKey: () => `till-7-${1000 + keys++}`,
    async send(method, path, body, publishableKey) {
      const credential = publishableKey === undefined ? ofRegister(register) : { token: publishableKey };
      return made(await server.call(method, path, { ...credential, ...(body && { body }) }));
    },
    findStore: async () => ({ publishableKey: store.publishable_key, itemId: store.items[0]?.id ?? '' }),
  };
}

/** The credentials of an example, by the security schemes of the document. */
export function credentialsOf(schemes: readonly string[], shop: ExampleShop, path: string): CallOptions {
  const [scheme, ...more] = schemes;
  if (scheme === undefined) return {};
  if (scheme === 'clientSecret') return { headers: { authorization: `Client ${shop.application.secret}` } };
  if (more.includes('employeeSession')) return ofRegister(shop.register);
  if (scheme === 'deviceToken') return { token: shop.register.device_token };
  if (scheme === 'publishableKey') return { token: shop.store.publishable_key };
  if (scheme === 'operatorKey') return { token: OPERATOR_KEY };
  return { token: path === '/oauth2/token/status' ? shop.accessToken : shop.token };
}
