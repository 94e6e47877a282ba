/** Every SQL statement on pairing codes. They belong to no merchant yet. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';

export interface StoredCode {
  readonly codeHash: Buffer;
  readonly tokenHash: Buffer;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

/** Returns false if another register shows this code at the moment. */
export async function insertPairingCode(tx: Tx, code: StoredCode): Promise<boolean> {
  const rows = await tx`
    insert into pairing_codes as known (code_hash, token_hash, created_at, expires_at)
    values (${code.codeHash}, ${code.tokenHash}, ${code.createdAt}, ${code.expiresAt})
    on conflict (code_hash) do update
    set
      token_hash = excluded.token_hash,
      created_at = excluded.created_at,
      expires_at = excluded.expires_at,
      taken_at = null
    where known.expires_at <= ${code.createdAt}
    returning 1`;
  return rows.length > 0;
}

/** Takes a code, so that it cannot be used again. Returns the hash of the register's secret; undefined if there is no such code. */
export async function movePairingCodeToTaken(tx: Tx, codeHash: Buffer, now: Instant): Promise<Buffer | undefined> {
  const [row] = await tx<{ tokenHash: Buffer }[]>`
    update pairing_codes
    set taken_at = ${now}
    where code_hash = ${codeHash} and expires_at > ${now} and taken_at is null
    returning token_hash`;
  return row?.tokenHash;
}

/** Whether the register's code has not expired. It may have been taken. */
export async function hasPairingCode(sql: Sql, tokenHash: Buffer, now: Instant): Promise<boolean> {
  const rows = await sql`
    select 1
    from pairing_codes
    where token_hash = ${tokenHash} and expires_at > ${now}`;
  return rows.length > 0;
}

export async function deleteExpiredCodes(tx: Tx, before: Instant): Promise<void> {
  await tx`
    delete from pairing_codes
    where expires_at < ${before}`;
}
