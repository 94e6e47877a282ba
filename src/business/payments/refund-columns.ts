/** The columns of refunds. They are declared here, because canceling a captured payment creates a refund. */
import { Columns } from '../../database/columns.js';
import { storeBreakdown, type WithStoredBreakdown } from '../receipts/stored.js';
import type { Refund } from './model.js';

export const REFUND_COLUMNS = new Columns<WithStoredBreakdown<Refund>>({
  id: { column: 'refund_id', as: 'value' },
  paymentId: 'value',
  locationId: 'value',
  status: 'value',
  sourceType: 'value',
  createdAt: 'time',
  updatedAt: 'time',
  currency: 'value',
  amount: 'value',
  appFee: 'value',
  returnedFee: 'value',
  orderId: 'value',
  reason: 'value',
  origin: 'value',
  type: 'value',
  leaderId: 'value',
  breakdown: 'json',
  employeeId: 'value',
  accountId: 'value',
  deviceId: 'value',
  overruledDisputeId: 'value',
  returnedTo: 'value',
  exchangeIds: 'value',
});

/** A refund with its breakdown as it is stored. */
export function toStoredRefund(refund: Refund): WithStoredBreakdown<Refund> {
  return { ...refund, breakdown: refund.breakdown && storeBreakdown(refund.breakdown) };
}

/** A refund as an argument of a function. */
export function toRefundRow(refund: Refund): string {
  return REFUND_COLUMNS.toRow(toStoredRefund(refund));
}
