/** Deletes credentials after their retention time (decision 0078). */
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';

/** For each kind: its table, its key, and the column with the end of its validity. */
const EXPIRING = {
  'authorization codes': { table: 'authorization_codes', key: 'code_hash', end: 'expires_at' },
  'access tokens': { table: 'access_tokens', key: 'token_hash', end: 'expires_at' },
  'refresh tokens': { table: 'refresh_tokens', key: 'token_hash', end: 'expires_at' },
  sessions: { table: 'sessions', key: 'token_hash', end: 'expires_at' },
  'register sessions': { table: 'register_sessions', key: 'token_hash', end: 'expires_at' },
  'sign-in attempts': { table: 'sign_in_attempts', key: 'subject_hash', end: 'window_ends_at' },
} as const;

export type ExpiringCredential = keyof typeof EXPIRING;

/** Deletes the oldest rows that ended before that time, at most `limit`, and returns how many. Keeps personal tokens. */
export async function deleteExpired(
  tx: Tx,
  kind: ExpiringCredential,
  { endedBefore, limit }: { readonly endedBefore: Instant; readonly limit: number },
): Promise<number> {
  const { table, key, end } = EXPIRING[kind];
  const deleted = await tx`
    delete from ${tx(table)}
    where ${tx(key)} in (
      select ${tx(key)}
      from ${tx(table)}
      where ${tx(end)} < ${endedBefore} ${kind === 'access tokens' ? tx`and authorization_id is not null` : tx``}
      order by ${tx(end)}
      limit ${limit}
      for update skip locked
    )
    returning 1`;
  return deleted.length;
}
