/** Sales for tests, made at a register over HTTP. */
import { randomUUID } from 'node:crypto';
import type { ApiResponse } from './http.js';
import type { Register } from './people.js';

export const SALES = '/api/register/sales';
export const CARD = 'cnon:card-nonce-ok';
export const DECLINED = 'cnon:card-nonce-declined';

export const usd = (amount: number) => ({ amount, currency: 'USD' });

type Body = Record<string, unknown>;

/** One item at a price. */
export const item = (amount: number, more: Body = {}): Body => ({
  name: 'Loaf',
  single_quantity_money: { amount },
  ...more,
});

export const cash = (amount?: number, more: Body = {}): Body => ({
  id: randomUUID(),
  type: 'CASH',
  ...(amount !== undefined && { amount_money: { amount } }),
  ...more,
});

export const card = (amount?: number, more: Body = {}): Body => ({
  id: randomUUID(),
  type: 'CARD',
  source_id: CARD,
  ...(amount !== undefined && { amount_money: { amount } }),
  ...more,
});

export interface WireTender {
  readonly id: string;
  readonly register_id: string;
  readonly type: string;
  readonly status: string;
  readonly total_money: { readonly amount: number };
  readonly in_drawer?: boolean;
  readonly [other: string]: unknown;
}

export interface WireSale {
  readonly id: string;
  /** Its id in v1, when v1 shows it. */
  readonly payment_id?: string;
  readonly state: string;
  readonly created_at?: string;
  readonly remaining_money: { readonly amount: number };
  readonly tenders: readonly WireTender[];
  readonly [other: string]: unknown;
}

export function tryToSell(register: Register, body: Body): Promise<ApiResponse> {
  return register.write(SALES, { itemizations: [item(1000)], ...body });
}

export async function sell(register: Register, body: Body = { tenders: [cash()] }): Promise<WireSale> {
  const answer = await tryToSell(register, body);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body.sale;
}
