/** One merchant with a record for every path parameter, and with every kind of caller. */
import { randomInt, randomUUID } from 'node:crypto';
import { REGISTER_PERMISSIONS } from '../../src/identity/permissions.js';
import { pollUntil } from '../support/clock.js';
import type { ApiResponse, CallOptions } from '../support/http.js';
import { grant } from '../support/oauth.js';
import { makePng } from '../support/pictures.js';
import type { TestMerchant, TestServer } from '../support/server.js';

export type Json = Record<string, unknown>;

export const CURRENCY = 'USD';
export const EMPLOYEE_SESSION = 'tillhouse-employee-session';

export interface Device {
  readonly id: string;
  readonly token: string;
}

/** An employee who is signed in at a device. */
export interface Attendant {
  readonly employeeId: string;
  readonly passcode: string;
  readonly session: string;
}

/** An application that the owner registered, with all permissions. */
export interface Application {
  readonly id: string;
  readonly secret: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface Business {
  readonly merchant: TestMerchant;
  readonly owner: { readonly email: string; readonly password: string };
  /** The secret of the owner's session. */
  readonly session: string;
  /** A register at the first location, and its employee, whose role has all permissions. */
  readonly device: Device;
  readonly attendant: Attendant;
  readonly application: Application;
  /** The publishable key of the first location's online store. */
  readonly publishableKey: string;
  /** By the name of the path parameter. A built operation whose parameter is missing here fails its tests. */
  readonly ids: Readonly<Record<string, string>>;
}

/** A business with a frozen clock, so that nothing falls due while a test compares what is stored. */
export async function openBusiness(server: TestServer): Promise<Business> {
  const owner = { email: `owner-${randomUUID()}@example.com`, password: 'correct horse battery' };
  const locations = [{ name: 'One' }, { name: 'Two' }];
  const merchant = await server.createMerchant({ locations, owner, clock: { frozen: true } });
  return equip(server, merchant, owner);
}

/** Creates a record of every kind, each with every optional field that a caller can set. */
export async function equip(server: TestServer, merchant: TestMerchant, owner: Business['owner']): Promise<Business> {
  const session = await signIn(server, owner);
  const [location_id = ''] = merchant.locationIds;
  const role_id = await createRole(server, merchant, REGISTER_PERMISSIONS);
  const employee_id = await hire(server, merchant, { role_ids: [role_id] });
  const bare = { merchant, owner, session, ids: { merchant_id: merchant.id, location_id, role_id, employee_id } };
  const device = await pair(server, bare);
  const attendant = await employAt(server, bare, device, { role_ids: [role_id] });
  const application = await authorizeDemoApplication(server, bare);
  const publishableKey = await openStore(server, bare);
  const business: Business = { ...bare, device, attendant, application, publishableKey };
  const ids = {
    ...business.ids,
    client_id: application.id,
    attendant_id: attendant.employeeId,
    application_id: application.id,
    id: employee_id,
    // Not the device of the caller, since this one may be unpaired.
    device_id: (await pair(server, bare)).id,
    timecard_id: await createTimecard(server, business, { clockout_time: '2020-02-25T17:00:00Z' }),
    shift_id: await keepDrawer(server, business),
    ...(await sellSomething(server, business)),
    ...(await takeMoney(server, business)),
    ...(await settle(server, business)),
    ...(await disputeSomething(server, business)),
    ...(await sellOnline(server, business)),
    ...(await listen(server, business)),
    session_id: await beginSession(server, bare),
    token_id: await makeToken(server, bare),
  };
  // Two, so that their list has two pages.
  await sendFlaggedSale(server, business);
  await sendFlaggedSale(server, business);
  return { ...business, ids };
}

/** Sends a sale of an employee who never signed in at the device. It is flagged for the owner. */
export async function sendFlaggedSale(server: TestServer, { device, ids }: Business) {
  const [id, sent_at] = [randomUUID(), new Date().toISOString()];
  const tenders = [{ id: randomUUID(), type: 'CASH' }];
  const body = { itemizations: [{ name: 'Loaf', single_quantity_money: money(1000) }], tenders };
  const write = { id, operation: 'ringUpSale', employee_id: ids['employee_id'], occurred_at: sent_at, body };
  made(await server.call('POST', '/api/register/queue', { ...atRegister(device), body: { sent_at, writes: [write] } }));
  return { device_id: device.id, write_id: id };
}

/** The id of another session of the owner. */
export async function beginSession(
  server: TestServer,
  { owner, session }: Pick<Business, 'owner' | 'session'>,
): Promise<string> {
  await signIn(server, owner);
  const { sessions } = made(await server.call('GET', '/api/dashboard/sessions', cookie(session)));
  return sessions.find(({ current }: { current: boolean }) => !current).id;
}

/** The id of another personal token. */
export async function makeToken(server: TestServer, { merchant, session }: Owned): Promise<string> {
  await server.createToken(merchant.id, ['PAYMENTS_READ']);
  return made(await server.call('GET', '/api/dashboard/tokens', cookie(session))).tokens.at(-1).id;
}

/** The body of the response; fails if the request failed. */
export function made({ status, text, body }: ApiResponse): ApiResponse['body'] {
  if (status !== 200) throw new Error(`not made: ${status} ${text}`);
  return body;
}

export async function signIn(server: TestServer, owner: Business['owner']): Promise<string> {
  const browser = { 'user-agent': 'A browser' };
  const { headers } = await server.call('POST', '/api/dashboard/session', { body: owner, headers: browser });
  const [, name, session] = /^(tillhouse_session_\d+)=([^;]+)/.exec(String(headers['set-cookie'])) ?? [];
  if (name === undefined || session === undefined) throw new Error('no session');
  cookieNames.set(session, name);
  cookieName = name;
  return session;
}

/** A server's cookies are named after its port. */
const cookieNames = new Map<string, string>();
let cookieName = '';

/** The name of the cookie that carries a session. For an unknown session, the name of the last one. */
export function cookieNameOf(session: string): string {
  return cookieNames.get(session) ?? cookieName;
}

export function cookie(session: string): CallOptions {
  return { headers: { cookie: `${cookieNameOf(session)}=${session}` } };
}

/** The credentials of a device, and of the employee who is signed in at it. */
export function atRegister({ token }: Device, session?: string): CallOptions {
  return { token, ...(session !== undefined && { headers: { [EMPLOYEE_SESSION]: session } }) };
}

export async function createRole(
  server: TestServer,
  { token }: TestMerchant,
  permissions: readonly string[],
  change: Json = {},
): Promise<string> {
  const body = { name: 'Cashier', permissions, ...change };
  return made(await server.call('POST', '/v1/me/roles', { token, body })).id;
}

export async function hire(server: TestServer, { token }: TestMerchant, change: Json = {}): Promise<string> {
  const body = { first_name: 'A', last_name: 'B', ...change };
  return made(await server.call('POST', '/v1/me/employees', { token, body })).id;
}

type Owned = Pick<Business, 'session' | 'ids' | 'merchant'>;

export async function pair(server: TestServer, { session, ids }: Owned): Promise<Device> {
  const body = { name: 'Till', location_id: ids['location_id'] };
  const { device, device_token } = made(
    await server.call('POST', '/api/dashboard/devices', { ...cookie(session), body }),
  );
  return { id: device.id, token: device_token };
}

export async function registerApplication(
  server: TestServer,
  { session }: Owned,
): Promise<{ id: string; secret: string }> {
  const body = { name: 'Sales Wizard', redirect_urls: ['https://app.example/callback'] };
  const answer = await server.call('POST', '/api/dashboard/applications', { ...cookie(session), body });
  const { application, application_secret } = made(answer);
  return { id: application.id, secret: application_secret };
}

/** Registers an application and grants it all permissions. */
export async function authorizeDemoApplication(server: TestServer, owned: Owned): Promise<Application> {
  const { id, secret } = await registerApplication(server, owned);
  const { access_token, refresh_token } = await grant(server, { id }, owned.merchant.id);
  return { id, secret, accessToken: access_token, refreshToken: refresh_token };
}

/** Creates an employee and signs them in. */
export async function employAt(
  server: TestServer,
  { merchant, session }: Owned,
  device: Device,
  change: Json = {},
): Promise<Attendant> {
  const [employeeId, passcode] = [await hire(server, merchant, change), '2468'];
  const path = `/api/dashboard/employees/${employeeId}`;
  made(await server.call('POST', `${path}/activate`, cookie(session)));
  made(await server.call('PUT', `${path}/passcode`, { ...cookie(session), body: { passcode } }));
  return { employeeId, passcode, session: await signInAt(server, device, { employeeId, passcode }) };
}

export async function signInAt(
  server: TestServer,
  { token }: Device,
  { employeeId, passcode }: Omit<Attendant, 'session'>,
): Promise<string> {
  const body = { employee_id: employeeId, passcode };
  return made(await server.call('POST', '/api/register/session', { token, body })).session;
}

/** Creates a shift that has begun, and optionally ends it. */
export async function createTimecard(
  server: TestServer,
  { merchant: { token }, ids }: Owned,
  change: Json = {},
): Promise<string> {
  const { location_id, employee_id } = ids;
  const end = 'clockout_time' in change && { clockout_location_id: location_id };
  const body = {
    employee_id,
    clockin_time: '2020-02-25T09:00:00Z',
    clockin_location_id: location_id,
    ...end,
    ...change,
  };
  return made(await server.call('POST', '/v1/me/timecards', { token, body })).id;
}

/** Sends a write of the register with a new id. */
export function register(
  server: TestServer,
  { device, attendant }: Pick<Business, 'device' | 'attendant'>,
  path: string,
  change: Json = {},
): Promise<ApiResponse> {
  const body = { id: randomUUID(), ...change };
  return server.call('POST', `/api/register/${path}`, { ...atRegister(device, attendant.session), body });
}

export const money = (amount: number): Json => ({ amount, currency: CURRENCY });

/** The device's open shift. Opens one if there is none. */
export async function openShift(server: TestServer, business: Business): Promise<string> {
  const { device, attendant } = business;
  const open = await server.call('GET', '/api/register/cash-drawer-shifts/open', atRegister(device, attendant.session));
  if (open.status === 200) return open.body.cash_drawer_shift.id;
  const body = { opened_cash_money: money(10_000), description: 'Till 1' };
  return made(await register(server, business, 'cash-drawer-shifts', body)).cash_drawer_shift.id;
}

export async function endShift(server: TestServer, business: Business): Promise<string> {
  const id = await openShift(server, business);
  return made(await register(server, business, `cash-drawer-shifts/${id}/end`)).cash_drawer_shift.id;
}

/** A complete shift, counted at its end. */
async function keepDrawer(server: TestServer, business: Business): Promise<string> {
  const id = await openShift(server, business);
  const change = { amount_money: money(500), description: 'Coins' };
  made(await register(server, business, `cash-drawer-shifts/${id}/paid-in`, change));
  made(await register(server, business, `cash-drawer-shifts/${id}/no-sale`));
  await endShift(server, business);
  made(await register(server, business, `cash-drawer-shifts/${id}/close`, { closed_cash_money: money(10_500) }));
  return id;
}

export const ADDRESS_LINES = [
  ...[
    'address_line_1',
    'address_line_2',
    'address_line_3',
    'locality',
    'sublocality',
    'sublocality_2',
    'sublocality_3',
  ],
  ...['administrative_district_level_1', 'administrative_district_level_2', 'administrative_district_level_3'],
  ...['postal_code', 'country', 'first_name', 'last_name', 'organization'],
];
export const FULL_ADDRESS: Json = Object.fromEntries(ADDRESS_LINES.map((line) => [line, line]));

export async function pay(
  server: TestServer,
  { merchant: { token } }: Pick<Business, 'merchant'>,
  change: Json = {},
): Promise<{ id: string; idempotency_key: string }> {
  const body = { source_id: 'cnon:card-nonce-ok', idempotency_key: randomUUID(), amount_money: money(1000), ...change };
  const { payment } = made(await server.call('POST', '/v2/payments', { token, body }));
  return { id: payment.id, idempotency_key: String(body.idempotency_key) };
}

export const accountBody = (change: Json = {}): Json => ({
  ...{ bank_name: 'First Bank', name: 'Ana Ruiz', type: 'CHECKING', routing_number: '021000021' },
  // An account that was not linked before.
  account_number: String(randomInt(1e12)).padStart(12, '0'),
  ...change,
});

export const adjustment = (locationId: string | undefined, amount = 100): Json => ({
  idempotency_key: randomUUID(),
  location_id: locationId,
  amount_money: money(amount),
  reason: 'By hand',
});

/** A bank account, and two closed days that are visible. */
export async function settle(
  server: TestServer,
  { session, merchant, ids }: Owned,
): Promise<{ bank_account_id: string; v1_bank_account_id: string; settlement_id: string }> {
  const link = { ...cookie(session), body: accountBody() };
  const { bank_account } = made(await server.call('POST', '/api/dashboard/bank-accounts', link));
  const [path, location_id] = [`/api/sandbox/merchants/${merchant.id}`, ids['location_id']];
  for (const _ of ['first', 'second']) {
    made(await server.operator('POST', `${path}/adjustments`, adjustment(location_id)));
    made(await server.operator('POST', `${path}/clock`, { advance: 'P3D' }));
  }
  const [settlement] = made(await server.call('GET', `/v1/${location_id}/settlements`, merchant));
  const { id } = bank_account;
  return { bank_account_id: id, v1_bank_account_id: id, settlement_id: settlement.id };
}

/** A payment with a hold. */
async function disputeSomething(server: TestServer, business: Business): Promise<{ disputed_id: string }> {
  const { id } = await pay(server, business);
  made(await server.operator('POST', `/api/sandbox/merchants/${business.merchant.id}/payments/${id}/hold`));
  return { disputed_id: id };
}

/** A payment of a card on file with all optional fields, and a completed partial refund of it. */
async function takeMoney(
  server: TestServer,
  business: Business,
): Promise<{ payment_id: string; transaction_id: string; refund_id: string }> {
  const { merchant, ids } = business;
  const { id: payment_id } = await pay(server, business, {
    source_id: 'ccof:customer-card-id-ok',
    customer_id: 'CUSTOMER',
    location_id: ids['location_id'],
    tip_money: money(100),
    app_fee_money: money(50),
    reference_id: 'A-17',
    note: 'Two coffees',
    buyer_email_address: 'buyer@example.com',
    billing_address: FULL_ADDRESS,
    shipping_address: FULL_ADDRESS,
    statement_description_identifier: 'COFFEE',
  });
  const body = {
    ...{ idempotency_key: randomUUID(), payment_id, reason: 'Spilled' },
    ...{ amount_money: money(400), app_fee_money: money(20) },
  };
  await pay(server, business, { location_id: ids['location_id'], autocomplete: false });
  const { refund } = made(await server.call('POST', '/v2/refunds', { token: merchant.token, body }));
  made(await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/clock`, { advance: 'PT10S' }));
  return { payment_id, transaction_id: payment_id, refund_id: refund.id };
}

/** The body of a subscription. Its URL has a server, but deliveries to it do not succeed. */
export const subscriptionBody = (server: TestServer, change: Json = {}): Json => ({
  subscription: {
    name: 'Ours',
    event_types: ['oauth.authorization.revoked'], // the merchant's own token receives none of these events
    notification_url: `${server.baseUrl}/nobody`,
    ...change,
  },
});

export async function subscribe(
  server: TestServer,
  { merchant: { token } }: Pick<Business, 'merchant'>,
  change: Json = {},
): Promise<string> {
  const body = subscriptionBody(server, change);
  return made(await server.call('POST', '/v2/webhooks/subscriptions', { token, body })).subscription.id;
}

/** A subscription of one of the owner's applications. */
export async function subscribeApplication(server: TestServer, { session, application }: Business): Promise<string> {
  const path = `/api/dashboard/applications/${application.id}/webhook-subscriptions`;
  const body = subscriptionBody(server);
  return made(await server.call('POST', path, { ...cookie(session), body })).subscription.id;
}

/** Two subscriptions, and deliveries that were attempted and are final. */
async function listen(
  server: TestServer,
  business: Business,
): Promise<{ subscription_id: string; delivery_id: string; event_id: string }> {
  const deaf = await subscribe(server, business, { event_types: ['payment.created'] });
  const fault = { merchant_id: business.merchant.id, effect: 'WEBHOOK_LATE', delay_ms: 0, times: 2 };
  made(await server.operator('POST', '/api/sandbox/faults', fault)); // both attempts met the fault
  await pay(server, business);
  await pay(server, business);
  const list = `/api/sandbox/merchants/${business.merchant.id}/webhook-deliveries`;
  const { deliveries } = await pollUntil(
    async () => made(await server.operator('GET', list)),
    ({ deliveries: found }) => found.every((each: { attempt_count: number }) => each.attempt_count > 0),
    20_000,
  );
  const off = { token: business.merchant.token, body: { subscription: { enabled: false } } };
  made(await server.call('PUT', `/v2/webhooks/subscriptions/${deaf}`, off)); // so that it is not retried
  await subscribe(server, business);
  for (const _ of ['one', 'another']) await subscribeApplication(server, business);
  const [{ id: delivery_id, event_id }] = deliveries;
  return { subscription_id: await subscribe(server, business), delivery_id, event_id };
}

/** A sale with a line of every kind, partly paid by each kind of tender. */
async function sellSomething(server: TestServer, business: Business): Promise<{ sale_id: string; tender_id: string }> {
  const measured = [{ name: 'Morning', rate: '0.1', discount_id: 'D1', restricted: true }];
  const taxes = [
    { name: 'Sales tax', rate: '0.085', fee_id: 'F1' },
    { name: 'Levy', rate: '0.01', inclusion_type: 'INCLUSIVE' },
  ];
  const body = {
    itemizations: [
      {
        ...{
          name: 'Loaf',
          quantity: '1.5',
          single_quantity_money: money(1000),
          notes: 'sliced',
          item_variation_name: 'Rye',
        },
        item_detail: { category_name: 'Bread', sku: 'L-1', item_id: 'I1', item_variation_id: 'V1' },
        modifiers: [{ name: 'Butter', price_money: money(50), modifier_option_id: 'M1' }],
        ...{ discounts: measured, taxes },
      },
    ],
    surcharges: [
      { name: 'Service', type: 'AUTO_GRATUITY', rate: '0.18', surcharge_id: 'S1' },
      { name: 'Box', amount_money: money(25) },
    ],
    tenders: [
      {
        id: randomUUID(),
        type: 'CARD',
        source_id: 'cnon:card-nonce-ok',
        amount_money: money(500),
        tip_money: money(100),
      },
      { id: randomUUID(), type: 'OTHER', name: 'Voucher', amount_money: money(100) },
      { id: randomUUID(), type: 'CARD', source_id: 'cnon:card-nonce-declined', amount_money: money(100) },
      { id: randomUUID(), type: 'CASH', tendered_money: money(5000) },
    ],
  };
  const { sale } = made(await register(server, business, 'sales', body));
  // A partial refund, with its share of every line.
  const back = { payment_id: sale.payment_id, type: 'FULL', reason: 'Stale' };
  made(await register(server, business, 'refunds', back));
  return { sale_id: sale.id, tender_id: sale.tenders[0].id };
}

export const STORE: Json = { shipping_money: money(500), promo_codes: [{ code: 'TEN', rate: '0.1' }] };

/** Sets up the first location's store and creates the key of its pages. */
async function openStore(server: TestServer, owned: Owned): Promise<string> {
  const path = `/api/dashboard/stores/${owned.ids['location_id']}`;
  made(await server.call('PUT', path, { ...cookie(owned.session), body: STORE }));
  return (await makeKey(server, owned)).word;
}

export async function makeKey(server: TestServer, { session, ids }: Owned): Promise<{ id: string; word: string }> {
  const body = { location_id: ids['location_id'] };
  const { key, publishable_key } = made(
    await server.call('POST', '/api/dashboard/publishable-keys', { ...cookie(session), body }),
  );
  return { id: key.id, word: publishable_key };
}

/** An item in the short form of a sandbox. */
export const STORE_ITEM: Json = {
  name: 'Loaf',
  description: 'Of rye',
  category_name: 'Bread',
  sku: 'L-1',
  price_money: money(1000),
  tax: { name: 'Sales tax', rate: '0.085' },
};

type Part = 'category' | 'modifier_list' | 'discount' | 'tax' | 'item';

const CATALOGUE_PATHS: Readonly<Record<Part, string>> = {
  category: 'categories',
  modifier_list: 'modifier-lists',
  discount: 'discounts',
  tax: 'taxes',
  item: 'items',
};

/** A new record of the catalogue with every optional field. Names of categories are unique. */
export function partBody(part: Part, { ids }: Pick<Business, 'ids'>): Json {
  const [name, location_ids] = [`Part ${randomUUID()}`, [ids['location_id']]];
  switch (part) {
    case 'category':
      return { name };
    case 'modifier_list':
      return { name, min_selected: 0, max_selected: 1, options: [{ name: 'Oat milk', price_money: money(50) }] };
    case 'discount':
      return { name, amount_money: money(100), restricted: true };
    case 'tax':
      return { name, rate: '0.085', inclusion_type: 'ADDITIVE', location_ids, applies_to_all: false };
    default:
      return {
        name: 'Loaf',
        description: 'Of rye',
        location_ids,
        online: true,
        archived: false,
        variations: [
          { name: 'Regular', sku: 'L-1', price_money: money(1000), variable_price: true, sold_by_measure: true },
        ],
        ...Object.fromEntries(['category_id', 'picture_id'].flatMap((key) => (ids[key] ? [[key, ids[key]]] : []))),
        modifier_list_ids: ids['modifier_list_id'] ? [ids['modifier_list_id']] : [],
        tax_ids: ids['tax_id'] ? [ids['tax_id']] : [],
      };
  }
}

/** The id of a new record of the catalogue. */
export async function createPart(server: TestServer, { session, ids }: Owned, part: Part): Promise<string> {
  const path = `/api/dashboard/catalogue/${CATALOGUE_PATHS[part]}`;
  return made(await server.call('POST', path, { ...cookie(session), body: partBody(part, { ids }) }))[part].id;
}

/** The id of a picture that no other merchant has. */
async function uploadPicture(server: TestServer, { session }: Owned): Promise<string> {
  const content = makePng(2, 2, [randomInt(256), randomInt(256), randomInt(256)]).toString('base64');
  return made(await server.call('POST', '/api/dashboard/pictures', { ...cookie(session), body: { content } })).picture
    .id;
}

/** A discount has a rate or an amount. */
async function createRateDiscount(server: TestServer, { session }: Owned): Promise<string> {
  const body = { name: 'Half off', rate: '0.5', restricted: false };
  return made(await server.call('POST', '/api/dashboard/catalogue/discounts', { ...cookie(session), body })).discount
    .id;
}

/** A record of each kind, and an item with all of them. */
async function fillCatalogue(server: TestServer, owned: Owned): Promise<Record<string, string>> {
  const parts = {
    category_id: await createPart(server, owned, 'category'),
    modifier_list_id: await createPart(server, owned, 'modifier_list'),
    discount_id: await createPart(server, owned, 'discount'),
    rate_discount_id: await createRateDiscount(server, owned),
    tax_id: await createPart(server, owned, 'tax'),
    picture_id: await uploadPicture(server, owned),
  };
  return { ...parts, item_id: await createPart(server, { ...owned, ids: { ...owned.ids, ...parts } }, 'item') };
}

export const orderBody = (itemId: string | undefined): Json => ({
  id: randomUUID(),
  items: [{ item_id: itemId, quantity: 2 }],
  recipient: { name: 'Ana', phone_number: '+14155551234' },
  shipping_address: FULL_ADDRESS,
  buyer_email: 'ana@example.com',
  buyer_note: 'Ring twice',
  promo_code: 'TEN',
});

/** An order that waits for its payment. */
export async function placeOrder(
  server: TestServer,
  { publishableKey: token }: Pick<Business, 'publishableKey'>,
  itemId: string | undefined,
): Promise<{ order_id: string; order_token: string }> {
  const answer = made(await server.call('POST', '/api/checkout/orders', { token, body: orderBody(itemId) }));
  return { order_id: answer.order.id, order_token: answer.order_token };
}

/** A paid order, unless it expired immediately, as it does at the latest possible time. */
export async function orderOnline(
  server: TestServer,
  business: Pick<Business, 'publishableKey'>,
  itemId: string | undefined,
): Promise<{ order_id: string; order_token: string }> {
  const order = await placeOrder(server, business, itemId);
  const paying = { token: business.publishableKey, body: { source_id: 'cnon:card-nonce-ok' } };
  await server.call('POST', `/api/checkout/orders/${order.order_token}/pay`, paying);
  return order;
}

/** A catalogue, an order from it with all optional fields, and a key other than the caller's. */
async function sellOnline(server: TestServer, business: Business): Promise<Record<string, string>> {
  const catalogue = await fillCatalogue(server, business);
  const order = await orderOnline(server, business, catalogue['item_id']);
  const path = `/v1/${business.ids['location_id']}/orders/${order.order_id}`;
  const { token } = business.merchant;
  const completing = { action: 'COMPLETE', completed_note: 'On its way', shipped_tracking_number: '1Z999' };
  const { payment_id: order_payment_id } = made(await server.call('PUT', path, { token, body: completing }));
  made(await server.call('PUT', path, { token, body: { action: 'REFUND', refunded_note: 'Broken' } }));
  return { ...catalogue, key_id: (await makeKey(server, business)).id, order_payment_id, ...order };
}
