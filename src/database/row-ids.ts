/** Identifiers that the database makes, for statements that cannot know beforehand how many rows they will write. */
import { uuidFront } from '../base/ids.js';
import type { Instant } from '../base/time.js';
import type { Fragment, Sql } from './database.js';

/** Another one for each row, ordered by time like all others (decision 0014): the front is given, the rest is drawn. */
export function newRowUuid(sql: Sql, at: Instant): Fragment {
  const front = uuidFront(at);
  return sql`(${front}::text || substr(gen_random_uuid()::text, ${front.length + 1}::integer))::uuid`;
}
