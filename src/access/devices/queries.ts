/** Every SQL statement on devices, passcodes, register sessions and register writes. */
import type { Instant } from '../../base/time.js';
import { type Change, changeIn } from '../../database/change.js';
import { type Sql, type Tx, toBytea } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import {
  type DeviceRecord,
  devices,
  deviceTokens,
  type RegisterWrite,
  registerWrites,
  type StoredWrite,
  type WriteKey,
} from './table.js';

/** Without a token the device is listed but cannot call the server, like the registers of a generated history. */
export async function insertDevice(
  tx: Tx,
  merchantId: string,
  device: Omit<DeviceRecord, 'lastSeenAt'>,
  tokenHash: Buffer | null,
): Promise<void> {
  await changeIn(tx, merchantId, (change) => {
    change.insert(devices, { ...device, lastSeenAt: null });
    if (tokenHash) change.insert(deviceTokens, { tokenHash, deviceId: device.id, createdAt: device.createdAt });
  });
}

export async function listDevices(sql: Sql, merchantId: string): Promise<DeviceRecord[]> {
  return sql<DeviceRecord[]>`
    select ${devices.select(sql)}
    from devices
    where merchant_id = ${merchantId}
    order by created_at, device_id
    limit 1000`;
}

/** Returns undefined if there is no such device. */
export async function updateDeviceName(
  tx: Tx,
  merchantId: string,
  deviceId: string,
  name: string,
): Promise<DeviceRecord | undefined> {
  const [row] = await tx<DeviceRecord[]>`
    update devices
    set name = ${name}
    where merchant_id = ${merchantId} and device_id = ${deviceId}
    returning ${devices.select(tx)}`;
  return row;
}

/** The settings of a device. Null: never set, so the default applies. */
export interface StoredSettings {
  readonly name: string;
  readonly lockAfterSeconds: number | null;
  readonly showPictures: boolean | null;
  readonly askForTip: boolean | null;
  readonly cardReader: boolean | null;
}

export async function findDeviceSettings(
  sql: Sql,
  merchantId: string,
  deviceId: string,
): Promise<StoredSettings | undefined> {
  const [row] = await sql<StoredSettings[]>`
    select name, lock_after_seconds, show_pictures, ask_for_tip, card_reader
    from devices
    where merchant_id = ${merchantId} and device_id = ${deviceId}`;
  return row;
}

/** Locks the settings while they are edited. */
export async function lockDeviceSettings(
  tx: Tx,
  merchantId: string,
  deviceId: string,
): Promise<StoredSettings | undefined> {
  const [row] = await tx<StoredSettings[]>`
    select name, lock_after_seconds, show_pictures, ask_for_tip, card_reader
    from devices
    where merchant_id = ${merchantId} and device_id = ${deviceId}
    for update`;
  return row;
}

export async function updateDeviceSettings(
  tx: Tx,
  merchantId: string,
  deviceId: string,
  { name, lockAfterSeconds, showPictures, askForTip, cardReader }: StoredSettings,
): Promise<void> {
  await tx`
    update devices
    set
      name = ${name}, lock_after_seconds = ${lockAfterSeconds}, show_pictures = ${showPictures},
      ask_for_tip = ${askForTip}, card_reader = ${cardReader}
    where merchant_id = ${merchantId} and device_id = ${deviceId}`;
}

/** Revokes the device's token and ends every session and key at it, in one transaction. Returns false if there is no such device. */
export async function moveDeviceToUnpaired(
  tx: Tx,
  merchantId: string,
  deviceId: string,
  at: Instant,
): Promise<boolean> {
  const found = await tx`
    update devices
    set unpaired_at = coalesce(unpaired_at, ${at})
    where merchant_id = ${merchantId} and device_id = ${deviceId}
    returning 1`;
  if (found.length === 0) return false;
  await tx`
    update device_tokens
    set revoked_at = ${at}
    where merchant_id = ${merchantId} and device_id = ${deviceId} and revoked_at is null`;
  await tx`
    update register_sessions
    set ended_at = ${at}
    where merchant_id = ${merchantId} and device_id = ${deviceId} and ended_at is null`;
  await tx`
    delete from register_keys
    where merchant_id = ${merchantId} and device_id = ${deviceId}`;
  return true;
}

/** In one transaction, deletes tokens of devices, and the devices that have no other token: those of a pairing that was not completed. */
export async function deletePairings(tx: Tx, merchantId: string, tokenHashes: readonly Buffer[]): Promise<void> {
  const undone = await tx<{ deviceId: string }[]>`
    delete from device_tokens
    where merchant_id = ${merchantId} and token_hash = any (${tokenHashes.map(toBytea)}::bytea[])
    returning device_id`;
  await tx`
    delete from devices d
    where d.merchant_id = ${merchantId} and d.device_id = any (${undone.map(({ deviceId }) => deviceId)}::text[])
      and not exists (
        select from device_tokens t
        where t.merchant_id = ${merchantId} and t.device_id = d.device_id
      )`;
}

/** Sets a passcode and ends the employee's sessions and keys at registers, in one transaction. Returns false if there is no such employee. */
export async function insertPasscode(
  tx: Tx,
  {
    merchantId,
    employeeId,
    passcodeHash,
    at,
  }: { merchantId: string; employeeId: string; passcodeHash: string; at: Instant },
): Promise<boolean> {
  const found = await tx`
    insert into employee_passcodes (merchant_id, employee_id, passcode_hash)
    select merchant_id, employee_id, ${passcodeHash}::text
    from employees
    where merchant_id = ${merchantId} and employee_id = ${employeeId}
    on conflict (merchant_id, employee_id) do update
    set passcode_hash = excluded.passcode_hash
    returning 1`;
  if (found.length === 0) return false;
  // Afterwards, so that it finds the sessions that were started meanwhile.
  await tx`
    update register_sessions
    set ended_at = ${at}
    where merchant_id = ${merchantId} and employee_id = ${employeeId} and ended_at is null`;
  await tx`
    delete from register_keys
    where merchant_id = ${merchantId} and employee_id = ${employeeId}`;
  return true;
}

export interface PasscodeHolder {
  readonly passcodeHash: string | null;
  readonly status: 'ACTIVE' | 'INACTIVE';
  readonly locationIds: readonly string[];
}

export async function findPasscodeHolder(
  sql: Sql,
  merchantId: string,
  employeeId: string,
): Promise<PasscodeHolder | undefined> {
  const [row] = await sql<PasscodeHolder[]>`
    select p.passcode_hash, e.status, e.location_ids
    from employees e
    left join employee_passcodes p using (merchant_id, employee_id)
    where e.merchant_id = ${merchantId} and e.employee_id = ${employeeId}`;
  return row;
}

/**
 * Returns false if the employee may not be signed in at the device. The row lock makes a concurrent change of the employee wait, so
 * that `end_forbidden_sessions` after that change finds this session too.
 */
export async function insertRegisterSession(
  tx: Tx,
  session: {
    hash: Buffer;
    merchantId: string;
    deviceId: string;
    employeeId: string;
    createdAt: Instant;
    expiresAt: Instant;
  },
): Promise<boolean> {
  const rows = await tx`
    insert into register_sessions (token_hash, merchant_id, device_id, employee_id, created_at, expires_at)
    select
      ${session.hash}, e.merchant_id, d.device_id, e.employee_id, ${session.createdAt}::timestamptz,
      ${session.expiresAt}::timestamptz
    from employees e
    join devices d using (merchant_id)
    where e.merchant_id = ${session.merchantId}
      and e.employee_id = ${session.employeeId}
      and d.device_id = ${session.deviceId}
      and ${fn(tx, 'may_sign_in')}(e.status, e.location_ids, d.location_id)
    for share of e
    returning 1`;
  return rows.length > 0;
}

export async function moveRegisterSessionToEnded(tx: Tx, merchantId: string, hash: Buffer, at: Instant): Promise<void> {
  await tx`
    update register_sessions
    set ended_at = ${at}
    where merchant_id = ${merchantId} and token_hash = ${hash} and ended_at is null`;
}

/** Finds a write that the register has sent before. The change depends on it, also if there is none. */
export async function readRegisterWrite(
  change: Change,
  { deviceId, clientId }: WriteKey,
): Promise<RegisterWrite | undefined> {
  return change.read(registerWrites, { deviceId, clientId });
}

/** Writes of these devices that made one of these refunds. The change depends on them. */
export async function readWritesThatRefunded(
  change: Change,
  { deviceIds, refundIds }: { readonly deviceIds: readonly string[]; readonly refundIds: readonly string[] },
): Promise<StoredWrite[]> {
  // A list of refunds with one of them contains one of these.
  const lists = refundIds.map((id) => JSON.stringify([{ id }]));
  const condition = change.sql`
    device_id = any (${deviceIds as string[]}::text[]) and response -> 'refunds' @> any (${lists}::text[]::jsonb[])`;
  return change.readAll(registerWrites, condition);
}

/** The response to a write that the register has sent before. */
export async function findRegisterResponse(
  sql: Sql,
  merchantId: string,
  { deviceId, clientId }: WriteKey,
): Promise<unknown> {
  const [row] = await sql<Pick<RegisterWrite, 'response'>[]>`
    select response
    from register_writes
    where merchant_id = ${merchantId} and device_id = ${deviceId} and client_id = ${clientId}`;
  return row?.response;
}

export interface SignIn {
  readonly employeeId: string;
  /** In real time. */
  readonly createdAt: Instant;
}

/** Who has signed in at the device since that time (real time). */
export async function listSignIns(
  sql: Sql,
  merchantId: string,
  deviceId: string,
  { employeeIds, since }: { readonly employeeIds: readonly string[]; readonly since: Instant },
): Promise<SignIn[]> {
  return sql<SignIn[]>`
    select employee_id, created_at
    from register_sessions
    where merchant_id = ${merchantId} and device_id = ${deviceId}
      and employee_id = any (${employeeIds as string[]}::uuid[]) and created_at >= ${since}`;
}
