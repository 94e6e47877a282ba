/** Every SQL statement on who wants to be told what. */
import type { Instant } from '../base/time.js';
import type { Fragment, Sql, Tx } from '../database/database.js';
import { type Order, type Page, type PageRequest, pageClause, toPage } from '../database/keyset.js';
import type { Permission } from '../identity/permissions.js';
import { isInForce } from './eligible-queries.js';
import { kindsFor, type V1EventKind, V2_EVENT_KINDS, type V2EventKind } from './model.js';

export interface Subscription {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly eventTypes: readonly V2EventKind[];
  readonly notificationUrl: string;
  readonly apiVersion: string;
  readonly signatureKey: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Whose subscriptions are meant: an application's own, or those that it made with tokens of one merchant. */
export interface SubscriptionScope {
  readonly applicationId: string;
  readonly merchantId: string | null;
  /** Of the token that asks: what tells of more than they show is out of its reach. Null: an owner or operator asks. */
  readonly permissions: ReadonlySet<Permission> | null;
}

/** What a subscription is made with, and ends with; both null: it is about all merchants, and stays. */
export interface SubscriptionMaker {
  readonly authorizationId: string | null;
  readonly tokenHash: Buffer | null;
}

/** More than an application needs, and few enough to look through. */
export const MOST_SUBSCRIPTIONS = 100;

const columns = (sql: Sql) => sql`
  subscription_id as id, name, enabled, event_types, notification_url, api_version, signature_key, created_at, updated_at`;

/** All that are in force, whatever they tell. */
const ofApplication = (sql: Sql, { applicationId, merchantId }: SubscriptionScope): Fragment => sql`
  generation = 'v2' and application_id = ${applicationId} and merchant_id is not distinct from ${merchantId}
  and ${isInForce(sql)}`;

const within = (sql: Sql, scope: SubscriptionScope): Fragment =>
  scope.permissions === null
    ? ofApplication(sql, scope)
    : sql`${ofApplication(sql, scope)}
        and event_types <@ ${kindsFor(V2_EVENT_KINDS, scope.permissions) as V2EventKind[]}::text[]`;

export interface Creation {
  readonly key: string | null;
  readonly requestHash: Buffer;
  readonly maker: SubscriptionMaker;
}

/** Undefined where the key is taken, or where there are too many already. */
export async function insertSubscription(
  tx: Tx,
  scope: SubscriptionScope,
  made: Subscription,
  { key, requestHash, maker }: Creation,
): Promise<Subscription | undefined> {
  const [row] = await tx<Subscription[]>`
    insert into webhook_subscriptions (
      subscription_id, application_id, merchant_id, generation, name, enabled, event_types, notification_url, api_version,
      signature_key, idempotency_key, request_hash, authorization_id, token_hash, created_at, updated_at
    )
    select
      ${made.id}, ${scope.applicationId}, ${scope.merchantId}, 'v2', ${made.name}, ${made.enabled},
      ${made.eventTypes as V2EventKind[]}::text[], ${made.notificationUrl}, ${made.apiVersion}, ${made.signatureKey},
      ${key}, ${requestHash}::bytea, ${maker.authorizationId}, ${maker.tokenHash}::bytea, ${made.createdAt}::timestamptz, ${made.updatedAt}::timestamptz
    where (select count(*) from webhook_subscriptions where ${ofApplication(tx, scope)}) < ${MOST_SUBSCRIPTIONS}
    on conflict do nothing
    returning ${columns(tx)}`;
  return row;
}

export async function findSubscriptionByKey(
  sql: Sql,
  scope: SubscriptionScope,
  key: string,
  { authorizationId, tokenHash }: SubscriptionMaker,
): Promise<(Subscription & { readonly requestHash: Buffer }) | undefined> {
  const [row] = await sql<(Subscription & { requestHash: Buffer })[]>`
    select ${columns(sql)}, request_hash
    from webhook_subscriptions
    where ${ofApplication(sql, scope)} and idempotency_key = ${key}
      and authorization_id is not distinct from ${authorizationId}
      and token_hash is not distinct from ${tokenHash}::bytea`;
  return row;
}

/** Whatever it tells: whoever asks learns what is missing. */
export async function findSubscription(
  sql: Sql,
  scope: SubscriptionScope,
  id: string,
): Promise<Subscription | undefined> {
  const [row] = await sql<Subscription[]>`
    select ${columns(sql)}
    from webhook_subscriptions
    where ${ofApplication(sql, scope)} and subscription_id = ${id}`;
  return row;
}

export async function listSubscriptions(
  sql: Sql,
  scope: SubscriptionScope,
  { includeDisabled, order, page }: { includeDisabled: boolean; order: Order; page: PageRequest },
): Promise<Page<Subscription>> {
  const rows = await sql<Subscription[]>`
    select ${columns(sql)}
    from webhook_subscriptions
    where ${within(sql, scope)}
    ${includeDisabled ? sql`` : sql`and enabled`}
    ${pageClause(sql, { at: 'created_at', id: 'subscription_id' }, page, order)}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

export type SubscriptionChanges = Partial<
  Pick<Subscription, 'name' | 'enabled' | 'eventTypes' | 'notificationUrl' | 'apiVersion'>
>;

/** Changes what is given and leaves the rest. */
export async function updateSubscription(
  tx: Tx,
  scope: SubscriptionScope,
  id: string,
  { name, enabled, eventTypes, notificationUrl, apiVersion }: SubscriptionChanges,
  at: Instant,
): Promise<Subscription | undefined> {
  const [row] = await tx<Subscription[]>`
    update webhook_subscriptions
    set
      name = coalesce(${name ?? null}, name),
      enabled = coalesce(${enabled ?? null}, enabled),
      event_types = coalesce(${(eventTypes as V2EventKind[] | undefined) ?? null}::text[], event_types),
      notification_url = coalesce(${notificationUrl ?? null}, notification_url),
      api_version = coalesce(${apiVersion ?? null}, api_version),
      updated_at = ${at}
    where ${within(tx, scope)} and subscription_id = ${id}
    returning ${columns(tx)}`;
  return row;
}

/** Another key from now on; the same request again gets the key that the first one made. */
export async function updateSignatureKey(
  tx: Tx,
  scope: SubscriptionScope,
  id: string,
  { signatureKey, requestKey, at }: { signatureKey: string; requestKey: string | null; at: Instant },
): Promise<string | undefined> {
  const [row] = await tx<{ signatureKey: string }[]>`
    update webhook_subscriptions
    set
      signature_key = case when rotation_key = ${requestKey} then signature_key else ${signatureKey} end,
      rotation_key = ${requestKey},
      updated_at = ${at}
    where ${within(tx, scope)} and subscription_id = ${id}
    returning signature_key`;
  return row?.signatureKey;
}

/** With it, whatever still waits for it is given up. */
export async function deleteSubscription(tx: Tx, scope: SubscriptionScope, id: string): Promise<boolean> {
  const [row] = await tx<{ found: boolean }[]>`
    with gone as (
      delete from webhook_subscriptions
      where ${within(tx, scope)} and subscription_id = ${id}
      returning subscription_id
    ),
    given_up as (
      update webhook_deliveries
      set state = 'GIVEN_UP', run_at = null, taken_until = null
      where state = 'WAITING' and subscription_id in (select subscription_id from gone)
    )
    select exists (select from gone) as found`;
  return row?.found ?? false;
}

/** Where an application is told what merchants set for it in the first generation; it has one such address. */
export interface V1Address {
  readonly notificationUrl: string;
  readonly signatureKey: string;
}

/** The address is new or another one from now on; the key stays what it was. */
export async function insertV1Address(
  tx: Tx,
  {
    applicationId,
    id,
    notificationUrl,
    signatureKey,
    at,
  }: V1Address & { applicationId: string; id: string; at: Instant },
): Promise<V1Address | undefined> {
  const [row] = await tx<V1Address[]>`
    insert into webhook_subscriptions (
      subscription_id, application_id, generation, name, enabled, event_types, notification_url, api_version,
      signature_key, created_at, updated_at
    )
    values (
      ${id}, ${applicationId}, 'v1', 'v1', true, '{}', ${notificationUrl}, '', ${signatureKey}, ${at}, ${at}
    )
    on conflict (application_id) where generation = 'v1' do update
    set notification_url = excluded.notification_url, updated_at = excluded.updated_at
    returning notification_url, signature_key`;
  return row;
}

export interface V1Place {
  readonly merchantId: string;
  readonly applicationId: string;
  /** A location, or `me` for all. */
  readonly locationId: string;
}

export async function listV1Webhooks(
  sql: Sql,
  { merchantId, applicationId, locationId }: V1Place,
): Promise<readonly V1EventKind[]> {
  const [row] = await sql<{ eventTypes: V1EventKind[] }[]>`
    select event_types
    from v1_webhooks
    where merchant_id = ${merchantId} and application_id = ${applicationId} and location_id = ${locationId}`;
  return row?.eventTypes ?? [];
}

/** Those among which one could choose are these from now on; others stay. */
export async function updateV1Webhooks(
  tx: Tx,
  { merchantId, applicationId, locationId }: V1Place,
  { kinds, among }: { readonly kinds: readonly V1EventKind[]; readonly among: readonly V1EventKind[] },
): Promise<void> {
  await tx`
    insert into v1_webhooks (merchant_id, application_id, location_id, event_types)
    values (${merchantId}, ${applicationId}, ${locationId}, ${kinds as V1EventKind[]}::text[])
    on conflict (merchant_id, application_id, location_id) do update
    set event_types = excluded.event_types || array(
      select kind
      from unnest(v1_webhooks.event_types) as kind
      where kind <> all (${among as V1EventKind[]}::text[])
    )`;
}
