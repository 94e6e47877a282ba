/** A filter by location for records that are found by their key. */
import type { Fragment, Sql } from './sql.js';

/**
 * The condition is written so that no index matches it. The planner treats merchant and location as independent and expects
 * few rows at a location. With an indexable condition it would scan the whole location instead of using the key.
 */
export function andLocationIs(sql: Sql, locationId: string | undefined, column: Fragment = sql`location_id`): Fragment {
  return locationId === undefined ? sql`` : sql`and (${column} = ${locationId}) is true`;
}
