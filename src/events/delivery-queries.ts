/** Every SQL statement on deliveries and their events: claims them, records attempts, and lists them for owners and operators. */
import { isUuid } from '../base/ids.js';
import type { Instant } from '../base/time.js';
import type { Change, Stored } from '../database/change.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../database/database.js';
import { fn } from '../database/functions.js';
import { type Page, type PageRequest, pageClause, toPage } from '../database/keyset.js';
import type { Watch } from '../identity/caller.js';
import type { DeliveryFailure, DeliveryState, EventKind } from './model.js';
import type { Outcome } from './sending.js';
import { type RecordedEvent, webhookEvents } from './table.js';

/** A subscription with due deliveries about a merchant. */
export interface Receiver {
  readonly merchantId: string;
  readonly subscriptionId: string;
}

/** Reads without locks, and separately for each subscription, so that the backlog of one does not hide the others. */
export async function listReceivers(
  sql: Sql,
  { now, except, limit }: { readonly now: Instant; readonly except: readonly string[]; readonly limit: number },
): Promise<Receiver[]> {
  return sql<Receiver[]>`
    select distinct due.merchant_id, s.subscription_id
    from ${awaitedSubscriptions(sql)} as awaited
    join webhook_subscriptions s using (subscription_id)
    cross join lateral (
      select d.merchant_id
      from webhook_deliveries d
      where d.subscription_id = s.subscription_id and d.run_at <= ${now}
        and (d.leased_until is null or d.leased_until <= ${now})
      order by d.run_at
      limit ${limit}
    ) as due
    where s.enabled and s.subscription_id <> all (${except as string[]}::text[])`;
}

/** When the next delivery is due, also if a server has claimed it. Null: there is none. */
export function nextDeliveryAt(sql: Sql): Fragment {
  return sql`(
    select min(next.run_at)
    from ${awaitedSubscriptions(sql)} as awaited
    join webhook_subscriptions s using (subscription_id)
    cross join lateral (
      select min(d.run_at) as run_at
      from webhook_deliveries d
      where d.subscription_id = s.subscription_id
    ) as next
    where s.enabled
  )`;
}

/**
 * The subscriptions with pending deliveries, found by a loose index scan: most subscriptions have none, and looking at each of a thousand
 * took 10 ms.
 */
function awaitedSubscriptions(sql: Sql): Fragment {
  return sql`(
    with recursive steps as (
      select min(subscription_id) as subscription_id
      from webhook_deliveries
      where run_at is not null
      union all
      select (
        select min(d.subscription_id)
        from webhook_deliveries d
        where d.run_at is not null and d.subscription_id > steps.subscription_id
      )
      from steps
      where steps.subscription_id is not null
    )
    select subscription_id
    from steps
  )`;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly leasedUntil: Instant;
  readonly failures: number;
  readonly retryReason: DeliveryFailure | null;
  readonly firstTriedAt: Instant | null;
  /** The injected fault, for the header of its messages; null: none. */
  readonly fault: string | null;
  readonly kind: EventKind;
  /** False if its application no longer has the permission that this kind of event requires. */
  readonly isAllowed: boolean;
  readonly body: string;
  readonly url: string;
  readonly signatureKey: string;
  /** The servers that watch the merchant; null if nobody has watched it. */
  readonly watchers: Watch['watchers'] | null;
}

/** Claims deliveries until a time, in the order of their events. */
export async function updateDeliveriesToClaimed(
  tx: Tx,
  { merchantId, subscriptionId }: Receiver,
  { now, until, limit }: { readonly now: Instant; readonly until: Instant; readonly limit: number },
): Promise<ClaimedDelivery[]> {
  type Row = Omit<ClaimedDelivery, 'merchantId' | 'subscriptionId' | 'leasedUntil'> & { readonly ordinal: number };
  const claimed = await tx<Row[]>`
    select
      delivery_id as id, failures, retry_reason, first_tried_at, fault, ordinal, kind, body, notification_url as url, signature_key,
      is_allowed, watchers
    from ${fn(tx, 'claim_deliveries')}(${merchantId}, ${subscriptionId}, ${now}, ${until}, ${limit})`;
  return claimed
    .toSorted((one, other) => one.ordinal - other.ordinal)
    .map((delivery) => ({ merchantId, ...delivery, subscriptionId, leasedUntil: until }));
}

/** Gives up deliveries for which the application no longer has the permission. */
export async function moveDeliveriesToGivenUp(
  tx: Tx,
  { merchantId }: Receiver,
  deliveryIds: readonly string[],
): Promise<void> {
  await tx`
    update webhook_deliveries
    set state = 'GIVEN_UP', run_at = null, leased_until = null
    where merchant_id = ${merchantId} and delivery_id = any (${deliveryIds as string[]}::uuid[]) and state = 'WAITING'`;
}

export interface Attempt extends Outcome {
  readonly id: string;
  readonly merchantId: string;
  /** The lease of the claim, which identifies it. */
  readonly leasedUntil: Instant;
  /** Sent in a header of every message of the delivery. */
  readonly firstTriedAt: Instant;
  /** The time of the next attempt after a failure; undefined: none. */
  readonly retryAt: Instant | undefined;
}

/** Records several attempts of one merchant. An attempt whose delivery was resent or given up meanwhile does not change its state. */
export async function insertAttempts(tx: Tx, attempts: readonly Attempt[]): Promise<void> {
  const merchantId = attempts[0]?.merchantId ?? '';
  const rows = attempts.map((attempt) => ({
    delivery_id: attempt.id,
    leased_until: toTimestamp(attempt.leasedUntil),
    first_tried_at: toTimestamp(attempt.firstTriedAt),
    started_at: toTimestamp(attempt.startedAt),
    duration_ms: attempt.durationMs,
    status: attempt.status,
    failure: attempt.failure,
    response: attempt.response,
    retry_at: attempt.retryAt === undefined ? null : toTimestamp(attempt.retryAt),
  }));
  await tx`select ${fn(tx, 'record_attempts')}(${merchantId}, ${JSON.stringify(rows)}::text::json)`;
}

/** Releases claimed deliveries that were not attempted, so that another worker can claim them at once. */
export async function updateDeliveriesToUnclaimed(
  tx: Tx,
  { merchantId }: Receiver,
  deliveryIds: readonly string[],
): Promise<void> {
  await tx`
    update webhook_deliveries
    set leased_until = null
    where merchant_id = ${merchantId} and delivery_id = any (${deliveryIds as string[]}::uuid[])`;
}

/** A delivery for lists and details. */
export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly kind: EventKind;
  readonly entityId: string;
  readonly subscriptionId: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly runAt: Instant | null;
  readonly createdAt: Instant;
  readonly fault: string | null;
  readonly body: string;
}

export interface StoredAttempt extends Outcome {
  readonly number: number;
}

export async function listDeliveries(
  sql: Sql,
  { merchantId, state, page }: { merchantId: string; state: DeliveryState | undefined; page: PageRequest },
): Promise<Page<Delivery>> {
  const rows = await sql<Delivery[]>`
    select
      delivery_id as id, event_id, kind, e.entity_id, subscription_id, state, attempts, run_at, d.created_at, fault,
      body
    from webhook_deliveries d
    join webhook_events e using (merchant_id, event_id)
    where merchant_id = ${merchantId}
    ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${pageClause(sql, { at: 'd.created_at', id: 'delivery_id' }, page, 'DESC')}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** The newest deliveries about some records. */
export async function listDeliveriesAbout(
  sql: Sql,
  merchantId: string,
  { entityIds, limit }: { readonly entityIds: readonly string[]; readonly limit: number },
): Promise<Omit<Delivery, 'body'>[]> {
  return sql<Omit<Delivery, 'body'>[]>`
    select
      d.delivery_id as id, d.event_id, e.kind, d.entity_id, d.subscription_id, d.state, d.attempts, d.run_at, d.created_at,
      d.fault
    from webhook_deliveries d
    join webhook_events e on e.merchant_id = ${merchantId} and e.event_id = d.event_id
    where d.merchant_id = ${merchantId} and d.entity_id = any (${entityIds as string[]}::text[])
    order by d.created_at desc, d.delivery_id desc
    limit ${limit}`;
}

/** Finds a delivery with all its attempts, in order. */
export async function findDelivery(
  sql: Sql,
  merchantId: string,
  deliveryId: string,
): Promise<(Delivery & { readonly tried: readonly StoredAttempt[] }) | undefined> {
  if (!isUuid(deliveryId)) return undefined;
  const rows = await sql<(Delivery & { number: number | null } & Outcome)[]>`
    select
      d.delivery_id as id, d.event_id, e.kind, e.entity_id, d.subscription_id, d.state, d.attempts, d.run_at,
      d.created_at, d.fault, e.body, a.number, a.started_at, a.duration_ms, a.status, a.failure, a.response
    from webhook_deliveries d
    join webhook_events e using (merchant_id, event_id)
    left join webhook_attempts a using (merchant_id, delivery_id)
    where merchant_id = ${merchantId} and d.delivery_id = ${deliveryId}
    order by a.number`;
  const [first] = rows;
  if (!first) return undefined;
  const tried = rows.flatMap(({ number, startedAt, durationMs, status, failure, response }) =>
    number === null ? [] : [{ number, startedAt, durationMs, status, failure, response }],
  );
  return { ...first, tried };
}

/** The events about these records that were delivered, or still are. The change depends on them. */
export function readEventsAbout(change: Change, entityIds: readonly string[]): Promise<Stored<RecordedEvent>[]> {
  const { sql, merchantId } = change;
  return change.readAll(
    webhookEvents,
    sql`event_id in (
      select d.event_id
      from webhook_deliveries d
      where d.merchant_id = ${merchantId} and d.entity_id = any (${entityIds as string[]}::text[])
    )`,
  );
}

/** A delivery that a fault changes, and what is stored about the fault. */
export interface FaultyDelivery {
  readonly merchantId: string;
  readonly deliveryId: string;
  readonly fault: string;
}

/** Sends a delivery that still waits later. The worker's claim ends. */
export async function updateDeliveryToLate(
  tx: Tx,
  { merchantId, deliveryId, fault }: FaultyDelivery,
  runAt: Instant,
): Promise<void> {
  await tx`
    update webhook_deliveries
    set fault = ${fault}, run_at = ${runAt}, leased_until = null
    where merchant_id = ${merchantId} and delivery_id = ${deliveryId} and state = 'WAITING'`;
}

/** Adds a second delivery of the same event, if the first one still waits. */
export async function insertDuplicate(
  tx: Tx,
  { merchantId, deliveryId, fault }: FaultyDelivery,
  now: Instant,
): Promise<void> {
  await tx`select ${fn(tx, 'duplicate_delivery')}(${merchantId}, ${deliveryId}, ${now}, ${fault})`;
}
