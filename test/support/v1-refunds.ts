/** v1 refunds for tests, made and listed over HTTP. */
import { expect } from 'vitest';
import type { ApiResponse } from './http.js';
import { type Walk, walkV1 } from './lists.js';
import type { Json } from './payments.js';
import { mainLocation } from './people.js';
import type { TestMerchant, TestServer } from './server.js';

export interface V1Money {
  readonly amount: number;
  readonly currency_code: string;
}

interface V1Line {
  readonly name: string;
  readonly applied_money: V1Money;
}

export interface V1Refund {
  readonly type: string;
  readonly reason: string;
  readonly refunded_money: V1Money;
  readonly refunded_processing_fee_money: V1Money;
  readonly refunded_tax_money: V1Money;
  readonly refunded_additive_tax: readonly V1Line[];
  readonly refunded_tip_money: V1Money;
  readonly refunded_discount_money: V1Money;
  readonly refunded_surcharge_money: V1Money;
  readonly refunded_surcharges: readonly V1Line[];
  readonly created_at: string;
  readonly payment_id: string;
  readonly merchant_id: string;
  readonly is_exchange: boolean;
}

export const money = (amount: number): V1Money => ({ amount, currency_code: 'USD' });

type Placed = TestMerchant & { readonly at?: string };

/** The body names the payment and, unless it is FULL, the amount. */
export function tryToRefundV1(server: TestServer, merchant: Placed, change: Json): Promise<ApiResponse> {
  const body = { type: 'FULL', reason: 'wrong size', ...change };
  return server.call('POST', `/v1/${merchant.at ?? mainLocation(merchant)}/refunds`, { token: merchant.token, body });
}

export async function refundV1(server: TestServer, merchant: Placed, change: Json): Promise<V1Refund> {
  const { status, text, body } = await tryToRefundV1(server, merchant, change);
  if (status !== 200) throw new Error(`not refunded: ${status} ${text}`);
  return body;
}

export const part = (paymentId: string, units: number, change: Json = {}): Json => ({
  payment_id: paymentId,
  type: 'PARTIAL',
  refunded_money: money(-units),
  ...change,
});

/** Every page of the list. */
export function listV1Pages(
  server: TestServer,
  { token, ...merchant }: TestMerchant,
  { location = 'me', ...walk }: Partial<Walk> & { readonly location?: string } = {},
): Promise<ApiResponse[]> {
  const get = (path: string) => server.call('GET', path, { token });
  return walkV1({
    get,
    path: `/v1/${location === '' ? mainLocation({ token, ...merchant }) : location}/refunds`,
    ...walk,
  });
}

export async function listV1(...given: Parameters<typeof listV1Pages>): Promise<V1Refund[]> {
  return (await listV1Pages(...given)).flatMap(({ body }) => body);
}

/** Expects one v1 refusal. */
export function expectV1Refusal(
  answer: ApiResponse,
  status: number,
  field: string | undefined,
  ...says: string[]
): void {
  const type = { 400: /^bad_request/, 404: /^not_found$/, 422: /^unprocessable_entity$/ }[status] ?? /^$/;
  expect(answer.body, answer.text).toEqual({
    type: expect.stringMatching(type),
    message: expect.any(String),
    ...(field !== undefined && { field }),
  });
  expect(answer.status).toBe(status);
  for (const word of says) expect(answer.body.message).toContain(word);
}
