/** Defines the tables of payments, of their refunds, and of calls to the processor whose outcome is unknown. */
import type { Instant } from '../../base/time.js';
import { Columns, type Definitions } from '../../database/columns.js';
import { Table } from '../../database/table.js';
import type { WithStoredBreakdown } from '../receipts/stored.js';
import type { Call } from './call-model.js';
import type { Payment, PaymentStatus, Refund } from './model.js';

const PAYMENT: Definitions<Payment<PaymentStatus>> = {
  id: { column: 'payment_id', as: 'value' },
  saleId: 'value',
  locationId: 'value',
  channel: 'value',
  applicationId: 'value',
  status: 'value',
  sourceType: 'value',
  createdAt: 'time',
  updatedAt: 'time',
  capturedAt: 'time',
  delayedUntil: 'time',
  delayDuration: 'value',
  delayAction: 'value',
  currency: 'value',
  amount: 'value',
  tip: 'value',
  total: 'value',
  appFee: 'value',
  fee: 'value',
  refunded: 'value',
  returned: 'value',
  refundIds: 'value',
  refundsBlocked: 'value',
  exchanged: 'value',
  reversedFee: 'value',
  reversedAt: 'time',
  employeeId: 'value',
  registerTenderId: 'value',
  entryMethod: 'value',
  tendered: 'value',
  tenderName: 'value',
  isExchange: 'value',
  drawerShiftId: 'value',
  processorId: 'value',
  cardBrand: 'value',
  last4: 'value',
  cardDetails: 'json text',
  details: 'json text',
  errors: 'json',
};

/** The columns that reads return: without the copy. */
export const PAYMENT_COLUMNS = new Columns<Payment<PaymentStatus>>(PAYMENT);

/** The copy of the v2 JSON (`copies.ts`). */
export interface StoredCopy {
  /** Null for a payment that v2 does not show: without an outcome, or not of a card (decision 0025). */
  readonly v2Json: string | null;
  readonly v2JsonVersion: number;
  readonly v2JsonPrinter: string;
}

export interface StoredPayment extends Payment<PaymentStatus>, StoredCopy {
  /** Of the request that took a tender of a register. */
  readonly requestHash: Buffer | null;
}

export const payments = new Table<StoredPayment>('payments', {
  key: ['id'],
  inBulk: { apart: 'v2Json' },
  columns: {
    ...PAYMENT,
    requestHash: { column: 'register_request_hash', as: 'bytes' },
    v2Json: { column: 'v2_json', as: 'value' },
    v2JsonVersion: { column: 'v2_json_version', as: 'value' },
    v2JsonPrinter: { column: 'v2_json_printer', as: 'value' },
  },
  // Only one that the processor did not attempt.
  deletes: true,
});

export type RefundRow = WithStoredBreakdown<Refund>;

/** It is here, because canceling a captured payment creates a refund. */
export const refunds = new Table<RefundRow>('refunds', {
  key: ['id'],
  columns: {
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
  },
});

/** A call with its times in real time: when it is retried, and the end of a worker's lease. */
export interface StoredCall extends Call {
  readonly retryAt: Instant;
  readonly leasedUntil: Instant | null;
}

export const processorCalls = new Table<StoredCall>('processor_calls', {
  key: ['paymentId'],
  columns: {
    paymentId: 'value',
    action: 'value',
    request: 'json',
    cancelAfter: 'value',
    retryAt: 'time',
    leasedUntil: 'time',
  },
  // The end of an approval removes the call in flight, if there is one.
  deletes: 'unread',
});
