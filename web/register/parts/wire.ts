/** The shapes of what the server tells the screens. */
import type { ResponseOf } from '../../client/callable.js';
import type { register } from '../core/call.js';

export type WireFoundSale = ResponseOf<typeof register.findSales>['sales'][number];
export type WireShiftReport = ResponseOf<typeof register.showShiftReport>['report'];
export type WireOrderDetail = ResponseOf<typeof register.showOrder>['order'];
export type WireOrder = ResponseOf<typeof register.listOrders>['orders'][number];
