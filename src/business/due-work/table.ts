/** Defines the table of due work. Work is added and moved by functions, because its real time depends on the clock of the merchant by then. */
import type { Instant } from '../../base/time.js';
import { Table } from '../../database/table.js';
import type { DueWork } from './model.js';

interface StoredWork extends DueWork {
  /** `dueAt` in real time. Null while the clock of the merchant is frozen. */
  readonly runAt: Instant | null;
  /** The end of a worker's claim, in real time. */
  readonly leasedUntil: Instant | null;
}

export const dueWork = new Table<StoredWork>('due_work', {
  key: ['kind', 'subjectId'],
  columns: { kind: 'value', subjectId: 'value', dueAt: 'time', runAt: 'time', leasedUntil: 'time' },
  // Whoever has claimed work, or has done what it was for, removes it without reading it again.
  deletes: 'unread',
});
