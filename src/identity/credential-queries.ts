/** Every SQL statement that finds the caller of a credential: an application, an owner, a device, an employee or an online store. */
import type { Amount } from '../base/money.js';
import type { Instant } from '../base/time.js';
import type { Fragment, Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';
import type {
  Account,
  Caller,
  CallerLocation,
  CallerMerchant,
  Device,
  SignedInAttendant,
  Storefront,
  Watch,
} from './caller.js';
import type { LocatedCredential } from './credential-cache.js';
import { type Permission, REGISTER_PERMISSIONS, type RegisterPermission } from './permissions.js';

export interface MerchantColumns {
  merchantId: string;
  businessName: string;
  currency: string;
  approved: boolean;
  restrictsDiscounts: boolean;
  offlineCardLimit: Amount | null;
  clockOffsetMs: number;
  clockFrozenAt: Instant | null;
  hasRules: boolean;
  processorId: string | null;
  hasFaults: boolean;
  hasSubscriptions: boolean;
  watch: Watch | null;
  locations: CallerLocation[] | null;
}

/**
 * The columns of a merchant that are cached with a credential, for the alias `m`. A distributed database runs a statement on one node
 * only if the merchant is known for each table, so `ofAsked` is repeated.
 */
function merchantColumns(sql: Sql, asked: Asked): Fragment {
  return sql`
    m.merchant_id,
    m.business_name,
    m.currency,
    m.approved,
    m.restricts_discounts,
    m.offline_card_limit,
    m.clock_offset_ms,
    m.clock_frozen_at,
    m.processor_id,
    exists (
      select from processor_rules r
      where r.merchant_id = m.merchant_id and r.remaining > 0 ${ofAsked(sql, 'r', asked)}
    ) as has_rules,
    exists (
      select from fault_rules f
      where (f.merchant_id = m.merchant_id or f.merchant_id is null) and f.remaining > 0 and f.effect not like 'WEBHOOK%'
    ) as has_faults,
    exists (select from webhook_subscriptions s where s.merchant_id = m.merchant_id)
      or exists (
        select from authorizations g
        join webhook_subscriptions s on s.application_id = g.application_id and s.merchant_id is null
        where g.merchant_id = m.merchant_id and g.revoked_at is null ${ofAsked(sql, 'g', asked)}
      ) as has_subscriptions,
    (
      select json_build_object('watchers', w.watchers, 'marks', w.marks)
      from merchant_watches w
      where w.merchant_id = m.merchant_id ${ofAsked(sql, 'w', asked)}
    ) as watch,
    (
      select json_agg(json_build_object('id', l.location_id, 'timezone', l.timezone) order by l.ordinal)
      from locations l
      where l.merchant_id = m.merchant_id ${ofAsked(sql, 'l', asked)}
    ) as locations`;
}

export function toCallerMerchant(row: MerchantColumns): CallerMerchant {
  return {
    id: row.merchantId,
    businessName: row.businessName,
    currency: row.currency,
    approved: row.approved,
    restrictsDiscounts: row.restrictsDiscounts,
    offlineCardLimit: row.offlineCardLimit,
    clock: { offsetMs: row.clockOffsetMs, frozenAt: row.clockFrozenAt },
    hasRules: row.hasRules,
    processorId: row.processorId,
    hasFaults: row.hasFaults,
    hasSubscriptions: row.hasSubscriptions,
    watch: row.watch,
    locations: row.locations ?? [],
  };
}

type Asked = readonly LocatedCredential[];

/** The credentials as rows: `asked (merchant_id, hash)`. */
function askedRows(sql: Sql, asked: Asked): Fragment {
  const merchantIds = asked.map(({ merchantId }) => merchantId);
  const hashes = asked.map(({ hash }) => `\\x${hash}`);
  return sql`unnest(${merchantIds}::text[], ${hashes}::bytea[]) as asked (merchant_id, hash)`;
}

/** Repeats the merchants as a condition on a table. For several merchants only if needed: it costs more than the rest of the statement. */
function ofAsked(sql: Sql, alias: string, asked: Asked): Fragment {
  const [only = '', ...others] = new Set(asked.map(({ merchantId }) => merchantId));
  if (others.length === 0) return sql`and ${sql(alias)}.merchant_id = ${only}`;
  return asked[0]?.shard === undefined
    ? sql``
    : sql`and ${sql(alias)}.merchant_id = any (${[only, ...others]}::text[])`;
}

export async function listCallers(sql: Sql, asked: Asked): Promise<Map<string, Caller>> {
  const rows = await sql<
    (MerchantColumns & {
      hash: string;
      applicationId: string;
      authorizationId: string | null;
      permissions: Permission[];
      expiresAt: Instant | null;
      lastUsedAt: Instant | null;
      revokedAt: Instant | null;
    })[]
  >`
    select
      encode(t.token_hash, 'hex') as hash,
      t.application_id,
      t.authorization_id,
      t.permissions,
      t.expires_at,
      t.last_used_at,
      coalesce(t.revoked_at, g.revoked_at) as revoked_at,
      ${merchantColumns(sql, asked)}
    from ${askedRows(sql, asked)}
    join access_tokens t on t.merchant_id = asked.merchant_id and t.token_hash = asked.hash ${ofAsked(sql, 't', asked)}
    join merchants m on m.merchant_id = t.merchant_id ${ofAsked(sql, 'm', asked)}
    left join authorizations g on g.merchant_id = t.merchant_id and g.authorization_id = t.authorization_id
      ${ofAsked(sql, 'g', asked)}`;
  return new Map(
    rows.map((row) => [
      row.hash,
      {
        applicationId: row.applicationId,
        tokenHash: row.hash,
        authorizationId: row.authorizationId,
        permissions: new Set(row.permissions),
        merchant: toCallerMerchant(row),
        expiresAt: row.expiresAt,
        lastUsedAt: row.lastUsedAt,
        revoked: row.revokedAt !== null,
      },
    ]),
  );
}

export async function listStorefronts(sql: Sql, asked: Asked): Promise<Map<string, Storefront>> {
  const rows = await sql<(MerchantColumns & { hash: string; keyId: string; locationId: string })[]>`
    select encode(k.key_hash, 'hex') as hash, k.key_id, k.location_id, ${merchantColumns(sql, asked)}
    from ${askedRows(sql, asked)}
    join publishable_keys k on k.merchant_id = asked.merchant_id and k.key_hash = asked.hash ${ofAsked(sql, 'k', asked)}
    join merchants m on m.merchant_id = k.merchant_id ${ofAsked(sql, 'm', asked)}
    where k.revoked_at is null`;
  return new Map(
    rows.map((row) => [row.hash, { keyId: row.keyId, locationId: row.locationId, merchant: toCallerMerchant(row) }]),
  );
}

export async function listPairedDevices(sql: Sql, asked: Asked): Promise<Map<string, Device>> {
  const rows = await sql<
    (MerchantColumns & {
      hash: string;
      deviceId: string;
      name: string;
      locationId: string;
      lastSeenAt: Instant | null;
    })[]
  >`
    select
      encode(t.token_hash, 'hex') as hash, d.device_id, d.name, d.location_id, d.last_seen_at,
      ${merchantColumns(sql, asked)}
    from ${askedRows(sql, asked)}
    join device_tokens t on t.merchant_id = asked.merchant_id and t.token_hash = asked.hash ${ofAsked(sql, 't', asked)}
    join devices d on d.merchant_id = t.merchant_id and d.device_id = t.device_id ${ofAsked(sql, 'd', asked)}
    join merchants m on m.merchant_id = t.merchant_id ${ofAsked(sql, 'm', asked)}
    where t.revoked_at is null`;
  return new Map(
    rows.map((row) => [
      row.hash,
      {
        id: row.deviceId,
        name: row.name,
        locationId: row.locationId,
        merchant: toCallerMerchant(row),
        lastUsedAt: row.lastSeenAt,
      },
    ]),
  );
}

/** Sessions of employees who may still be signed in, with the current permissions of their role. */
export async function listAttendants(sql: Sql, asked: Asked): Promise<Map<string, SignedInAttendant>> {
  const rows = await sql<
    (Omit<SignedInAttendant, 'permissions'> & {
      hash: string;
      permissions: RegisterPermission[] | null;
      isOwner: boolean | null;
    })[]
  >`
    select
      encode(s.token_hash, 'hex') as hash, s.employee_id, s.device_id, s.merchant_id, s.expires_at, r.permissions,
      r.is_owner
    from ${askedRows(sql, asked)}
    join register_sessions s on s.merchant_id = asked.merchant_id and s.token_hash = asked.hash ${ofAsked(sql, 's', asked)}
    join employees e on e.merchant_id = s.merchant_id and e.employee_id = s.employee_id ${ofAsked(sql, 'e', asked)}
    join devices d on d.merchant_id = s.merchant_id and d.device_id = s.device_id ${ofAsked(sql, 'd', asked)}
    left join roles r on r.merchant_id = e.merchant_id and r.role_id = e.role_id ${ofAsked(sql, 'r', asked)}
    where s.ended_at is null
      and ${fn(sql, 'may_sign_in')}(e.status, e.location_ids, d.location_id)`;
  return new Map(
    rows.map(({ hash, permissions, isOwner, ...rest }) => [
      hash,
      { ...rest, permissions: new Set(isOwner ? REGISTER_PERMISSIONS : (permissions ?? [])) },
    ]),
  );
}

/** The surface on which a session was opened. The session is valid only there. */
export type SessionSurface = 'dashboard' | 'oauth2';

export async function listSignedInAccounts(
  sql: Sql,
  surface: SessionSurface,
  asked: Asked,
): Promise<Map<string, Account>> {
  const rows = await sql<(MerchantColumns & Omit<Account, 'id' | 'merchant'> & { hash: string; accountId: string })[]>`
    select
      encode(s.token_hash, 'hex') as hash,
      s.account_id,
      a.email,
      s.expires_at,
      s.confirmed_at,
      s.last_used_at,
      ${merchantColumns(sql, asked)}
    from ${askedRows(sql, asked)}
    join sessions s on s.merchant_id = asked.merchant_id and s.token_hash = asked.hash ${ofAsked(sql, 's', asked)}
    join accounts a on a.account_id = s.account_id
    join merchants m on m.merchant_id = s.merchant_id ${ofAsked(sql, 'm', asked)}
    where s.surface = ${surface}
      and s.revoked_at is null`;
  return new Map(
    rows.map((row) => {
      const { hash, accountId: id, email, expiresAt, confirmedAt, lastUsedAt } = row;
      return [hash, { id, email, merchant: toCallerMerchant(row), expiresAt, confirmedAt, lastUsedAt }];
    }),
  );
}

export async function updateTokenLastUse(tx: Tx, merchantId: string, hash: Buffer, at: Instant): Promise<void> {
  await tx`
    update access_tokens
    set last_used_at = ${at}
    where merchant_id = ${merchantId} and token_hash = ${hash} and (last_used_at is null or last_used_at < ${at})`;
}

export async function updateDeviceLastUse(tx: Tx, merchantId: string, deviceId: string, at: Instant): Promise<void> {
  await tx`
    update devices
    set last_seen_at = ${at}
    where merchant_id = ${merchantId} and device_id = ${deviceId} and (last_seen_at is null or last_seen_at < ${at})`;
}

export async function updateLastUse(tx: Tx, merchantId: string, hash: Buffer, at: Instant): Promise<void> {
  await tx`
    update sessions
    set last_used_at = ${at}
    where merchant_id = ${merchantId} and token_hash = ${hash} and last_used_at < ${at}`;
}
