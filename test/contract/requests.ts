/** A good request for each operation: its caller, its records and its body. */
import { randomUUID } from 'node:crypto';
import { toTokenId } from '../../src/access/tokens.js';
import type { Operation } from '../../src/api/operation.js';
import { hashAsText } from '../../src/base/secrets.js';
import { REGISTER_PERMISSIONS } from '../../src/identity/permissions.js';
import type { ApiResponse, CallOptions } from '../support/http.js';
import { OPERATOR_KEY, type TestServer } from '../support/server.js';
import {
  accountBody,
  atRegister,
  authorizeDemoApplication,
  type Business,
  beginSession,
  cookie,
  createPart,
  createTimecard,
  hire,
  type Json,
  made,
  makeKey,
  makeToken,
  money,
  orderOnline,
  partBody,
  pay,
  placeOrder,
  registerApplication,
  STORE,
  STORE_ITEM,
  sendFlaggedSale,
  settle,
  signIn,
  subscribe,
  subscribeApplication,
  subscriptionBody,
} from './business.js';
import { exampleBody, exampleQuery } from './from-example.js';
import { expectDecent } from './refusals.js';
import { type Maker, type Parts, payAtLocation, REGISTER_REQUESTS } from './register-requests.js';

export function nameOf({ surface, name }: Operation): string {
  return `${surface}.${name}`;
}

/** The names in braces of a path. */
export function parametersOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** The required parameters of a query. */
export function requiredQuery({ query }: Operation): readonly string[] {
  return (query as { required?: readonly string[] } | undefined)?.required ?? [];
}

/** The path with real ids if the business has them. Operations that are not built name records that cannot exist yet. */
export function pathOf(operation: Operation, ids: Readonly<Record<string, string>>): string {
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? 'none-yet'));
}

/** The same id with another ending: equally long and well-formed, but unknown. */
export function madeUp(id: string): string {
  return id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
}

/** An application authenticates with its secret. */
export function asClient(secret: string): CallOptions {
  return { headers: { authorization: `Client ${secret}` } };
}

/** The credential that opens an operation's surface, with only the permissions that it needs. */
export function credentialFor({ surface, permission }: Operation, business: Business): CallOptions {
  const { session, device, attendant, merchant, application, publishableKey } = business;
  if (permission === 'ANYONE') return {};
  if (permission === 'CLIENT') return asClient(application.secret);
  if (surface === 'dashboard') return cookie(session);
  if (surface === 'register') return atRegister(device, permission === 'DEVICE' ? undefined : attendant.session);
  if (surface === 'checkout') return { token: publishableKey };
  return { token: surface === 'sandbox' ? OPERATOR_KEY : merchant.token };
}

/** A separate merchant with processor rules, which would disturb other tests. */
async function merchantWithRules(server: TestServer): Promise<string> {
  const { id } = await server.createMerchant();
  for (const rule of [
    { effect: 'DELAY', delay_ms: 1 },
    { effect: 'SOURCE', source_id: 'cnon:test-visa' },
  ]) {
    made(await server.operator('POST', `/api/sandbox/merchants/${id}/processor-rules`, rule));
  }
  return id;
}

/** A separate merchant with faults, since faults for all merchants would affect every other test. */
const merchantWithFaults: Maker = async (_, server) => {
  const { id: merchant_id } = await server.createMerchant();
  for (const fault of [
    { effect: 'DELAY', delay_ms: 1 },
    { effect: 'STATUS', status: 429 },
    { effect: 'WEBHOOK_TWICE', event_type: 'payment.created' },
  ]) {
    made(await server.operator('POST', '/api/sandbox/faults', { merchant_id, ...fault }));
  }
  return { query: { merchant_id } };
};

const stubOf = (merchant_id: string) => ({
  merchant_id,
  name: 'a customer',
  request: { method: 'GET', path: '/v2/customers/{id}', headers: { accept: { like: '*' } } },
  responses: [{ status: 404 }, { body: { customer: { id: '{{request.path.id}}' } } }],
  times: 5,
  priority: 1,
});

/** A separate merchant, as with faults. */
const merchantWithStub: Maker = async (_, server) => {
  const { id: merchant_id } = await server.createMerchant();
  const { response, responses, ...stub } = { ...stubOf(merchant_id), response: { status: 404 } };
  made(await server.operator('POST', '/api/sandbox/stubs', { stub: { ...stub, responses } }));
  made(await server.operator('POST', '/api/sandbox/stubs', { stub: { ...stub, response } }));
  return { query: { merchant_id } };
};

/** A separate merchant with a snapshot, since a reset would remove what other tests made. */
const merchantWithSnapshot: Maker = async (_, server) => {
  const { id: merchant_id } = await server.createMerchant();
  made(await server.operator('POST', `/api/sandbox/merchants/${merchant_id}/snapshot`));
  return { ids: { merchant_id } };
};

/** A request that the log has: a payment that is made twice, so there are a note, a record and an event. */
const recordedRequest: Maker = async ({ merchant }, server) => {
  const pays = (): Promise<ApiResponse> => {
    const body = { source_id: 'cnon:card-nonce-ok', idempotency_key: randomUUID(), amount_money: money(77) };
    return server.call('POST', '/v2/payments', { token: merchant.token, body });
  };
  made(await pays());
  return { ids: { request_id: String((await pays()).headers['x-request-id']) } };
};

const allowedApplication: Maker = async (business, server) => ({
  ids: { application_id: (await authorizeDemoApplication(server, business)).id },
});

const OWN_PASSWORD = 'correct horse battery';

/** A separate owner, for operations that end all other sessions. */
async function ownSession(server: TestServer): Promise<Parts> {
  const owner = { email: `owner-${randomUUID()}@example.com`, password: OWN_PASSWORD };
  await server.createMerchant({ owner });
  return { credential: cookie(await signIn(server, owner)) };
}

/** A separate merchant, with a settlement that has not failed. */
const settledMerchant: Maker = async (_, server) => {
  const owner = { email: `owner-${randomUUID()}@example.com`, password: 'correct horse battery' };
  const merchant = await server.createMerchant({ owner, clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
  const ids = { merchant_id: merchant.id, location_id: merchant.locationIds[0] ?? '' };
  return { ids: { ...ids, ...(await settle(server, { session: await signIn(server, owner), merchant, ids })) } };
};

const capturedPayment: Maker = async (business, server) => ({
  ids: { payment_id: (await pay(server, business)).id },
});

const heldPayment: Maker = async (business, server) => {
  const { id: payment_id } = await pay(server, business);
  const path = `/api/sandbox/merchants/${business.merchant.id}/payments/${payment_id}/hold`;
  made(await server.operator('POST', path));
  return { ids: { payment_id } };
};

const approvedPayment: Maker = async (business, server) => ({
  ids: { payment_id: (await pay(server, business, { autocomplete: false })).id },
});

const freshTimecard: Maker = async (business, server) => ({
  ids: { timecard_id: await createTimecard(server, business, { clockout_time: '2020-02-25T10:00:00Z' }) },
});

/** A second open timecard of an employee would be refused. */
const pastTimecard: Maker = ({ ids }) => ({
  body: {
    employee_id: ids['employee_id'],
    clockin_time: '2020-02-26T09:00:00Z',
    clockout_time: '2020-02-26T17:00:00Z',
    clockin_location_id: ids['location_id'],
    clockout_location_id: ids['location_id'],
  },
});

/** Keeps the event types, which tests of deliveries use. */
const RENAMING: Parts = { body: { subscription: { name: 'Theirs' } } };

const onNewOrder: Maker = async (business, server) => ({
  ids: await orderOnline(server, business, business.ids['item_id']),
});

const EMPLOYEE = {
  first_name: 'Ana',
  last_name: 'Ruiz',
  email: 'ana@example.com',
  phone_number: '+12065550100',
  external_id: 'HR-9',
};
const ROLE = { name: 'Manager', permissions: ['REGISTER_EDIT_ITEM'], is_owner: false };

/** The version that an editor sees now. */
async function versionOf(server: TestServer, { session, ids }: Business, kind: 'employee' | 'role'): Promise<string> {
  const found = made(await server.call('GET', `/api/dashboard/${kind}s/${ids[`${kind}_id`]}`, cookie(session)));
  return found[kind].version;
}

/** The kinds of records of a catalogue, as operations and bodies name them. */
const PARTS = [
  ['Category', 'category'],
  ['ModifierList', 'modifier_list'],
  ['Discount', 'discount'],
  ['Tax', 'tax'],
  ['Item', 'item'],
] as const;

/** What an operation needs besides its declared example: records of its own, or a body that depends on what is stored. */
const REQUESTS: Readonly<Record<string, Maker>> = {
  'v1.createTimecard': pastTimecard,
  'v1.deleteTimecard': freshTimecard,
  'v1.createRefund': async (business, server) => ({
    ids: { payment_id: (await payAtLocation(business, server)).id },
  }),
  'v2.completePayment': approvedPayment,
  'v2.cancelPayment': approvedPayment,
  'dashboard.listUncapturedPayments': async (business, server) => {
    await approvedPayment(business, server);
    return {};
  },
  'v2.cancelPaymentByIdempotencyKey': async (business, server) => ({
    body: { idempotency_key: (await pay(server, business)).idempotency_key },
  }),
  'v2.refundPayment': async (business, server) => ({
    ids: { payment_id: (await pay(server, business, { app_fee_money: money(10) })).id },
  }),
  'v1.updateOrder': async (business, server) => ({
    ...(await onNewOrder(business, server)),
    body: { action: 'CANCEL', canceled_note: 'Sold out' },
  }),
  'v2.searchShifts': ({ ids }) => ({
    body: { query: { filter: { location_ids: [ids['location_id']] } }, limit: 1 }, // so that there is a next page
  }),
  // It ends all authorizations of the application, so it gets a separate one.
  'oauth2.revokeToken': async (business, server) => {
    const { id, secret } = await authorizeDemoApplication(server, business);
    return { body: { client_id: id, merchant_id: business.merchant.id }, credential: asClient(secret) };
  },
  'oauth2.retrieveTokenStatus': ({ application: { accessToken } }) => ({ credential: { token: accessToken } }),
  // Signing out ends the session, so it gets a separate one.
  'dashboard.signOut': async ({ owner }, server) => ({ credential: cookie(await signIn(server, owner)) }),
  'dashboard.changePassword': async (_, server) => ({
    ...(await ownSession(server)),
    body: { old_password: OWN_PASSWORD, new_password: 'incorrect horse battery' },
  }),
  'dashboard.endSession': async (business, server) => ({ ids: { session_id: await beginSession(server, business) } }),
  'dashboard.exportBuyer': () => ({ body: { email: 'Ana@example.com' } }),
  'dashboard.eraseBuyer': () => ({ body: { email: 'nobody@example.com' } }),
  'dashboard.endSessions': async (_, server) => ownSession(server),
  'dashboard.revokeToken': async (business, server) => ({ ids: { token_id: await makeToken(server, business) } }),
  'dashboard.pairDeviceByCode': async ({ ids }, server) => {
    const { code } = made(await server.call('POST', '/api/register/pairing-codes'));
    return { body: { code, name: 'Till 3', location_id: ids['location_id'] } };
  },
  'dashboard.updateBusiness': async ({ session }, server) => {
    const { merchant, profile } = made(await server.call('GET', '/api/dashboard/business', cookie(session)));
    const { version, owner_name, business_type } = profile;
    const { business_name, language_code } = merchant;
    const owner_email = 'ana@example.com';
    return { body: { version, business_name, owner_name, owner_email, language_code, business_type } };
  },
  'dashboard.updateLocation': async ({ session, ids }, server) => {
    const path = `/api/dashboard/locations/${ids['location_id']}`;
    const { version, location } = made(await server.call('GET', path, cookie(session)));
    const { name, timezone, status, address, description, phone_number, website_url, business_email } = location;
    const kept = { address, description, phone_number, website_url, business_email };
    return {
      body: {
        ...{ version, name, timezone, status, ...kept },
        ...{ receipt_text: 'Thank you', tip_percentages: [15, 20], picture_id: ids['picture_id'] },
        sales_tax: { name: 'Sales tax', percentage: '8.875', inclusion_type: 'ADDITIVE' },
        business_hours: [{ day_of_week: 'MON', start_local_time: '09:00', end_local_time: '17:00' }],
      },
    };
  },
  'dashboard.updateEmployee': async (business, server) => ({
    body: { ...EMPLOYEE, role_id: business.ids['role_id'], version: await versionOf(server, business, 'employee') },
  }),
  // Not the owner, who stays active.
  'dashboard.deactivateEmployee': async ({ merchant }, server) => ({
    ids: { employee_id: await hire(server, merchant) },
  }),
  'dashboard.updateRole': async (business, server) => ({
    // The employee at the register has this role.
    body: { ...ROLE, permissions: [...REGISTER_PERMISSIONS], version: await versionOf(server, business, 'role') },
  }),
  'dashboard.deleteRole': async ({ session }, server) => {
    const { role } = made(await server.call('POST', '/api/dashboard/roles', { ...cookie(session), body: ROLE }));
    return { ids: { role_id: role.id } };
  },
  'dashboard.createTimecard': pastTimecard,
  // A sale without items.
  'dashboard.quoteRefund': async (business, server) => ({
    ids: { sale_id: (await pay(server, business)).id },
    body: { type: 'AMOUNT', amount_money: money(100) },
  }),
  'dashboard.refundSale': async (business, server) => ({
    ids: { sale_id: (await pay(server, business)).id },
    body: { idempotency_key: randomUUID(), type: 'AMOUNT', amount_money: money(100), reason: 'Spilled' },
  }),
  'dashboard.updateOrder': onNewOrder,
  'dashboard.updateTimecard': () => ({ body: { clockin_time: '2020-02-25T08:00:00Z' } }),
  'dashboard.closeTimecard': async (business, server) => {
    const employee_id = await hire(server, business.merchant);
    return { body: {}, ids: { timecard_id: await createTimecard(server, business, { employee_id }) } };
  },
  'dashboard.deleteTimecard': freshTimecard,
  ...Object.fromEntries(
    PARTS.flatMap(([name, part]): [string, Maker][] => [
      [`dashboard.create${name}`, (business) => ({ body: partBody(part, business) })],
      [
        `dashboard.update${name}`,
        async (business, server) => ({
          body: { ...partBody(part, business), version: 1 },
          ids: { [`${part}_id`]: await createPart(server, business, part) },
        }),
      ],
      [
        `dashboard.delete${name}`,
        async (business, server) => ({ ids: { [`${part}_id`]: await createPart(server, business, part) } }),
      ],
    ]),
  ),
  'dashboard.retrieveSalesReport': () => ({ query: { group_by: 'ITEM', compare: 'true' } }),
  'dashboard.linkBankAccount': () => ({ body: accountBody() }), // an account is linked only once
  'dashboard.updateStore': () => ({ body: STORE }), // other requests use its promo code
  'dashboard.revokePublishableKey': async (business, server) => ({
    ids: { key_id: (await makeKey(server, business)).id },
  }),
  'dashboard.rotateApplicationSecret': async (business, server) => ({
    ids: { application_id: (await registerApplication(server, business)).id },
  }),
  'dashboard.revokeAuthorization': allowedApplication,
  'v1.updateWebhooks': () => ({ body: [] as unknown as Json }), // each event type would need its own permission
  'v2.deleteWebhookSubscription': async (business, server) => ({
    ids: { subscription_id: await subscribe(server, business) },
  }),
  // Their events are rare, so that deliveries do not write while a test compares what is stored.
  'v2.createWebhookSubscription': (_, server) => ({ body: subscriptionBody(server) }),
  'dashboard.createWebhookSubscription': (_, server) => ({ body: subscriptionBody(server) }),
  'sandbox.createWebhookSubscription': (_, server) => ({ body: subscriptionBody(server) }),
  'v2.updateWebhookSubscription': () => RENAMING,
  'v2.testWebhookSubscription': () => ({ body: { event_type: 'oauth.authorization.revoked' } }),
  'sandbox.updateWebhookSubscription': () => RENAMING,
  'sandbox.deleteWebhookSubscription': async (business, server) => ({
    ids: { subscription_id: await subscribe(server, business) },
  }),
  'dashboard.updateMadeSubscription': () => RENAMING,
  'dashboard.updateWebhookSubscription': async (business, server) => ({
    ids: { subscription_id: await subscribeApplication(server, business) },
  }),
  'dashboard.deleteWebhookSubscription': async (business, server) => ({
    ids: { subscription_id: await subscribeApplication(server, business) },
  }),
  'dashboard.deleteMadeSubscription': async (business, server) => ({
    ids: { subscription_id: await subscribe(server, business) },
  }),
  'dashboard.testMadeSubscription': () => ({ body: { event_type: 'oauth.authorization.revoked' } }),
  'dashboard.markReviewed': async (business, server) => ({
    body: { writes: [await sendFlaggedSale(server, business)] },
  }),
  ...REGISTER_REQUESTS,
  'checkout.payOrder': async (business, server) => ({
    ids: await placeOrder(server, business, business.ids['item_id']),
  }),
  'sandbox.addBankAccount': async (_, server) => ({
    ids: { merchant_id: (await server.createMerchant()).id },
  }),
  'sandbox.createMerchant': () => ({ body: { business_name: 'Another', bank_account: true } }),
  'sandbox.openStore': ({ ids }) => ({ body: { location_id: ids['location_id'], ...STORE, items: [STORE_ITEM] } }),
  'sandbox.expireToken': async ({ merchant }, server) => ({
    body: { access_token: await server.createToken(merchant.id, []) },
  }),
  'sandbox.revokeAuthorization': allowedApplication,
  'sandbox.addProcessorRule': async (_, server) => ({
    body: { effect: 'DECLINE', code: 'CVV_FAILURE', delay_ms: 5, times: 2 },
    ids: { merchant_id: (await server.createMerchant()).id },
  }),
  'sandbox.listProcessorRules': async (_, server) => ({ ids: { merchant_id: await merchantWithRules(server) } }),
  'sandbox.addFault': async (_, server) => ({
    body: {
      merchant_id: (await server.createMerchant()).id,
      operation: 'v2.createPayment',
      effect: 'DELAY',
      min_delay_ms: 1,
      max_delay_ms: 2,
      times: 2,
    },
  }),
  'sandbox.listFaults': merchantWithFaults,
  'sandbox.clearFaults': merchantWithFaults,
  'sandbox.addStub': async (_, server) => ({ body: { stub: stubOf((await server.createMerchant()).id) } }),
  'sandbox.listStubs': merchantWithStub,
  'sandbox.resetStubs': merchantWithStub,
  'sandbox.removeStub': async (_, server) => {
    const stub = stubOf((await server.createMerchant()).id);
    return { ids: { stub_id: made(await server.operator('POST', '/api/sandbox/stubs', { stub })).stub.id } };
  },
  'sandbox.failSettlement': settledMerchant,
  'sandbox.placeHold': capturedPayment,
  'sandbox.releaseHold': heldPayment,
  'sandbox.clearProcessorRules': async (_, server) => ({ ids: { merchant_id: await merchantWithRules(server) } }),
  'sandbox.removeFault': async (_, server) => {
    const { id: merchant_id } = await server.createMerchant();
    const fault = { merchant_id, effect: 'DELAY', delay_ms: 1 };
    return { ids: { fault_id: made(await server.operator('POST', '/api/sandbox/faults', fault)).fault.id } };
  },
  'sandbox.removeProcessorRule': async (_, server) => {
    const { id: merchant_id } = await server.createMerchant();
    const path = `/api/sandbox/merchants/${merchant_id}/processor-rules`;
    const { rule } = made(await server.operator('POST', path, { effect: 'DECLINE' }));
    return { ids: { merchant_id, rule_id: rule.id } };
  },
  'sandbox.expireTokenById': async ({ merchant }, server) => ({
    ids: { token_id: toTokenId({ hash: hashAsText(await server.createToken(merchant.id, [])) }) },
  }),
  'sandbox.receiveWebhook': () => ({ ids: { receiver: 'accepting' } }),
  'sandbox.openReceiver': async (_, server) => ({ ids: { merchant_id: (await server.createMerchant()).id } }),
  'sandbox.retrieveSnapshot': merchantWithSnapshot,
  'sandbox.resetMerchant': merchantWithSnapshot,
  'sandbox.retrieveRequest': recordedRequest,
  'sandbox.resendRequest': recordedRequest,
};

/** A request that succeeds once: its records may have been created for it. */
export interface GoodRequest {
  readonly ids: Readonly<Record<string, string>>;
  readonly path: string;
  /** Begins with a question mark, or is empty. */
  readonly search: string;
  readonly credential: CallOptions;
  readonly body: Json | undefined;
}

export async function goodRequest(operation: Operation, business: Business, server: TestServer): Promise<GoodRequest> {
  const parts = await REQUESTS[nameOf(operation)]?.(business, server);
  const required = requiredQuery(operation);
  const ids = { ...business.ids, ...parts?.ids };
  const body = operation.body && (parts?.body ?? exampleBody(operation, { ...business, ids }));
  const query = parts?.query ?? exampleQuery(operation, business, required);
  if ((operation.body && !body) || required.some((name) => query[name] === undefined)) {
    throw new Error(`${nameOf(operation)} has no example with a body and the required parameters of its query`);
  }
  const search = new URLSearchParams(query).toString();
  return {
    ids,
    path: pathOf(operation, ids),
    search: search === '' ? '' : `?${search}`,
    credential: parts?.credential ?? credentialFor(operation, business),
    body,
  };
}

/** Sends a good request; `change` overrides parts of it. */
export function send(
  server: TestServer,
  { method }: Operation,
  { path, search, credential, body }: GoodRequest,
  change: CallOptions = {},
): Promise<ApiResponse> {
  const headers = { ...credential.headers, ...change.headers };
  return server.call(method, path + search, { ...credential, ...(body && { body }), ...change, headers });
}

/** A call that succeeds once the operation is built; `change` overrides parts of it. */
export async function callWell(
  server: TestServer,
  operation: Operation,
  business: Business,
  change: CallOptions = {},
): Promise<ApiResponse> {
  const answer = await send(server, operation, await goodRequest(operation, business, server), change);
  expectDecent(answer, operation.path, change.headers?.['square-version'] || undefined);
  return answer;
}

/** The next page's token, in the format of the list's generation. */
export function pageTokenIn({ body, rawHeaders }: ApiResponse, { page }: Operation): string | undefined {
  if (page?.keys) return body.cursor;
  const link = rawHeaders.includes('Link') ? rawHeaders[rawHeaders.indexOf('Link') + 1] : undefined;
  return /^<[^>]+\?batch_token=([\w-]+)(?:&[^>]+)?>;rel='next'$/.exec(link ?? '')?.[1];
}

/** The elements of a list, which a v2 body may return under several names. An empty v2 list is absent (decision 0241). */
export function itemsIn({ body }: ApiResponse, { page, surface }: Operation): { id: string }[] {
  const items = page?.keys ? body[page.keys[0] ?? ''] : body;
  return items === undefined && surface === 'v2' ? [] : items;
}

/** The identity of an element of a list. A v1 refund has no id (contract 19), so all its fields identify it. */
export function identify(item: { readonly id?: string }): string {
  return item.id ?? JSON.stringify(item);
}
