/** Creates, changes, tests and deletes webhook subscriptions, for applications and for their owners. */
import type { ServerContext } from '../api/operation.js';
import { API_VERSION } from '../api/safety.js';
import { realNow } from '../base/clock.js';
import { notFound, Refusal } from '../base/errors.js';
import { newSecret } from '../base/ids.js';
import { hashSecret } from '../base/secrets.js';
import type { Instant } from '../base/time.js';
import { type ActorContext, type AuditKind, actorOf, changeAudited, recordAudit } from '../identity/audit.js';
import { requireNotificationUrl } from './addresses.js';
import { type CallingToken, isV2EventKind, mayManage, permissionsFor } from './model.js';
import { createSender, type Outcome } from './sending.js';
import { newSignatureKey } from './signing.js';
import {
  deleteSubscription,
  findSubscription,
  findSubscriptionByKey,
  findTestBody,
  hasMaxSubscriptions,
  insertSubscription,
  insertV1Subscription,
  MAX_SUBSCRIPTIONS,
  type NewSubscriptionScope,
  type Subscription,
  type SubscriptionChanges,
  type SubscriptionScope,
  updateSignatureKey,
  updateSubscription,
  type V1Subscription,
} from './subscription-queries.js';

type Context = Pick<ServerContext, 'database' | 'ids' | 'reach' | 'invalidateCredentials'> & ActorContext;

/** The audit log records who receives events of the business and who changes signature keys. It contains neither URLs nor keys. */
function auditEntry(
  kind: AuditKind,
  context: ActorContext,
  { applicationId, id }: { applicationId: string; id: string },
) {
  return { kind, ...actorOf(context), applicationId, details: { subscription_id: id } };
}

function newSubscriptionId(): string {
  return newSecret('wbhk_', 37);
}

export interface NewSubscription {
  readonly key: string | undefined;
  readonly name: string;
  readonly enabled: boolean | undefined;
  readonly eventTypes: readonly string[];
  readonly notificationUrl: string;
  readonly apiVersion: string | undefined;
}

export async function createSubscription(
  context: Context,
  scope: NewSubscriptionScope,
  requested: NewSubscription,
): Promise<Subscription> {
  const { database, reach } = context;
  const maker = scope.token?.credential ?? { authorizationId: null, tokenHash: null };
  requirePermissions(requested.eventTypes, scope.token);
  requireNotificationUrl(requested.notificationUrl, reach, 'subscription.notification_url');
  const now = realNow();
  const created = {
    id: newSubscriptionId(),
    name: requested.name,
    enabled: requested.enabled ?? true,
    eventTypes: [...new Set(requested.eventTypes)],
    notificationUrl: requested.notificationUrl,
    apiVersion: requested.apiVersion ?? API_VERSION,
    signatureKey: newSignatureKey(),
    createdAt: now,
    updatedAt: now,
  };
  const creation = { key: requested.key ?? null, requestHash: hashSecret(JSON.stringify(requested)), maker };
  const entry = auditEntry('WEBHOOK_SUBSCRIPTION_CREATED', context, { ...scope, id: created.id });
  const written = await database.transaction(async (tx) => {
    const inserted = (await hasMaxSubscriptions(tx, scope, maker))
      ? undefined
      : await insertSubscription(tx, scope, created, creation);
    if (inserted) await recordAudit(tx, entry);
    return inserted;
  });
  context.invalidateCredentials(scope.merchantId ?? undefined); // whether a merchant has subscriptions is cached
  if (written) return written;
  const known =
    requested.key === undefined ? undefined : await findSubscriptionByKey(database.sql, scope, requested.key, maker);
  if (!known)
    throw new Refusal('INVALID_VALUE', {
      detail: `The limit of ${MAX_SUBSCRIPTIONS} subscriptions is reached. Delete one first.`,
    });
  if (known.requestHash.equals(creation.requestHash)) {
    requirePermissions(known.eventTypes, scope.token); // it may have more event types by now
    return known;
  }
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', { field: 'idempotency_key' });
}

/** Requires the permissions of all its event types (decision 0076). */
export async function requireSubscription(
  { database }: Pick<Context, 'database'>,
  scope: SubscriptionScope,
  id: string,
): Promise<Subscription> {
  const found = await findSubscription(database.sql, scope, id);
  if (!found) throw noSubscription(id);
  requirePermissions(found.eventTypes, scope.token);
  return found;
}

async function requireOwnSubscription(
  context: Pick<Context, 'database'>,
  scope: SubscriptionScope,
  id: string,
): Promise<Subscription> {
  const found = await requireSubscription(context, scope, id);
  if (mayManage(scope, found)) return found;
  throw new Refusal('FORBIDDEN', {
    detail: `Webhook subscription ${id} was made with another access token. Only this token and the owner of the business may test, change or delete it.`,
  });
}

export async function changeSubscription(
  context: Context,
  scope: SubscriptionScope,
  id: string,
  changes: SubscriptionChanges,
): Promise<Subscription> {
  const { database, reach } = context;
  const { notificationUrl, eventTypes = [] } = changes;
  const { applicationId } = await requireOwnSubscription({ database }, scope, id);
  requirePermissions(eventTypes, scope.token);
  if (Object.keys(changes).length === 0) {
    throw new Refusal('MISSING_REQUIRED_PARAMETER', {
      field: 'subscription',
      detail: 'subscription has no field that can be changed.',
    });
  }
  if (notificationUrl !== undefined) {
    requireNotificationUrl(notificationUrl, reach, 'subscription.notification_url');
  }
  const entry = auditEntry('WEBHOOK_SUBSCRIPTION_CHANGED', context, { applicationId, id });
  const changed = await database.transaction(async (tx) => {
    const updated = await updateSubscription(tx, scope, id, changes, realNow());
    if (updated) await recordAudit(tx, entry);
    return updated;
  });
  if (!changed) throw noSubscription(id);
  return changed;
}

export async function rotateSignatureKey(
  context: Context,
  scope: SubscriptionScope,
  id: string,
  requestKey: string | undefined,
): Promise<string> {
  const { database } = context;
  const { applicationId } = await requireOwnSubscription({ database }, scope, id);
  const rotation = { signatureKey: newSignatureKey(), requestKey: requestKey ?? null, at: realNow() };
  const entry = auditEntry('WEBHOOK_KEY_ROTATED', context, { applicationId, id });
  const key = await database.transaction(async (tx) => {
    const updated = await updateSignatureKey(tx, scope, id, rotation);
    if (updated === rotation.signatureKey) await recordAudit(tx, entry); // a retry changes nothing
    return updated;
  });
  if (key === undefined) throw noSubscription(id);
  return key;
}

export async function removeSubscription(context: Context, scope: SubscriptionScope, id: string): Promise<void> {
  const { applicationId } = await requireOwnSubscription(context, scope, id);
  const entry = auditEntry('WEBHOOK_SUBSCRIPTION_ENDED', context, { applicationId, id });
  const found = await changeAudited(context.database, entry, (tx) => deleteSubscription(tx, scope, id));
  if (!found) throw noSubscription(id);
}

function noSubscription(id: string): Refusal {
  return notFound('webhook subscription', id);
}

export interface TestMessage {
  readonly eventId: string;
  readonly at: Instant;
  readonly body: string;
}

/** Sends a test event immediately, without retries, and returns the receiver's response. */
export async function testSubscription(
  { database, ids, reach }: Context,
  {
    scope,
    id,
    kind: requested,
  }: { scope: SubscriptionScope & { merchantId: string }; id: string; kind: string | undefined },
): Promise<{ subscription: Subscription; test: TestMessage; outcome: Outcome }> {
  const subscription = await requireOwnSubscription({ database }, scope, id);
  const kind = subscription.eventTypes.filter(isV2EventKind).find((each) => each === (requested ?? each));
  if (!kind) {
    throw new Refusal('INVALID_VALUE', {
      field: 'event_type',
      detail: `event_type must be one of the event types of the subscription, ${subscription.eventTypes.join(', ')}, that this server sends.`,
    });
  }
  const at = realNow();
  const event = { merchantId: scope.merchantId, kind, eventId: ids.newUuid(), entityId: ids.newUuid(), at };
  const body = await findTestBody(database.sql, event);
  const sender = createSender(reach);
  try {
    const { notificationUrl: url, signatureKey } = subscription;
    const message = {
      url,
      signatureKey,
      body,
      firstTriedAt: at,
      retry: 0,
      retryReason: null,
      fault: null,
    };
    return { subscription, test: { eventId: event.eventId, at, body }, outcome: await sender.send(message) };
  } finally {
    sender.close();
  }
}

/** Contract 24.1: a token cannot subscribe to events that it may not read. Owners and operators need no permission. */
export function requirePermissions(kinds: readonly string[], token: Pick<CallingToken, 'permissions'> | null): void {
  const missing = token === null ? [] : permissionsFor(kinds).filter((each) => !token.permissions.has(each));
  if (missing.length === 0) return;
  throw new Refusal('INSUFFICIENT_SCOPES', { detail: `Missing permission: ${missing.join(', ')}` });
}

/** Decision 0076: an application has one URL for v1 events. */
export async function setV1Subscription(
  context: Context,
  applicationId: string,
  notificationUrl: string,
): Promise<V1Subscription> {
  const { database, reach } = context;
  requireNotificationUrl(notificationUrl, reach, 'notification_url');
  const address = {
    applicationId,
    notificationUrl,
    id: newSubscriptionId(),
    signatureKey: newSignatureKey(),
    at: realNow(),
  };
  const set = await database.transaction(async (tx) => {
    const inserted = await insertV1Subscription(tx, address);
    await recordAudit(tx, { kind: 'WEBHOOK_ADDRESS_SET', ...actorOf(context), applicationId });
    return inserted;
  });
  context.invalidateCredentials();
  if (!set) throw new Error('the upsert of a v1 webhook URL returned no row');
  return set;
}
