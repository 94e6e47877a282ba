/** SQL for cash that registers took or gave back while no drawer was open for it. */
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, type TimeRange, toPage, within } from '../../database/keyset.js';
import { CLOCK_ERROR_MS, type Shift } from './model.js';
import type { OutsideEntry, OutsideSums } from './outside-model.js';

export interface OutsideFilter {
  readonly merchantId: string;
  /** Undefined: all locations. */
  readonly locationId: string | undefined;
  readonly deviceId?: string | undefined;
  readonly created: TimeRange;
}

/** A single open sale may have cash too. What was canceled is neither in a drawer nor outside. */
function selectTaken(sql: Sql, { merchantId, deviceId, created }: OutsideFilter): Fragment {
  return sql`
  select
    'SALE' as kind, payment.payment_id as id, payment.payment_id, payment.sale_id, payment.created_at, payment.total as amount,
    payment.location_id, sale.device_id, sale.device_name, payment.employee_id
  from payments payment
  join sales sale on sale.merchant_id = ${merchantId} and sale.sale_id = payment.sale_id
  where payment.merchant_id = ${merchantId} and payment.location_id = place.location_id
    and payment.source_type = 'CASH' and payment.drawer_shift_id is null and payment.status = 'COMPLETED'
    ${deviceId === undefined ? sql`` : sql`and sale.device_id = ${deviceId}`}
    ${within(sql, 'payment.created_at', created, 'ASC')}`;
}

/** A refund is in a drawer if the drawer that was open then has its event, which may be a moment later (decision 0058). */
function selectGivenBack(sql: Sql, { merchantId, deviceId, created }: OutsideFilter): Fragment {
  return sql`
  select
    'REFUND' as kind, refund.refund_id as id, refund.payment_id, payment.sale_id, refund.created_at, -refund.amount as amount,
    refund.location_id, refund.device_id, device.name as device_name, refund.employee_id
  from refunds refund
  join payments payment on payment.merchant_id = ${merchantId} and payment.payment_id = refund.payment_id
  join devices device on device.merchant_id = ${merchantId} and device.device_id = refund.device_id
  where refund.merchant_id = ${merchantId} and refund.location_id = place.location_id
    and refund.source_type = 'CASH' and refund.origin = 'REGISTER' and refund.device_id is not null
    and not exists (
      select
      from cash_drawer_shifts shift
      join cash_drawer_events event on event.merchant_id = ${merchantId} and event.shift_id = shift.shift_id
      where shift.merchant_id = ${merchantId} and shift.location_id = place.location_id and shift.device_id = refund.device_id
        and shift.opened_at <= refund.created_at + ${CLOCK_ERROR_MS} * interval '1 millisecond'
        and (shift.ended_at is null or shift.ended_at >= refund.created_at)
        and event.created_at between refund.created_at and refund.created_at + ${CLOCK_ERROR_MS} * interval '1 millisecond'
        and event.subject_id = refund.refund_id
    )
    ${deviceId === undefined ? sql`` : sql`and refund.device_id = ${deviceId}`}
    ${within(sql, 'refund.created_at', created, 'ASC')}`;
}

const columns = (sql: Sql): Fragment => sql`
  entry.kind, entry.id, entry.payment_id, entry.sale_id, entry.created_at, entry.amount, entry.location_id, entry.device_id,
  entry.device_name, entry.employee_id`;

/** Newest first. Each location has its own part of the indexes. */
export async function listOutside(sql: Sql, filter: OutsideFilter, page: PageRequest): Promise<Page<OutsideEntry>> {
  const { merchantId, locationId } = filter;
  const firstOf = (at: string, id: string) => pageClause(sql, { at, id }, page, 'DESC');
  const rows = await sql<OutsideEntry[]>`
    select ${columns(sql)}
    from locations place
    cross join lateral (
      (${selectTaken(sql, filter)} ${firstOf('payment.created_at', 'payment.payment_id')})
      union all
      (${selectGivenBack(sql, filter)} ${firstOf('refund.created_at', 'refund.refund_id')})
    ) as entry
    where place.merchant_id = ${merchantId} ${andPlaceIs(sql, locationId)} ${firstOf('entry.created_at', 'entry.id')}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

const andPlaceIs = (sql: Sql, locationId: string | undefined): Fragment =>
  locationId === undefined ? sql`` : sql`and place.location_id = ${locationId}`;

export async function findOutsideSums(sql: Sql, filter: OutsideFilter): Promise<OutsideSums> {
  const { merchantId, locationId } = filter;
  const [row] = await sql<OutsideSums[]>`
    select
      count(*) filter (where kind = 'SALE')::int as taken_count,
      coalesce(sum(amount) filter (where kind = 'SALE'), 0)::bigint as taken,
      count(*) filter (where kind = 'REFUND')::int as given_back_count,
      coalesce(sum(amount) filter (where kind = 'REFUND'), 0)::bigint as given_back
    from locations place
    cross join lateral (${selectTaken(sql, filter)} union all ${selectGivenBack(sql, filter)}) as entry
    where place.merchant_id = ${merchantId} ${andPlaceIs(sql, locationId)}`;
  if (!row) throw new Error('a select of sums must have a row');
  return row;
}

/** All entries, for the time of one drawer. */
export async function listOutsideOfDrawer(sql: Sql, filter: OutsideFilter): Promise<readonly OutsideEntry[]> {
  const { merchantId, locationId } = filter;
  return await sql<OutsideEntry[]>`
    select ${columns(sql)}
    from locations place
    cross join lateral (${selectTaken(sql, filter)} union all ${selectGivenBack(sql, filter)}) as entry
    where place.merchant_id = ${merchantId} ${andPlaceIs(sql, locationId)}`;
}

/** When the device's drawer before this one ended. Undefined: there was none. */
export async function findEndBefore(sql: Sql, merchantId: string, shift: Shift): Promise<Instant | undefined> {
  const [row] = await sql<{ endedAt: Instant | null }[]>`
    select ended_at
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and location_id = ${shift.locationId} and device_id = ${shift.device.id}
      and (opened_at, shift_id) < (${shift.openedAt}, ${shift.id}::uuid)
    order by opened_at desc, shift_id desc
    limit 1`;
  return row?.endedAt ?? undefined;
}
