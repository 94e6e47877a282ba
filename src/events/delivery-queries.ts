/** Every SQL statement on deliveries: claims them, records attempts, and lists them for owners and operators. */
import { isUuid } from '../base/ids.js';
import type { Instant } from '../base/time.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../database/database.js';
import { fn } from '../database/functions.js';
import { type Page, type PageRequest, pageClause, toPage } from '../database/keyset.js';
import type { DeliveryState, EventKind, Failure } from './model.js';
import type { Outcome } from './sending.js';

/** A subscription with due deliveries about a merchant. */
export interface Receiver {
  readonly merchantId: string;
  readonly subscriptionId: string;
}

/** For the alias `d`: no worker has claimed it, or the lease has expired. */
function isUnclaimed(sql: Sql, now: Instant): Fragment {
  return sql`(d.leased_until is null or d.leased_until <= ${now})`;
}

/** Reads without locks, and separately for each subscription, so that the backlog of one does not hide the others. */
export async function listReceivers(
  sql: Sql,
  { now, except, limit }: { readonly now: Instant; readonly except: readonly string[]; readonly limit: number },
): Promise<Receiver[]> {
  return sql<Receiver[]>`
    select distinct due.merchant_id, s.subscription_id
    from webhook_subscriptions s
    cross join lateral (
      select d.merchant_id
      from webhook_deliveries d
      where d.subscription_id = s.subscription_id and d.run_at <= ${now} and ${isUnclaimed(sql, now)}
      order by d.run_at
      limit ${limit}
    ) as due
    where s.enabled and s.subscription_id <> all (${except as string[]}::text[])`;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly failures: number;
  readonly retryReason: Failure | null;
  readonly firstTriedAt: Instant | null;
  /** The injected fault, for the header of its messages; null: none. */
  readonly fault: string | null;
  readonly kind: EventKind;
  /** False if its application no longer has the permission that this kind of event requires. */
  readonly isAllowed: boolean;
  readonly body: string;
  readonly url: string;
  readonly signatureKey: string;
}

/**
 * Claims deliveries with a lease, so that no lock is held while a message is sent. An event of an entity waits until every earlier
 * event of that entity was attempted once (decision 0075). It does not wait for deliveries that a fault delays (decision 0083).
 */
export async function updateDeliveriesToClaimed(
  tx: Tx,
  { merchantId, subscriptionId }: Receiver,
  { now, until, limit }: { readonly now: Instant; readonly until: Instant; readonly limit: number },
): Promise<ClaimedDelivery[]> {
  const claimed = await tx<(ClaimedDelivery & { ordinal: number })[]>`
    with held as materialized (
      select ${fn(tx, 'subscription_permissions')}(${merchantId}, ${subscriptionId}, ${now}) as permissions
    ),
    free as materialized (
      select delivery_id
      from webhook_deliveries d
      where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and run_at <= ${now}
        and ${isUnclaimed(tx, now)}
        and not exists (
          select from webhook_deliveries earlier
          where earlier.merchant_id = ${merchantId} and earlier.subscription_id = ${subscriptionId}
            and earlier.entity_id = d.entity_id and earlier.ordinal < d.ordinal
            and earlier.state = 'WAITING' and earlier.attempts = 0
            and coalesce(earlier.fault, '') not like '%WEBHOOK_LATE'
        )
      order by run_at, ordinal
      limit ${tx.unsafe(String(limit))} -- a literal, so that PostgreSQL can keep a generic plan
      for update skip locked
    )
    update webhook_deliveries d
    set leased_until = ${until}
    from free
    cross join held
    cross join webhook_events e
    cross join webhook_subscriptions s
    cross join lateral (select ${fn(tx, 'event_permission')}(e.kind) as permission) as required
    where d.merchant_id = ${merchantId} and d.delivery_id = free.delivery_id
      and e.merchant_id = ${merchantId} and e.event_id = d.event_id
      and s.subscription_id = ${subscriptionId}
    returning
      d.delivery_id as id, d.merchant_id, d.subscription_id, d.failures, d.retry_reason, d.first_tried_at, d.fault, d.ordinal,
      e.kind, e.body, s.notification_url as url, s.signature_key,
      required.permission is null or required.permission = any (held.permissions) as is_allowed`;
  return claimed.toSorted((one, other) => one.ordinal - other.ordinal);
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
  /** Sent in a header of every message of the delivery. */
  readonly firstTriedAt: Instant;
  /** The time of the next attempt after a failure; undefined: none. */
  readonly retryAt: Instant | undefined;
}

/**
 * Records several attempts of one merchant. If an attempt took longer than its lease, another worker may have attempted the delivery
 * too. Such an attempt is recorded like any other, but does not change a delivery that is no longer WAITING.
 */
export async function insertAttempts(tx: Tx, attempts: readonly Attempt[]): Promise<void> {
  const merchantId = attempts[0]?.merchantId ?? '';
  const rows = attempts.map((attempt) => ({
    delivery_id: attempt.id,
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
