/** Defines the table of movements. */
import { Table } from '../../database/table.js';
import type { Adjustment, Movement, PaymentMovement } from './model.js';

/** A movement of any kind, with its settlement. */
export type MovementRow = Omit<PaymentMovement, 'kind' | 'paymentId'> & {
  readonly kind: Movement['kind'];
  readonly paymentId: string | null;
  readonly reason: Adjustment['reason'] | null;
  readonly settlementId: string | null;
};

export const movements = new Table<MovementRow>('movements', {
  key: ['id'],
  inBulk: {},
  columns: {
    id: { column: 'movement_id', as: 'value' },
    locationId: 'value',
    paymentId: 'value',
    refundId: 'value',
    kind: 'value',
    currency: 'value',
    amount: 'value',
    fee: 'value',
    occurredAt: 'time',
    reason: 'value',
    settlementId: 'value',
  },
});
