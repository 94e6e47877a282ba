/** Defines the table of holds. */
import { Table } from '../../database/table.js';
import type { Hold } from './model.js';

export const holds = new Table<Hold>('holds', {
  key: ['id'],
  columns: {
    id: { column: 'hold_id', as: 'value' },
    paymentId: 'value',
    amount: 'value',
    placedAt: 'time',
    releasedAt: 'time',
  },
});
