/** Operations that the server is about to declare. The types of `register` replace them. */
import type { Signature } from '../../../src/api/operation.js';
import type { Callable } from '../../client/callable.js';
import type { WireShift } from '../core/wire.js';

interface WireMoney {
  readonly amount: number;
  readonly currency: string;
}

type Of<Input, Response, Params = Record<never, never>> = Callable<
  Signature & { params: Params; input: Input; response: Response }
>;

export interface WireFoundSale {
  readonly id: string;
  readonly payment_id: string;
  readonly receipt_number: string;
  readonly created_at: string;
  readonly total_money: WireMoney;
  readonly refunded_money: WireMoney;
  readonly refundable_money: WireMoney;
  readonly tenders: readonly {
    readonly id: string;
    readonly type: string;
    readonly card_brand?: string;
    readonly last_4?: string;
    readonly name?: string;
    readonly total_money: WireMoney;
  }[];
  readonly lines: readonly {
    readonly line: number;
    readonly name: string;
    readonly quantity: string;
    readonly returnable_quantity: string;
    readonly total_money: WireMoney;
  }[];
}

export const findSales: Of<{ query: string }, { sales: readonly WireFoundSale[] }> = {
  name: 'findSales',
  method: 'GET',
  path: '/api/register/sales/search',
};

export interface WireShiftReport {
  readonly kind: 'X' | 'Z';
  readonly shift: WireShift;
  readonly sales_count: number;
  readonly refunds_count: number;
  readonly gross_money: WireMoney;
  readonly discounts_money: WireMoney;
  readonly net_money: WireMoney;
  readonly taxes_money: WireMoney;
  readonly tips_money: WireMoney;
  readonly tenders: readonly { readonly type: string; readonly count: number; readonly amount_money: WireMoney }[];
  readonly refunds_money: WireMoney;
  readonly paid_in_money: WireMoney;
  readonly paid_out_money: WireMoney;
  readonly expected_cash_money: WireMoney;
  readonly counted_cash_money?: WireMoney;
  readonly over_short_money?: WireMoney;
}

export const showShiftReport: Of<Record<never, never>, WireShiftReport, { shift_id: string }> = {
  name: 'showShiftReport',
  method: 'GET',
  path: '/api/register/cash-drawer-shifts/{shift_id}/report',
};

export const listShifts: Of<Record<never, never>, { cash_drawer_shifts: readonly WireShift[] }> = {
  name: 'listShifts',
  method: 'GET',
  path: '/api/register/cash-drawer-shifts',
};

export interface WireOrder {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
  readonly recipient_name: string;
  readonly item_count: number;
  readonly first_item?: string;
  readonly total_money: WireMoney;
  readonly actions: readonly string[];
}

export const listOrders: Of<{ state?: string }, { orders: readonly WireOrder[] }> = {
  name: 'listOrders',
  method: 'GET',
  path: '/api/register/orders',
};

export const completeOrder: Of<{ id: string }, { order: WireOrder }, { order_id: string }> = {
  name: 'completeOrder',
  method: 'POST',
  path: '/api/register/orders/{order_id}/complete',
};

export const cancelOrder: Of<{ id: string }, { order: WireOrder }, { order_id: string }> = {
  name: 'cancelOrder',
  method: 'POST',
  path: '/api/register/orders/{order_id}/cancel',
};

export const editItemAtRegister: Of<
  { version: number; name: string; variations: readonly { id: string; price_money: { amount: number } }[] },
  unknown,
  { item_id: string }
> = { name: 'editItemAtRegister', method: 'PUT', path: '/api/register/items/{item_id}' };
