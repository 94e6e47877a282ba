/** What else must hold of a record that is found by its key. */
import type { Fragment, Sql } from './database.js';

/**
 * It is at a place, where one is given. The form is one that no index can answer: the planner takes a merchant and its places
 * for unrelated, so it believes that hardly anything is at a place, and would read all that is there instead of going by the key.
 */
export function andLocationIs(sql: Sql, locationId: string | undefined, column: Fragment = sql`location_id`): Fragment {
  return locationId === undefined ? sql`` : sql`and (${column} = ${locationId}) is true`;
}
