/** Every SQL statement on owners' accounts and sessions. */
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import type { SessionSurface } from '../../identity/credential-queries.js';

export interface NewSession {
  readonly hash: Buffer;
  readonly surface: SessionSurface;
  readonly accountId: string;
  readonly merchantId: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** Returns false if the password has changed since it was checked. Waits for a password change in progress. */
export async function insertSession(tx: Tx, session: NewSession, passwordHash: string): Promise<boolean> {
  const rows = await tx`
    insert into sessions (
      token_hash, surface, account_id, merchant_id, created_at, expires_at, confirmed_at, last_used_at, address,
      user_agent
    )
    select
      ${session.hash}, ${session.surface}, account_id, merchant_id, ${session.createdAt}, ${session.expiresAt},
      ${session.createdAt}, ${session.createdAt}, ${session.address}, ${session.userAgent ?? null}
    from accounts
    where account_id = ${session.accountId} and password_hash = ${passwordHash}
    for share
    returning 1`;
  return rows.length > 0;
}

export interface SessionSummary {
  /** The beginning of the session's hash: it identifies the session and cannot be used to sign in. */
  readonly id: string;
  readonly surface: SessionSurface;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly lastUsedAt: Instant;
  readonly address: string | null;
  readonly userAgent: string | null;
}

const SESSION_ID_LENGTH = 24;

/** For the alias `s`. */
function sessionId(sql: Sql): Fragment {
  return sql`left(encode(s.token_hash, 'hex'), ${SESSION_ID_LENGTH})`;
}

export interface Owner {
  readonly merchantId: string;
  readonly accountId: string;
}

/** Sessions that are neither revoked nor expired, newest first. */
export async function listSessions(
  sql: Sql,
  { merchantId, accountId }: Owner,
  now: Instant,
): Promise<SessionSummary[]> {
  return sql<SessionSummary[]>`
    select
      ${sessionId(sql)} as id, s.surface, s.created_at, s.expires_at, s.last_used_at,
      s.address, s.user_agent
    from sessions s
    where s.merchant_id = ${merchantId} and s.account_id = ${accountId} and s.revoked_at is null and s.expires_at > ${now}
    order by s.created_at desc, s.token_hash
    limit 1000`;
}

export function toSessionId(hash: string): string {
  return hash.slice(0, SESSION_ID_LENGTH);
}

/** Revokes one session by its id, or all, and returns how many were revoked. */
export async function moveSessionsToRevoked(
  tx: Tx,
  { merchantId, accountId, id }: Owner & { readonly id?: string },
  at: Instant,
): Promise<number> {
  const rows = await tx`
    update sessions s
    set revoked_at = ${at}
    where s.merchant_id = ${merchantId} and s.account_id = ${accountId} and s.revoked_at is null
      ${id === undefined ? tx`` : tx`and ${sessionId(tx)} = ${id}`}
    returning 1`;
  return rows.length;
}

export async function moveSessionToRevoked(tx: Tx, merchantId: string, hash: Buffer, at: Instant): Promise<void> {
  await tx`
    update sessions
    set revoked_at = ${at}
    where merchant_id = ${merchantId} and token_hash = ${hash} and revoked_at is null`;
}

/** Records that the password was entered again in this session. */
export async function updateConfirmation(tx: Tx, merchantId: string, hash: Buffer, at: Instant): Promise<void> {
  await tx`
    update sessions
    set confirmed_at = ${at}, last_used_at = ${at}
    where merchant_id = ${merchantId} and token_hash = ${hash} and revoked_at is null`;
}

export interface StoredAccount {
  readonly accountId: string;
  readonly merchantId: string;
  readonly email: string;
  readonly passwordHash: string;
}

export async function findAccountByEmail(sql: Sql, email: string): Promise<StoredAccount | undefined> {
  const [row] = await sql<StoredAccount[]>`
    select account_id, merchant_id, email, password_hash
    from accounts
    where lower(email) = lower(${email})`;
  return row;
}

export async function insertAccount(tx: Tx, account: StoredAccount & { createdAt: Instant }): Promise<void> {
  await tx`
    insert into accounts (account_id, merchant_id, email, password_hash, created_at)
    values (
      ${account.accountId}, ${account.merchantId}, ${account.email}, ${account.passwordHash}, ${account.createdAt}
    )`;
}

/**
 * Returns whether the password is still the given one. Waits for sign-ins in progress, so that the following statements see their
 * sessions.
 */
export async function lockAccount(tx: Tx, { accountId, passwordHash }: StoredAccount): Promise<boolean> {
  const [row] = await tx<{ passwordHash: string }[]>`
    select password_hash
    from accounts
    where account_id = ${accountId}
    for update`;
  return row?.passwordHash === passwordHash;
}

/** In one transaction, sets a new password and revokes all sessions of the account, except `exceptSession`: the one in which the owner changes it. */
export async function updatePassword(
  tx: Tx,
  account: { merchantId: string; email: string; passwordHash: string },
  at: Instant,
  exceptSession: Buffer | null = null,
): Promise<void> {
  // First, because it waits for sign-ins in progress. Then their sessions are found.
  const [changed] = await tx<{ accountId: string }[]>`
    update accounts
    set password_hash = ${account.passwordHash}
    where merchant_id = ${account.merchantId} and lower(email) = lower(${account.email})
    returning account_id`;
  if (!changed) return;
  await tx`
    update sessions
    set revoked_at = ${at}
    where merchant_id = ${account.merchantId} and account_id = ${changed.accountId} and revoked_at is null
      and token_hash is distinct from ${exceptSession}`;
}
