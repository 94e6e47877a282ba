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
      taken_at = null,
      merchant_id = null,
      account_id = null,
      device_id = null,
      device_name = null,
      location_id = null
    where known.expires_at <= ${code.createdAt}
    returning 1`;
  return rows.length > 0;
}

/** Who wants to pair the register that shows a code. */
export interface Asking {
  readonly merchantId: string;
  readonly accountId: string;
  /** The device as it will be. */
  readonly deviceId: string;
  readonly name: string;
  readonly locationId: string;
}

/** Takes a code, so that nobody else can use it. Returns until when its register can answer; undefined if there is no such code. */
export async function movePairingCodeToAsked(
  tx: Tx,
  codeHash: Buffer,
  { merchantId, accountId, deviceId, name, locationId }: Asking,
  now: Instant,
): Promise<Instant | undefined> {
  const [row] = await tx<{ expiresAt: Instant }[]>`
    update pairing_codes
    set
      taken_at = ${now},
      merchant_id = ${merchantId},
      account_id = ${accountId},
      device_id = ${deviceId},
      device_name = ${name},
      location_id = ${locationId}
    where code_hash = ${codeHash} and expires_at > ${now} and taken_at is null
    returning expires_at`;
  return row?.expiresAt;
}

/** The code of a register. `asking`: null until somebody has typed it. Undefined if it has expired. */
export async function findPairingCode(
  sql: Sql,
  tokenHash: Buffer,
  now: Instant,
): Promise<{ readonly asking: Asking | null } | undefined> {
  const [row] = await sql<{ [Key in keyof Asking]: Asking[Key] | null }[]>`
    select merchant_id, account_id, device_id, device_name as name, location_id
    from pairing_codes
    where token_hash = ${tokenHash} and expires_at > ${now}`;
  return row && { asking: row.merchantId === null ? null : (row as Asking) };
}

/** Not a code that nobody has typed. */
export async function deleteAskedCode(tx: Tx, tokenHash: Buffer): Promise<void> {
  await tx`
    delete from pairing_codes
    where token_hash = ${tokenHash} and merchant_id is not null`;
}

/** The names that the person at the register reads. */
export async function findPlace(
  sql: Sql,
  { merchantId, locationId }: Asking,
): Promise<{ readonly business: string; readonly location: string } | undefined> {
  const [row] = await sql<{ business: string; location: string }[]>`
    select m.business_name as business, l.name as location
    from merchants m
    join locations l using (merchant_id)
    where m.merchant_id = ${merchantId} and l.location_id = ${locationId}`;
  return row;
}

export async function deleteExpiredCodes(tx: Tx, before: Instant): Promise<void> {
  await tx`
    delete from pairing_codes
    where expires_at < ${before}`;
}
