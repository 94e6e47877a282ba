/** SQL for merchants and locations. */
import type { Clock } from '../../base/clock.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { Columns } from '../../database/columns.js';
import { type Sql, type Tx, toTimestamp } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import type { Watch } from '../../identity/caller.js';
import type { DueWork } from '../due-work/model.js';
import { toWorkRow } from '../due-work/queries.js';
import type { Location, Merchant } from './model.js';

type MerchantRow = Omit<Merchant, 'clock'> & {
  readonly clockOffsetMs: number;
  readonly clockFrozenAt: Instant | null;
};

const MERCHANT_COLUMNS = new Columns<MerchantRow>({
  id: { column: 'merchant_id', as: 'value' },
  businessName: 'value',
  ownerName: 'value',
  ownerEmail: 'value',
  country: 'value',
  languageCode: 'value',
  currency: 'value',
  businessType: 'value',
  status: 'value',
  approved: 'value',
  isDemo: 'value',
  clockOffsetMs: 'value',
  clockFrozenAt: 'time',
  createdAt: 'time',
});

function toMerchant({ clockOffsetMs, clockFrozenAt, ...rest }: MerchantRow): Merchant {
  return { ...rest, clock: { offsetMs: clockOffsetMs, frozenAt: clockFrozenAt } };
}

function toMerchantRow({ clock, ...rest }: Merchant): string {
  return MERCHANT_COLUMNS.toRow({ ...rest, clockOffsetMs: clock.offsetMs, clockFrozenAt: clock.frozenAt });
}

function toLocationRow({ id, name, timezone, status, type, profile, createdAt }: Location): string {
  const created_at = toTimestamp(createdAt);
  return JSON.stringify({ location_id: id, name, timezone, status, type, profile, created_at });
}

export async function findMerchant(sql: Sql, merchantId: string): Promise<Merchant | undefined> {
  const [row] = await sql<MerchantRow[]>`
    select ${MERCHANT_COLUMNS.select(sql)}
    from merchants
    where merchant_id = ${merchantId}`;
  return row && toMerchant(row);
}

/** The merchant with its watch: what a worker does for the merchant is published to the dashboards that are open. */
export async function findMerchantForWork(
  sql: Sql,
  merchantId: string,
): Promise<(Merchant & { readonly watch: Pick<Watch, 'watchers'> | null }) | undefined> {
  const [row] = await sql<(MerchantRow & { watchers: Watch['watchers'] | null })[]>`
    select
      ${MERCHANT_COLUMNS.select(sql)},
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
  const [row] = await tx<MerchantRow[]>`
    select ${MERCHANT_COLUMNS.select(tx)}
    from merchants
    where merchant_id = ${merchantId}
    for update`;
  return row && toMerchant(row);
}

export async function findDemoMerchant(sql: Sql): Promise<Merchant | undefined> {
  const [row] = await sql<MerchantRow[]>`
    select ${MERCHANT_COLUMNS.select(sql)}
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
  const [row] = await sql<(MerchantRow & { locations: Location[] })[]>`
    select
      ${MERCHANT_COLUMNS.select(sql)},
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
  const { locations, ...merchant } = row;
  return { merchant: toMerchant(merchant), locations };
}

/** Merchants, newest first. If `text` is given, it must be part of the name or the beginning of the id. */
export async function listMerchants(
  sql: Sql,
  { text, page }: { readonly text: string | undefined; readonly page: PageRequest },
): Promise<Page<Merchant>> {
  const rows = await sql<MerchantRow[]>`
    select ${MERCHANT_COLUMNS.select(sql)}
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

/** Inserts a location with its recurring work. Returns false if the merchant has `limit` locations. */
export async function insertLocation(
  tx: Tx,
  merchantId: string,
  location: Location,
  recurringWork: readonly DueWork[],
  limit: number,
): Promise<boolean> {
  const works = `[${recurringWork.map(toWorkRow)}]`;
  const [row] = await tx<{ isCreated: boolean }[]>`
    select ${fn(tx, 'create_location')}(
      ${merchantId}, ${toLocationRow(location)}::text::json, ${works}::text::json, ${limit}
    ) as is_created`;
  return row?.isCreated ?? false;
}

export async function updateLocation(
  tx: Tx,
  merchantId: string,
  location: Location,
  rescheduled: readonly DueWork[],
): Promise<void> {
  await tx`
    select ${fn(tx, 'edit_location')}(
      ${merchantId}, ${toLocationRow(location)}::text::json, ${`[${rescheduled.map(toWorkRow)}]`}::text::json
    )`;
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

/** Inserts a merchant with its locations and its recurring work. */
export async function insertMerchant(
  tx: Tx,
  merchant: Merchant,
  locations: readonly Location[],
  recurringWork: readonly DueWork[],
): Promise<void> {
  await tx`
    select ${fn(tx, 'create_merchant')}(
      ${merchant.id}, ${toMerchantRow(merchant)}::text::json, ${`[${locations.map(toLocationRow)}]`}::text::json,
      ${`[${recurringWork.map(toWorkRow)}]`}::text::json
    )`;
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
  await tx`
    select ${fn(tx, 'move_clock')}(
      ${merchantId}, ${clock.offsetMs}, ${clock.frozenAt}, ${movedAt}, ${`[${works.map(toWorkRow)}]`}::text::json,
      ${overdueRunAt}
    )`;
}

/** Whether the database has any merchant, and whether it has the demo merchant. */
export async function hasMerchants(sql: Sql): Promise<{ any: boolean; demo: boolean }> {
  const [row] = await sql<{ any: boolean; demo: boolean }[]>`
    select
      exists (select 1 from merchants) as any,
      exists (select 1 from merchants where is_demo) as demo`;
  return row ?? { any: false, demo: false };
}
