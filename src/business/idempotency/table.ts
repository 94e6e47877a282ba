/** Defines the table of idempotency keys (decisions 0027 and 0263). */
import type { Instant } from '../../base/time.js';
import { Table } from '../../database/table.js';

/** Stands for the application in the keys of owners: every key belongs to an application, and the dashboard is none. */
export const OWNER_KEYS = 'dashboard';

export interface IdempotencyKey {
  /** The application that sent the key, or `OWNER_KEYS`. Keys of different applications are different keys. */
  readonly applicationId: string;
  readonly operation: 'createPayment' | 'createPayment:released' | 'refundPayment' | 'createRefund' | 'refundSale';
  readonly key: string;
}

/** A key, and what the request made that took it. */
export interface TakenKey extends IdempotencyKey {
  readonly requestHash: Buffer;
  readonly madeId: string;
  /** In real time, whatever the clock of the merchant says. */
  readonly createdAt: Instant;
}

export const idempotencyKeys = new Table<TakenKey>('idempotency_keys', {
  key: ['applicationId', 'operation', 'key'],
  columns: {
    applicationId: 'value',
    operation: 'value',
    key: 'value',
    requestHash: 'bytes',
    madeId: 'value',
    createdAt: 'time',
  },
  deletes: true,
});
