/** Payments and refunds for tests, made over HTTP, and the checks of the books afterwards. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { insertRegisteredApplication } from '../../src/access/oauth/queries.js';
import { insertToken } from '../../src/access/token-queries.js';
import { realNow } from '../../src/base/clock.js';
import { newSecret } from '../../src/base/ids.js';
import { hashSecret } from '../../src/base/secrets.js';
import { findBreaches } from '../../src/check/check.js';
import { issueCredentials } from '../../src/identity/directory.js';
import { PERMISSIONS } from '../../src/identity/permissions.js';
import { changeClock } from './clock.js';
import type { ApiResponse } from './http.js';
import { walkV2 } from './lists.js';
import { expectCopiesInOrder } from './sale-copies.js';
import type { TestMerchant, TestServer } from './server.js';

export type Json = Readonly<Record<string, unknown>>;

export interface WireMoney {
  readonly amount: number;
  readonly currency: string;
}

export interface WireFee {
  readonly effective_at: string;
  readonly type: string;
  readonly amount_money: WireMoney;
}

export interface WirePayment {
  readonly id: string;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly amount_money: WireMoney;
  readonly total_money: WireMoney;
  readonly refunded_money?: WireMoney;
  readonly refund_ids?: readonly string[];
  readonly processing_fee?: readonly WireFee[];
  readonly card_details: { readonly status: string; readonly errors?: readonly Json[] };
  readonly location_id: string;
  readonly order_id: string;
  readonly receipt_number?: string;
  readonly receipt_url?: string;
  readonly delayed_until: string;
  readonly version_token: string;
  readonly capabilities?: readonly string[];
}

export interface WireRefund {
  readonly id: string;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly amount_money: WireMoney;
  readonly app_fee_money?: WireMoney;
  readonly processing_fee?: readonly WireFee[];
  readonly payment_id: string;
  readonly location_id: string;
  readonly order_id: string;
}

/** A document without the address of its server: links to receipts lead there, and two test servers have two addresses. */
export function withoutServer(text: string): string {
  return text.replaceAll(/127\.0\.0\.1:\d+/g, 'SERVER');
}

/** Anything with a token of the merchant. */
export type Holder = Pick<TestMerchant, 'token'>;

export const CARD = 'cnon:card-nonce-ok';
export const HALF_EMPTY_GIFT_CARD = 'cnon:gift-card-nonce-insufficient-funds';

export function usd(amount: number): WireMoney {
  return { amount, currency: 'USD' };
}

/** The body of a payment that is captured immediately, with a new key. */
export function paymentBody(change: Json = {}): Json {
  return { idempotency_key: randomUUID(), source_id: CARD, amount_money: usd(1000), ...change };
}

export function tryToPay(server: TestServer, { token }: Holder, change: Json = {}): Promise<ApiResponse> {
  return server.call('POST', '/v2/payments', { token, body: paymentBody(change) });
}

export async function pay(server: TestServer, holder: Holder, change: Json = {}): Promise<WirePayment> {
  return made(await tryToPay(server, holder, change)).payment;
}

/** Creates a payment that waits for its completion. */
export function approve(server: TestServer, holder: Holder, change: Json = {}): Promise<WirePayment> {
  return pay(server, holder, { autocomplete: false, ...change });
}

export function tryToRefund(
  server: TestServer,
  { token }: Holder,
  payment: { readonly id: string },
  change: Json = {},
): Promise<ApiResponse> {
  const body = { idempotency_key: randomUUID(), payment_id: payment.id, amount_money: usd(1000), ...change };
  return server.call('POST', '/v2/refunds', { token, body });
}

export async function refund(
  server: TestServer,
  holder: Holder,
  payment: { readonly id: string },
  change: Json = {},
): Promise<WireRefund> {
  return made(await tryToRefund(server, holder, payment, change)).refund;
}

export async function getPayment(server: TestServer, { token }: Holder, id: string): Promise<WirePayment> {
  return made(await server.call('GET', `/v2/payments/${id}`, { token })).payment;
}

export async function getRefund(server: TestServer, { token }: Holder, id: string): Promise<WireRefund> {
  return made(await server.call('GET', `/v2/refunds/${id}`, { token })).refund;
}

export function cancelByKey(server: TestServer, { token }: Holder, key: unknown): Promise<ApiResponse> {
  return server.call('POST', '/v2/payments/cancel', { token, body: { idempotency_key: key } });
}

function made(answer: ApiResponse): ApiResponse['body'] {
  if (answer.status !== 200) throw new Error(`not made: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Moves a merchant's clock forward, runs the due work, and returns the new time. */
export async function advance(server: TestServer, { id }: TestMerchant, by: string): Promise<string> {
  return (await changeClock(server, id, { advance: by })).now;
}

/** A time plus milliseconds, as v2 prints it. */
export function later(time: string, byMs: number): string {
  return new Date(Date.parse(time) + byMs).toISOString();
}

export interface ExpectedRefusal {
  readonly status?: number;
  readonly code: string;
  readonly category?: string;
  readonly field?: string;
  /** Words that the detail must contain. */
  readonly says?: readonly string[];
}

/** Expects exactly one v2 error. Its `field` is present if and only if it is expected. */
export function expectRefusal(answer: ApiResponse, expected: ExpectedRefusal): void {
  const { status = 400, code, category = 'INVALID_REQUEST_ERROR', field, says = [] } = expected;
  expect(answer.body, answer.text).toEqual({
    errors: [{ category, code, detail: expect.any(String), ...(field !== undefined && { field }) }],
  });
  expect(answer.status).toBe(status);
  for (const word of says) expect(answer.body.errors[0].detail).toContain(word);
}

export interface Movement {
  readonly kind: string;
  readonly refundId: string | null;
  readonly amount: number;
  readonly fee: number;
  readonly occurredAt: number;
}

/** The movements of a payment, in the order in which they were recorded. */
export async function movementsOf(server: TestServer, paymentId: string): Promise<Movement[]> {
  return server.database.sql<Movement[]>`
    select kind, refund_id, amount, fee, occurred_at
    from movements
    where payment_id = ${paymentId}
    order by occurred_at, movement_id`;
}

/** Authorizes another application for the same merchant: idempotency keys are per application. */
export async function authorizeAnotherApplication(server: TestServer, merchantId: string): Promise<string> {
  const token = newSecret('EAAA', 64);
  const createdAt = realNow();
  const applicationId = newSecret('sq0idp-', 29);
  const hash = hashSecret(token);
  await issueCredentials(server.database, async ({ tx, enter }) => {
    await insertRegisteredApplication(tx, {
      id: applicationId,
      name: 'Another',
      merchantId: null,
      clientType: 'CONFIDENTIAL',
      redirectUrls: [],
      secretHash: null,
      createdAt,
    });
    enter(merchantId, hash);
    await insertToken(tx, {
      hash,
      merchantId,
      applicationId,
      permissions: PERMISSIONS,
      label: 'another',
      createdAt,
      expiresAt: null,
    });
  });
  return token;
}

/** Fetches every page of a v2 list. Later requests send only the cursor. */
export function walk(server: TestServer, { token }: Holder, from: string): Promise<ApiResponse[]> {
  const [path = '', query] = from.split('?', 2);
  const parameters = Object.fromEntries(new URLSearchParams(query));
  return walkV2({ get: (next) => server.call('GET', next, { token }), path, parameters });
}

/** Expects that all laws hold. Every test file about money ends with this check. */
export async function expectBooksInOrder({ database }: TestServer): Promise<void> {
  expect(await findBreaches(database)).toEqual([]);
  await expectCopiesInOrder(database);
}

/** Where `receipt_url` leads in a sandbox without a public URL: to this server. */
export function receiptUrlOf(
  { baseUrl }: { readonly baseUrl: string },
  { id }: { readonly id: string },
  paymentId: string,
): string {
  return `${baseUrl}/receipts/${paymentId}?merchant=${id}`;
}
