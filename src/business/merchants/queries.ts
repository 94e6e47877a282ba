/** SQL for merchants and locations. */
import type { Clock } from '../../base/clock.js';
import { type Instant, LAST_INSTANT } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import type { DueWork } from '../due-work/model.js';
import { insertScheduledWork } from '../due-work/queries.js';
import type { Location, Merchant } from './model.js';

type MerchantRow = Omit<Merchant, 'id' | 'clock'> & {
  merchantId: string;
  clockOffsetMs: number;
  clockFrozenAt: Instant | null;
};

function toMerchant({ merchantId, clockOffsetMs, clockFrozenAt, ...rest }: MerchantRow): Merchant {
  return { ...rest, id: merchantId, clock: { offsetMs: clockOffsetMs, frozenAt: clockFrozenAt } };
}

const merchantColumns = (sql: Sql) => sql`
  merchant_id, business_name, owner_name, owner_email, country, language_code, currency, business_type, status,
  approved, is_demo, clock_offset_ms, clock_frozen_at, created_at`;

export async function findMerchant(sql: Sql, merchantId: string): Promise<Merchant | undefined> {
  const [row] = await sql<MerchantRow[]>`
    select ${merchantColumns(sql)}
    from merchants
    where merchant_id = ${merchantId}`;
  return row && toMerchant(row);
}

/** Locks the merchant while its clock or approval changes. */
export async function lockMerchant(tx: Tx, merchantId: string): Promise<Merchant | undefined> {
  const [row] = await tx<MerchantRow[]>`
    select ${merchantColumns(tx)}
    from merchants
    where merchant_id = ${merchantId}
    for update`;
  return row && toMerchant(row);
}

export async function findDemoMerchant(sql: Sql): Promise<Merchant | undefined> {
  const [row] = await sql<MerchantRow[]>`
    select ${merchantColumns(sql)}
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
      ${merchantColumns(sql)},
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
        where merchant_id = merchants.merchant_id
      ) as locations
    from merchants
    where merchant_id = ${merchantId}`;
  if (!row) return undefined;
  const { locations, ...merchant } = row;
  return { merchant: toMerchant(merchant), locations };
}

/** Inserts a merchant with its locations and its recurring work. */
export async function insertMerchant(
  tx: Tx,
  merchant: Merchant,
  locations: readonly Location[],
  recurringWork: readonly DueWork[],
): Promise<void> {
  // The driver pipelines the statements, and PostgreSQL executes them in this order.
  await Promise.all([
    insertMerchantRow(tx, merchant),
    insertLocations(tx, merchant.id, locations),
    insertScheduledWork(tx, merchant.id, recurringWork),
  ]);
}

async function insertMerchantRow(tx: Tx, merchant: Merchant): Promise<void> {
  await tx`
    insert into merchants (
      merchant_id, business_name, owner_name, owner_email, country, language_code, currency, business_type, status,
      approved, is_demo, clock_offset_ms, clock_frozen_at, created_at
    )
    values (
      ${merchant.id}, ${merchant.businessName}, ${merchant.ownerName}, ${merchant.ownerEmail}, ${merchant.country},
      ${merchant.languageCode}, ${merchant.currency}, ${merchant.businessType}, ${merchant.status}, ${merchant.approved},
      ${merchant.isDemo}, ${merchant.clock.offsetMs}, ${merchant.clock.frozenAt}, ${merchant.createdAt}
    )`;
}

async function insertLocations(tx: Tx, merchantId: string, locations: readonly Location[]): Promise<void> {
  await tx`
    insert into locations ${tx(
      locations.map((location, ordinal) => ({
        merchant_id: merchantId,
        location_id: location.id,
        name: location.name,
        timezone: location.timezone,
        status: location.status,
        type: location.type,
        profile: tx.json(location.profile as never),
        created_at: location.createdAt,
        ordinal,
      })),
    )}`;
}

export async function updateApproval(tx: Tx, merchantId: string, approved: boolean): Promise<boolean> {
  const rows = await tx`
    update merchants
    set approved = ${approved}
    where merchant_id = ${merchantId}
    returning 1`;
  return rows.length > 0;
}

export async function updateRegisterSettings(
  tx: Tx,
  merchantId: string,
  { restrictsDiscounts }: { readonly restrictsDiscounts: boolean },
): Promise<boolean> {
  const rows = await tx`
    update merchants
    set restricts_discounts = ${restrictsDiscounts}
    where merchant_id = ${merchantId}
    returning 1`;
  return rows.length > 0;
}

export async function updateClock(tx: Tx, merchantId: string, clock: Clock): Promise<void> {
  await tx`
    update merchants
    set clock_offset_ms = ${clock.offsetMs}, clock_frozen_at = ${clock.frozenAt}
    where merchant_id = ${merchantId}`;
}

/** The current time on the merchant's clock, as a part of a statement. */
export function findMerchantNow(sql: Sql, merchantId: string, real: Instant): Fragment {
  return sql`
    select
      least(
        coalesce(clock_frozen_at, ${real}::timestamptz + clock_offset_ms * interval '1 millisecond'),
        ${LAST_INSTANT}::timestamptz
      )
    from merchants
    where merchant_id = ${merchantId}`;
}

/** Whether the database has any merchant, and whether it has the demo merchant. */
export async function hasMerchants(sql: Sql): Promise<{ any: boolean; demo: boolean }> {
  const [row] = await sql<{ any: boolean; demo: boolean }[]>`
    select
      exists (select from merchants) as any,
      exists (select from merchants where is_demo) as demo`;
  return row ?? { any: false, demo: false };
}
