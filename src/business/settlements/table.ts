/** Defines the tables of settlements and adjustments. */
import { Table } from '../../database/table.js';
import type { AdjustmentAuthor, Settlement } from './model.js';

export const settlements = new Table<Settlement>('settlements', {
  key: ['id'],
  columns: {
    id: { column: 'settlement_id', as: 'value' },
    locationId: 'value',
    bankAccountId: 'value',
    status: 'value',
    currency: 'value',
    total: 'value',
    initiatedAt: 'time',
    visibleAt: 'time',
    failedAt: 'time',
    returnedMovementId: 'value',
  },
});

/** The author and the idempotency key of an adjustment. */
interface StoredAdjustment {
  /** Of its movement. */
  readonly id: string;
  readonly madeBy: AdjustmentAuthor;
  readonly key: string;
}

export const adjustments = new Table<StoredAdjustment>('adjustments', {
  key: ['id'],
  columns: {
    id: { column: 'adjustment_id', as: 'value' },
    madeBy: 'value',
    key: { column: 'idempotency_key', as: 'value' },
  },
});
