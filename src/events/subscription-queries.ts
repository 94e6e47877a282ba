/** Every SQL statement on webhook subscriptions and v1 webhook settings. */
import { realNow } from '../base/clock.js';
import type { Instant } from '../base/time.js';
import type { Fragment, Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';
import { type Page, type PageRequest, pageClause, type SortOrder, toPage } from '../database/keyset.js';
import {
  type CallingToken,
  type EventKind,
  kindsHiddenFrom,
  type SubscriptionCredential,
  type V1EventKind,
  type V2EventKind,
} from './model.js';

export interface Subscription {
  readonly id: string;
  readonly applicationId: string;
  /** The personal token that made it; null: an authorization of its application, its owner or the operator did. */
  readonly tokenHash: Buffer | null;
  readonly name: string;
  readonly enabled: boolean;
  /** Some may never be sent. */
  readonly eventTypes: readonly string[];
  readonly notificationUrl: string;
  readonly apiVersion: string;
  readonly signatureKey: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A set of subscriptions: those of an application to all merchants, or those that were created with tokens of one merchant. */
export interface SubscriptionScope {
  /** Null: of every application that has tokens of the merchant. */
  readonly applicationId: string | null;
  readonly merchantId: string | null;
  /** The token of the caller, which limits what it can access. Null: the caller is an owner or the operator. */
  readonly token: CallingToken | null;
}

/** The scope in which a subscription is created. */
export type NewSubscriptionScope = SubscriptionScope & { readonly applicationId: string };

/** More than an application needs, and few enough to scan. */
export const MAX_SUBSCRIPTIONS = 100;

const columns = (sql: Sql) => sql`
  subscription_id as id, application_id, token_hash, name, enabled, event_types, notification_url, api_version, signature_key,
  created_at, updated_at`;

/** The subscriptions of the scope, whether or not they have ended, and without regard to permissions. */
const inScope = (
  sql: Sql,
  { applicationId, merchantId }: Pick<SubscriptionScope, 'applicationId' | 'merchantId'>,
): Fragment => sql`
  generation = 'v2' and merchant_id is not distinct from ${merchantId}
  ${applicationId === null ? sql`` : sql`and application_id = ${applicationId}`}`;

/**
 * The subscriptions whose authorization or personal token is valid. Those to all merchants do not end. Only for reads: on a distributed
 * database no statement can write to subscriptions, which are on every node, and read the tokens of one merchant.
 */
const isActive = (sql: Sql, merchantId: string | null): Fragment =>
  merchantId === null
    ? sql`true`
    : sql`(
        exists (
          select from authorizations g
          where g.merchant_id = ${merchantId} and g.authorization_id = webhook_subscriptions.authorization_id
            and g.revoked_at is null
        )
        or exists (
          select from access_tokens t
          where t.merchant_id = ${merchantId} and t.token_hash = webhook_subscriptions.token_hash
            and t.revoked_at is null and coalesce(t.expires_at, 'infinity') > ${realNow()}
        )
      )`;

const activeOf = (sql: Sql, scope: SubscriptionScope): Fragment =>
  sql`${inScope(sql, scope)} and ${isActive(sql, scope.merchantId)}`;

/** The subscriptions of the scope whose events the token may see. */
const within = (sql: Sql, scope: SubscriptionScope): Fragment =>
  scope.token === null
    ? inScope(sql, scope)
    : sql`${inScope(sql, scope)}
        and not event_types && ${kindsHiddenFrom(scope.token.permissions) as EventKind[]}::text[]`;

export interface Creation {
  readonly key: string | null;
  readonly requestHash: Buffer;
  readonly maker: SubscriptionCredential;
}

const madeBy = (sql: Sql, { authorizationId, tokenHash }: SubscriptionCredential): Fragment => sql`
  authorization_id is not distinct from ${authorizationId} and token_hash is not distinct from ${tokenHash}::bytea`;

/** Whether the maker has as many active subscriptions as it may have. */
export async function hasMaxSubscriptions(
  sql: Sql,
  scope: SubscriptionScope,
  maker: SubscriptionCredential,
): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)
    from webhook_subscriptions
    where ${activeOf(sql, scope)} and ${madeBy(sql, maker)}`;
  return (row?.count ?? 0) >= MAX_SUBSCRIPTIONS;
}

/** Returns undefined if the idempotency key was used before. */
export async function insertSubscription(
  tx: Tx,
  scope: SubscriptionScope,
  subscription: Omit<Subscription, 'applicationId' | 'tokenHash'>,
  { key, requestHash, maker }: Creation,
): Promise<Subscription | undefined> {
  const [row] = await tx<Subscription[]>`
    insert into webhook_subscriptions (
      subscription_id, application_id, merchant_id, generation, name, enabled, event_types, notification_url, api_version,
      signature_key, idempotency_key, request_hash, authorization_id, token_hash, created_at, updated_at
    )
    values (
      ${subscription.id}, ${scope.applicationId}, ${scope.merchantId}, 'v2', ${subscription.name}, ${subscription.enabled},
      ${subscription.eventTypes as string[]}::text[], ${subscription.notificationUrl}, ${subscription.apiVersion},
      ${subscription.signatureKey}, ${key}, ${requestHash}::bytea, ${maker.authorizationId}, ${maker.tokenHash}::bytea,
      ${subscription.createdAt}, ${subscription.updatedAt}
    )
    on conflict do nothing
    returning ${columns(tx)}`;
  return row;
}

export async function findSubscriptionByKey(
  sql: Sql,
  scope: SubscriptionScope,
  key: string,
  maker: SubscriptionCredential,
): Promise<(Subscription & { readonly requestHash: Buffer }) | undefined> {
  const [row] = await sql<(Subscription & { requestHash: Buffer })[]>`
    select ${columns(sql)}, request_hash
    from webhook_subscriptions
    where ${activeOf(sql, scope)} and idempotency_key = ${key} and ${madeBy(sql, maker)}`;
  return row;
}

/** Does not check permissions, so that the error can name those that the token lacks. */
export async function findSubscription(
  sql: Sql,
  scope: SubscriptionScope,
  id: string,
): Promise<Subscription | undefined> {
  const [row] = await sql<Subscription[]>`
    select ${columns(sql)}
    from webhook_subscriptions
    where ${activeOf(sql, scope)} and subscription_id = ${id}`;
  return row;
}

export async function listSubscriptions(
  sql: Sql,
  scope: SubscriptionScope,
  { includeDisabled, order, page }: { includeDisabled: boolean; order: SortOrder; page: PageRequest },
): Promise<Page<Subscription>> {
  const rows = await sql<Subscription[]>`
    select ${columns(sql)}
    from webhook_subscriptions
    where ${within(sql, scope)} and ${isActive(sql, scope.merchantId)}
    ${includeDisabled ? sql`` : sql`and enabled`}
    ${pageClause(sql, { at: 'created_at', id: 'subscription_id' }, page, order)}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** A subscription with the name of what made it: an application, or a personal token. */
export interface MadeSubscription extends Subscription {
  readonly madeBy: 'APPLICATION' | 'PERSONAL_TOKEN';
  readonly maker: string;
}

/** The subscriptions that tokens of the merchant made, newest first, for the owner. */
export async function listMadeSubscriptions(
  sql: Sql,
  merchantId: string,
  page: PageRequest,
): Promise<Page<MadeSubscription>> {
  const rows = await sql<MadeSubscription[]>`
    select
      ${columns(sql)},
      case when token_hash is null then 'APPLICATION' else 'PERSONAL_TOKEN' end as made_by,
      case
        when token_hash is null then (
          select a.name
          from applications a
          where a.application_id = webhook_subscriptions.application_id
        )
        else (
          select t.label
          from access_tokens t
          where t.merchant_id = ${merchantId} and t.token_hash = webhook_subscriptions.token_hash
        )
      end as maker
    from webhook_subscriptions
    where ${inScope(sql, { applicationId: null, merchantId })} and ${isActive(sql, merchantId)}
    ${pageClause(sql, { at: 'created_at', id: 'subscription_id' }, page, 'DESC')}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** A subscription with its application, for the operator. */
export interface SubscriptionAbout
  extends Pick<Subscription, 'id' | 'name' | 'enabled' | 'notificationUrl' | 'signatureKey'> {
  readonly applicationId: string;
  readonly applicationName: string;
  /** Null: it receives the events of every merchant that has authorized the application. */
  readonly merchantId: string | null;
  readonly generation: 'v1' | 'v2';
  readonly eventTypes: readonly EventKind[];
}

/** The subscriptions that receive events about a merchant: those made for it, and those of applications that it has authorized. */
export async function listSubscriptionsAbout(sql: Sql, merchantId: string): Promise<SubscriptionAbout[]> {
  return sql<SubscriptionAbout[]>`
    select
      s.subscription_id as id, s.name, s.application_id, a.name as application_name, s.merchant_id, s.generation, s.enabled, s.event_types,
      s.notification_url, s.signature_key
    from webhook_subscriptions s
    join applications a on a.application_id = s.application_id
    where s.merchant_id = ${merchantId}
      or (
        s.merchant_id is null
        and exists (
          select from authorizations g
          where g.merchant_id = ${merchantId} and g.application_id = s.application_id and g.revoked_at is null
        )
      )
    order by s.created_at desc, s.subscription_id
    limit 200`;
}

/** What the messages of a subscription are signed with, of either generation. */
export async function findSubscriptionKey(sql: Sql, id: string): Promise<V1Subscription | undefined> {
  const [row] = await sql<V1Subscription[]>`
    select notification_url, signature_key
    from webhook_subscriptions
    where subscription_id = ${id}`;
  return row;
}

export type SubscriptionChanges = Partial<
  Pick<Subscription, 'name' | 'enabled' | 'eventTypes' | 'notificationUrl' | 'apiVersion'>
>;

/** Updates the given fields only. The caller has found that it is active. */
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
      event_types = coalesce(${(eventTypes as string[] | undefined) ?? null}::text[], event_types),
      notification_url = coalesce(${notificationUrl ?? null}, notification_url),
      api_version = coalesce(${apiVersion ?? null}, api_version),
      updated_at = ${at}
    where ${within(tx, scope)} and subscription_id = ${id}
    returning ${columns(tx)}`;
  return row;
}

/** Replaces the signature key of an active subscription. A retry with the same idempotency key returns the key of the first request. */
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

/** Deletes a subscription, and gives up its pending deliveries. Returns false if there is none whose events the token may see. */
export async function deleteSubscription(tx: Tx, scope: SubscriptionScope, id: string): Promise<boolean> {
  const deleted = await tx`
    delete from webhook_subscriptions
    where ${within(tx, scope)} and subscription_id = ${id}
    returning subscription_id`;
  if (deleted.length === 0) return false;
  // Gives up deliveries of all merchants, if it was a subscription to all of them.
  await tx`
    update webhook_deliveries
    set state = 'GIVEN_UP', run_at = null, leased_until = null
    where subscription_id = ${id} and run_at is not null
      ${scope.merchantId === null ? tx`` : tx`and merchant_id = ${scope.merchantId}`}`;
  return true;
}

/** A test event, which is not stored. */
export interface TestEvent {
  readonly merchantId: string;
  readonly kind: V2EventKind;
  readonly eventId: string;
  readonly entityId: string;
  readonly at: Instant;
}

/** The body of a test message: that of an event without its object. */
export async function findTestBody(sql: Sql, { merchantId, kind, eventId, entityId, at }: TestEvent): Promise<string> {
  const [row] = await sql<{ body: string }[]>`
    select ${fn(sql, 'print_test_event')}(${merchantId}, ${eventId}, ${kind}, ${entityId}, ${at}) as body`;
  if (!row) throw new Error('no body was printed');
  return row.body;
}

/** Where the v1 events of an application are delivered. An application has one such URL. */
export interface V1Subscription {
  readonly notificationUrl: string;
  readonly signatureKey: string;
}

/** Sets or changes the URL. An existing signature key is kept. */
export async function insertV1Subscription(
  tx: Tx,
  {
    applicationId,
    id,
    notificationUrl,
    signatureKey,
    at,
  }: V1Subscription & { applicationId: string; id: string; at: Instant },
): Promise<V1Subscription | undefined> {
  const [row] = await tx<V1Subscription[]>`
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

export interface V1WebhookScope {
  readonly merchantId: string;
  readonly applicationId: string;
  /** A location id, or `me` for all locations. */
  readonly locationId: string;
}

export async function listV1Webhooks(
  sql: Sql,
  { merchantId, applicationId, locationId }: V1WebhookScope,
): Promise<readonly V1EventKind[]> {
  const [row] = await sql<{ eventTypes: V1EventKind[] }[]>`
    select event_types
    from v1_webhooks
    where merchant_id = ${merchantId} and application_id = ${applicationId} and location_id = ${locationId}`;
  return row?.eventTypes ?? [];
}

/** Replaces the kinds in `among` by `kinds`. Settings of other kinds are kept. */
export async function updateV1Webhooks(
  tx: Tx,
  { merchantId, applicationId, locationId }: V1WebhookScope,
  { kinds, among }: { readonly kinds: readonly V1EventKind[]; readonly among: readonly V1EventKind[] },
): Promise<void> {
  await tx`
    insert into v1_webhooks (merchant_id, application_id, location_id, event_types)
    values (${merchantId}, ${applicationId}, ${locationId}, ${kinds as V1EventKind[]}::text[])
    on conflict (merchant_id, application_id, location_id) do update
    set event_types = excluded.event_types
      || ${fn(tx, 'without_kinds')}(v1_webhooks.event_types, ${among as V1EventKind[]}::text[])`;
}
