/** Adds work that is done later, and removes work that is not needed any more. */
import { type Change, json } from '../../database/change.js';
import type { DueWork } from './model.js';
import { deleteDueWork, toWorkRow } from './queries.js';

/** Adds work, or reschedules it. It runs by the clock that the merchant has when this is committed. */
export function addWork(change: Change, work: DueWork): void {
  change.call('add_due_work', { work: json(toWorkRow(work)) });
}

/** Adds work that is due at once. */
export function addOverdueWork(change: Change, work: DueWork): void {
  change.call('add_overdue_work', { work: json(toWorkRow(work)) });
}

export function removeWork(change: Change, work: Pick<DueWork, 'kind' | 'subjectId'>): void {
  deleteDueWork(change, work);
}
