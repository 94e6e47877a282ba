/** Settlements for tests: a business with a bank account and a frozen clock. Moving the clock closes days. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { changeClock } from './clock.js';
import { createOwner, type TestOwner } from './dashboard.js';
import type { ApiResponse } from './http.js';
import type { Json } from './payments.js';
import type { TestMerchant, TestServer } from './server.js';

export interface V1Money {
  readonly amount: number;
  readonly currency_code: string;
}

export interface WireEntry {
  readonly payment_id?: string;
  readonly type: string;
  readonly amount_money: V1Money;
  readonly fee_money: V1Money;
}

export interface WireSettlement {
  readonly id: string;
  readonly status: string;
  readonly initiated_at: string;
  readonly bank_account_id: string;
  readonly total_money: V1Money;
  readonly entries?: readonly WireEntry[];
}

export const ROUTING_NUMBER = '021000021';

export function accountBody(change: Json = {}): Json {
  return {
    bank_name: 'First Bank',
    name: 'Ana Ruiz',
    routing_number: ROUTING_NUMBER,
    account_number: '000123456789',
    type: 'BUSINESS_CHECKING',
    ...change,
  };
}

export function made({ status, text, body }: ApiResponse): ApiResponse['body'] {
  if (status !== 200) throw new Error(`not made: ${status} ${text}`);
  return body;
}

/** Links an account and returns its id. */
export function tryToLink(owner: TestOwner, change: Json = {}): Promise<ApiResponse> {
  return owner.call('POST', '/api/dashboard/bank-accounts', { body: accountBody(change) });
}

export async function linkAccount(owner: TestOwner, change: Json = {}): Promise<string> {
  return made(await tryToLink(owner, change)).bank_account.id;
}

export interface TestBusiness extends TestMerchant {
  readonly owner: TestOwner;
  readonly accountId: string;
  readonly locationId: string;
}

/** A Friday morning in New York. The day closes at 22:00 UTC and is visible from 06:00 UTC. */
export const MORNING = '2020-02-21T15:00:00.000Z';
export const CLOSE = '2020-02-21T22:00:00Z';
export const SEEN = '2020-02-22T06:00:00Z';

export async function openShop(server: TestServer, change: Json = {}): Promise<TestBusiness> {
  const owner = await createOwner(server, {
    timezone: 'America/New_York',
    clock: { now: MORNING, frozen: true },
    ...change,
  });
  const [locationId = ''] = owner.merchant.locationIds;
  return { ...owner.merchant, owner, accountId: await linkAccount(owner), locationId };
}

/** Sets the clock and runs the due work. */
export async function setClock(server: TestServer, { id }: TestMerchant, now: string): Promise<void> {
  await changeClock(server, id, { now });
}

export async function listed(
  server: TestServer,
  { token }: TestMerchant,
  path: string,
): Promise<readonly WireSettlement[]> {
  return made(await server.call('GET', `/v1/${path}`, { token }));
}

/** All visible settlements of the business, with their entries. */
export async function settlementsOf(server: TestServer, merchant: TestMerchant): Promise<WireSettlement[]> {
  const found = await listed(server, merchant, 'me/settlements?limit=200');
  return Promise.all(
    found.map(async ({ id }) => made(await server.call('GET', `/v1/me/settlements/${id}`, { token: merchant.token }))),
  );
}

export function cents(amount: number): V1Money {
  return { amount, currency_code: 'USD' };
}

/** The net amount of a card payment through the API, after the fee of 2.9 % + 30 (decision 0030). */
export function feeOf(total: number): number {
  return Math.round((total * 29) / 1000) + 30;
}

export function adjust(
  server: TestServer,
  { id, locationId }: Pick<TestBusiness, 'id' | 'locationId'>,
  amount: number,
): Promise<ApiResponse> {
  const body = {
    idempotency_key: randomUUID(),
    location_id: locationId,
    amount_money: { amount, currency: 'USD' },
    reason: 'by hand',
  };
  return server.operator('POST', `/api/sandbox/merchants/${id}/adjustments`, body);
}

export function hold(
  server: TestServer,
  { id }: TestMerchant,
  paymentId: string,
  amount?: number,
): Promise<ApiResponse> {
  const body = amount === undefined ? {} : { amount_money: { amount, currency: 'USD' } };
  return server.operator('POST', `/api/sandbox/merchants/${id}/payments/${paymentId}/hold`, body);
}

export function release(server: TestServer, { id }: TestMerchant, paymentId: string): Promise<ApiResponse> {
  return server.operator('DELETE', `/api/sandbox/merchants/${id}/payments/${paymentId}/hold`);
}

export function fail(server: TestServer, { id }: TestMerchant, settlementId: string): Promise<ApiResponse> {
  return server.operator('POST', `/api/sandbox/merchants/${id}/settlements/${settlementId}/fail`);
}

/** The only settlement. */
export function only<Item>(items: readonly Item[]): Item {
  expect(items).toHaveLength(1);
  return items[0] as Item;
}
