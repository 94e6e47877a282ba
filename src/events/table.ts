/** Defines the table of recorded events. */
import type { JsonText } from '../base/json.js';
import type { Instant } from '../base/time.js';
import { Table } from '../database/table.js';
import type { EventKind } from './model.js';

export interface RecordedEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly entityId: string;
  /** What is sent. Both signatures are computed from these bytes. */
  readonly body: JsonText<object>;
  /** In real time. */
  readonly createdAt: Instant;
}

export const webhookEvents = new Table<RecordedEvent>('webhook_events', {
  key: ['id'],
  columns: {
    id: { column: 'event_id', as: 'value' },
    kind: 'value',
    entityId: 'value',
    body: 'value',
    createdAt: 'time',
  },
});
