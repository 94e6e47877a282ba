/** Records movements. */
import type { Change } from '../../database/change.js';
import type { Movement } from './model.js';
import { movements } from './table.js';

const NO_CAUSE = { paymentId: null, refundId: null, reason: null, settlementId: null };

export function recordMovement(change: Change, movement: Movement): void {
  change.insert(movements, { ...NO_CAUSE, ...movement });
}
