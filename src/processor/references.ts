/** Forgets what processors call our payments. */
import type { Change } from '../database/change.js';
import { processorReferences } from './table.js';

/** Deletes the reference of a payment that is deleted, if it has one. */
export function forgetReference(change: Change, paymentId: string): void {
  change.delete(processorReferences, { paymentId });
}
