/** A small business for the examples of the API reference. Its clock stands still, so that the responses are the same in every run. */
import { SAMPLE_IDS, SAMPLE_PASSCODE, SAMPLE_SECRETS } from '../../src/api/sample-ids.js';
import { type Counter, prepareRegister } from '../../web/console/try/register-state.js';
import { made } from '../contract/business.js';
import type { CallOptions } from '../support/http.js';
import { OPERATOR_KEY, type TestServer } from '../support/server.js';
import { prepareSandbox } from './example-sandbox.js';

const OPENED_AT = '2026-02-27T18:00:00Z';

const usd = (amount: number) => ({ amount, currency: 'USD' });

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

interface Register {
  readonly device_token: string;
  readonly session: string;
  readonly employee_id: string;
}

interface Store {
  readonly publishable_key: string;
  readonly items: readonly { readonly id: string }[];
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
  const { saleId, shiftId } = await workAtRegister(server, register);
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
    salePaymentId: saleId,
    settlementId: settlement.id,
    bankAccountId: linked.id,
    application: { id, secret: application.application_secret },
    accessToken: granted.access_token,
    refreshToken: granted.refresh_token,
  };
}

/** A drawer that is opened, a sale that is paid with a card and cash, and the counted drawer. */
async function workAtRegister(server: TestServer, register: Register) {
  const write = async (path: string, body: object) =>
    made(await server.call('POST', `/api/register/${path}`, { ...ofRegister(register), body }));
  const drawer = { id: 'drawer-1', opened_cash_money: usd(10_000), description: 'Counter' };
  const { cash_drawer_shift: shift } = await write('cash-drawer-shifts', drawer);
  const { sale } = await write('sales', {
    id: 'sale-1',
    itemizations: [
      {
        ...{ name: 'Flat white', quantity: '2', single_quantity_money: usd(450), item_variation_name: 'Regular' },
        item_detail: { category_name: 'Coffee', sku: 'FW-1', item_id: 'flat-white', item_variation_id: 'regular' },
        modifiers: [{ name: 'Oat milk', price_money: usd(50), modifier_option_id: 'oat-milk' }],
      },
    ],
    discounts: [{ name: 'Happy hour', amount_money: usd(100), discount_id: 'happy-hour' }],
    taxes: [{ name: 'Sales tax', rate: '0.085', fee_id: 'sales-tax' }],
    tenders: [
      {
        ...{ id: 'tender-1', type: 'CARD', source_id: 'cnon:test-visa-contactless' },
        ...{ amount_money: usd(500), tip_money: usd(100) },
      },
      { id: 'tender-2', type: 'CASH', tendered_money: usd(1000) },
    ],
  });
  const at = `cash-drawer-shifts/${shift.id}`;
  await write(`${at}/paid-in`, { id: 'coins-1', amount_money: usd(500), description: 'Coins' });
  await write(`${at}/end`, { id: 'end-1' });
  await write(`${at}/close`, { id: 'close-1', closed_cash_money: usd(10_977) });
  return { saleId: sale.payment_id, shiftId: shift.id };
}

const storeAt = (locationId: string) => ({
  location_id: locationId,
  shipping_money: usd(500),
  promo_codes: [{ code: 'RYE10', rate: '0.1' }],
  items: [
    {
      ...{ name: 'Rye loaf', description: 'Sourdough, 800 g', category_name: 'Bread', sku: 'RYE-800' },
      price_money: usd(850),
      tax: { name: 'Sales tax', rate: '0.085' },
    },
  ],
});

/** A paid order with all that a shopper can say. */
async function sellOnline(
  server: TestServer,
  locationId: string,
  { publishable_key: token, items }: Store,
): Promise<string> {
  const { order, order_token } = made(
    await server.call('POST', '/api/checkout/orders', {
      token,
      body: {
        id: `${locationId}-1`,
        items: [{ item_id: items[0]?.id, quantity: 2 }],
        recipient: { name: 'Noor Haddad', phone_number: '+1 415 555 0199' },
        shipping_address: {
          ...{ address_line_1: '18 Folsom Street', locality: 'San Francisco', administrative_district_level_1: 'CA' },
          ...{ postal_code: '94105', country: 'US' },
        },
        buyer_email: 'noor@example.com',
        buyer_note: 'Please ring twice',
        promo_code: 'RYE10',
      },
    }),
  );
  const body = { source_id: 'cnon:card-nonce-ok' };
  made(await server.call('POST', `/api/checkout/orders/${order_token}/pay`, { token, body }));
  return order.id;
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
 * What creates, before what reads. What ends a record comes last. Everything else is in the order of the declarations. Registers, stores and
 * the operator come after the published API, so that their sales, orders and businesses are not in its lists.
 */
const FIRST = [
  ...['v1.createEmployeeRole', 'v1.createEmployee', 'v1.createTimecard', 'v1.updateTimecard', 'v2.createPayment'],
  ...['v2.refundPayment', 'v2.createWebhookSubscription', 'v1.updateWebhooks'],
];
const LAST = ['v1.deleteTimecard', 'v2.deleteWebhookSubscription', 'oauth2.revokeToken'];
const REGISTERS = LAST.length + 1;
const LATER_SURFACES = ['register.', 'checkout.', 'sandbox.'];

export function rankOf(name: string): number {
  const [first, last] = [FIRST.indexOf(name), LAST.indexOf(name)];
  if (first >= 0) return first - FIRST.length;
  const later = LATER_SURFACES.findIndex((surface) => name.startsWith(surface));
  if (later >= 0) return REGISTERS + later + (name === 'register.signOut' ? 0.5 : 0);
  return last >= 0 ? last + 1 : 0;
}

/** The sample that a created record stands in for from now on. */
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

/** Makes what an example needs, and returns the records that stand in for its samples. */
export async function prepare(
  name: string,
  shop: ExampleShop,
  { server, receiverUrl }: { readonly server: TestServer; readonly receiverUrl: string },
): Promise<Readonly<Record<string, string>>> {
  if (name.startsWith('sandbox.')) return prepareSandbox(name, server, receiverUrl);
  if (!name.startsWith('register.')) return (await PREPARED[name]?.(shop, server)) ?? {};
  return (await prepareRegister(name, async () => counterOf(shop, server))).samples;
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

function ofRegister({ device_token: token, session }: Register): CallOptions {
  return { token, headers: { 'tillhouse-employee-session': session } };
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
