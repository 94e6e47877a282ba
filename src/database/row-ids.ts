/** Creates ids in the database, for statements that do not know in advance how many rows they write. */
import { uuidPrefix } from '../base/ids.js';
import type { Instant } from '../base/time.js';
import type { Fragment, Sql } from './database.js';

/** A new UUID for each row, ordered by time like all others (decision 0014): the prefix is given, the rest is random. */
export function newRowUuid(sql: Sql, at: Instant): Fragment {
  const front = uuidPrefix(at);
  return sql`(${front}::text || substr(gen_random_uuid()::text, ${front.length + 1}::integer))::uuid`;
}
