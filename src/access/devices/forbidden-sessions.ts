/** Ends the sessions of an employee at devices where the employee may no longer be signed in. */

import type { Instant } from '../../base/time.js';
import { type Change, json } from '../../database/change.js';
import { toTimestamp } from '../../database/database.js';
import type { PasscodeHolder } from './queries.js';

/** `employee` is the employee after the change, which saves it first. */
export function endForbiddenSessions(
  change: Change,
  { id, status, locationIds }: Pick<PasscodeHolder, 'status' | 'locationIds'> & { readonly id: string },
  at: Instant,
): void {
  const location_ids = json(JSON.stringify(locationIds));
  change.call('end_forbidden_sessions', { employee_id: id, status, location_ids, at: toTimestamp(at) });
}
