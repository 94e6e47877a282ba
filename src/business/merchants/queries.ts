/** SQL for merchants and locations. */
import type { Clock } from '../../base/clock.js';
import { requireFound } from '../../base/errors.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { changeIn } from '../../database/change.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import type { Watch } from '../../identity/caller.js';
import type { DueWork } from '../due-work/model.js';
import { insertScheduledWork, updateRunTimes } from '../due-work/queries.js';
import { usePicture } from '../pictures/uses.js';
import type { Location, Merchant } from './model.js';
import { locations, type MerchantRow, merchants, toMerchant, toNewMerchantRow } from './table.js';

type FoundMerchant = MerchantRow & Pick<Merchant, 'id'>;

const columns = (sql: Sql): Fragment => sql`merchant_id as id, ${merchants.select(sql)}`;

export async function findMerchant(sql: Sql, merchantId: string): Promise<Merchant | undefined> {
  const [row] = await sql<FoundMerchant[]>`
    select ${columns(sql)}
    from merchants
    where merchant_id = ${merchantId}`;
  return row && toMerchant(row);
}

/** The merchant with its watch: what a worker does for the merchant is published to the dashboards that are open. */
export async function findMerchantForWork(
  sql: Sql,
  merchantId: string,
): Promise<(Merchant & { readonly watch: Pick<Watch, 'watchers'> | null }) | undefined> {
  const [row] = await sql<(FoundMerchant & { watchers: Watch['watchers'] | null })[]>`
    select
      ${columns(sql)},
      (select watchers from merchant_watches where merchant_id = ${merchantId}) as watchers
    from merchants
    where merchant_id = ${merchantId}`;
  if (!row) return undefined;
  const { watchers, ...merchant } = row;
  return { ...toMerchant(merchant), watch: watchers && { watchers } };
}

export async function findClock(sql: Sql, merchantId: string): Promise<Clock | undefined> {
  const [row] = await sql<Clock[]>`
    select clock_offset_ms as offset_ms, clock_frozen_at as frozen_at
    from merchants
    where merchant_id = ${merchantId}`;
  return row && { offsetMs: row.offsetMs, frozenAt: row.frozenAt };
}

/** Locks the merchant while its clock or approval changes. */
export async function lockMerchant(tx: Tx, merchantId: string): Promise<Merchant | undefined> {
  const [row] = await tx<FoundMerchant[]>`
    select ${columns(tx)}
    from merchants
    where merchant_id = ${merchantId}
    for update`;
  return row && toMerchant(row);
}

export async function findDemoMerchant(sql: Sql): Promise<Merchant | undefined> {
  const [row] = await sql<FoundMerchant[]>`
    select ${columns(sql)}
    from merchants
    where is_demo`;
  return row && toMerchant(row);
}

export interface MerchantWithLocations {
  readonly merchant: Merchant;
  /** In the order in which they were created. The first is the main location. */
  readonly locations: readonly Location[];
}

export async function findMerchantWithLocations(
  sql: Sql,
  merchantId: string,
): Promise<MerchantWithLocations | undefined> {
  const [row] = await sql<(FoundMerchant & { locations: Location[] })[]>`
    select
      ${columns(sql)},
      (
        select
          coalesce(json_agg(json_build_object(
            'id', location_id,
            'name', name,
            'timezone', timezone,
            'status', status,
            'type', type,
            'profile', profile,
            'createdAt', (extract(epoch from created_at) * 1000)::bigint
          ) order by ordinal), '[]')
        from locations
        where merchant_id = ${merchantId}
      ) as locations
    from merchants
    where merchant_id = ${merchantId}`;
  if (!row) return undefined;
  const { locations: itsLocations, ...merchant } = row;
  return { merchant: toMerchant(merchant), locations: itsLocations };
}

/** Merchants, newest first. If `text` is given, it must be part of the name or the beginning of the id. */
export async function listMerchants(
  sql: Sql,
  { text, page }: { readonly text: string | undefined; readonly page: PageRequest },
): Promise<Page<Merchant>> {
  const rows = await sql<FoundMerchant[]>`
    select ${columns(sql)}
    from merchants
    where true
    ${
      text === undefined
        ? sql``
        : sql`and (strpos(lower(business_name), lower(${text})) > 0 or starts_with(merchant_id, ${text}))`
    }
    ${pageClause(sql, { at: 'created_at', id: 'merchant_id' }, page, 'DESC')}`;
  return toPage(rows.map(toMerchant), page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** Locks a location while it is edited. */
export async function lockLocation(tx: Tx, merchantId: string, locationId: string): Promise<Location | undefined> {
  const [row] = await tx<Location[]>`
    select location_id as id, name, timezone, status, type, profile, created_at
    from locations
    where merchant_id = ${merchantId} and location_id = ${locationId}
    for update`;
  return row;
}

/** Whether anything was sold at a location. */
export async function hasSales(sql: Sql, merchantId: string, locationId: string): Promise<boolean> {
  const rows = await sql`
    select 1
    from sales
    where merchant_id = ${merchantId} and location_id = ${locationId}
    limit 1`;
  return rows.length > 0;
}

/** How many locations the merchant has. */
export async function findLocationCount(sql: Sql, merchantId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from locations
    where merchant_id = ${merchantId}`;
  return row?.count ?? 0;
}

/** Inserts a location after all others. The caller has locked the merchant. An unknown picture as logo is refused. */
export async function insertLocation(tx: Tx, merchantId: string, location: Location, ordinal: number): Promise<void> {
  await changeIn(tx, merchantId, async (change) => {
    change.insert(locations, { ...location, ordinal });
    await usePicture(change, `location:${location.id}`, location.profile.logoPictureId ?? null);
  });
}

/** The caller has locked the location. An unknown picture as logo is refused. */
export async function updateLocation(tx: Tx, merchantId: string, location: Location): Promise<void> {
  await changeIn(tx, merchantId, async (change) => {
    const before = requireFound(await change.read(locations, { id: location.id }), 'the location');
    change.save(locations, before, { ...before, ...location });
    await usePicture(change, `location:${location.id}`, location.profile.logoPictureId ?? null);
  });
}

export async function updateProfile(
  tx: Tx,
  merchantId: string,
  profile: Pick<Merchant, 'businessName' | 'ownerName' | 'ownerEmail' | 'languageCode' | 'businessType'>,
): Promise<void> {
  await tx`
    update merchants
    set
      business_name = ${profile.businessName}, owner_name = ${profile.ownerName}, owner_email = ${profile.ownerEmail},
      language_code = ${profile.languageCode}, business_type = ${profile.businessType}
    where merchant_id = ${merchantId}`;
}

/** Inserts a merchant with its locations. */
export async function insertMerchant(tx: Tx, merchant: Merchant, itsLocations: readonly Location[]): Promise<void> {
  await changeIn(tx, merchant.id, (change) => {
    change.insert(merchants, toNewMerchantRow(merchant));
    for (const [ordinal, location] of itsLocations.entries()) change.insert(locations, { ...location, ordinal });
  });
}

export async function updateApproval(tx: Tx, merchantId: string, approved: boolean): Promise<boolean> {
  const rows = await tx`
    update merchants
    set approved = ${approved}
    where merchant_id = ${merchantId}
    returning 1`;
  return rows.length > 0;
}

export interface RegisterSettingsChange {
  readonly restrictsDiscounts: boolean;
  /** Undefined: it stays as it is. Null: registers that are offline keep no cards. */
  readonly offlineCardLimit?: Amount | null;
}

export async function updateRegisterSettings(
  tx: Tx,
  merchantId: string,
  { restrictsDiscounts, offlineCardLimit }: RegisterSettingsChange,
): Promise<boolean> {
  const rows = await tx`
    update merchants
    set
      restricts_discounts = ${restrictsDiscounts}
      ${offlineCardLimit === undefined ? tx`` : tx`, offline_card_limit = ${offlineCardLimit}`}
    where merchant_id = ${merchantId}
    returning 1`;
  return rows.length > 0;
}

export interface ClockUpdate {
  readonly clock: Clock;
  /** The real time of the move. */
  readonly movedAt: Instant;
  /** Recurring work that is rescheduled. */
  readonly works: readonly DueWork[];
  /** The real time when a worker does work that is overdue by a frozen clock, unless it is done before. */
  readonly overdueRunAt: Instant;
}

/** Updates the clock and the run times of all due work. */
export async function updateClock(
  tx: Tx,
  merchantId: string,
  { clock, movedAt, works, overdueRunAt }: ClockUpdate,
): Promise<void> {
  // First, because added work reads the clock under a lock: work that is added meanwhile is seen below, or sees the new clock.
  await lockMerchant(tx, merchantId);
  await tx`
    update merchants
    set clock_offset_ms = ${clock.offsetMs}, clock_frozen_at = ${clock.frozenAt}, clock_moved_at = ${movedAt}
    where merchant_id = ${merchantId}`;
  if (works.length > 0) await insertScheduledWork(tx, merchantId, works);
  await updateRunTimes(tx, merchantId, overdueRunAt);
}

/** Whether the database has any merchant, and whether it has the demo merchant. */
export async function hasMerchants(sql: Sql): Promise<{ any: boolean; demo: boolean }> {
  const [row] = await sql<{ any: boolean; demo: boolean }[]>`
    select
      exists (select 1 from merchants) as any,
      exists (select 1 from merchants where is_demo) as demo`;
  return row ?? { any: false, demo: false };
}
