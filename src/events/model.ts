/** Kinds of events with the permissions that they require, who manages a subscription, and the schedule of retries. */
import { type Instant, instant, MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Permission } from '../identity/permissions.js';

/** The permission that an application needs for each kind of event; null: none. */
export const V2_EVENTS = {
  'payment.created': 'PAYMENTS_READ',
  'payment.updated': 'PAYMENTS_READ',
  'refund.created': 'PAYMENTS_READ',
  'refund.updated': 'PAYMENTS_READ',
  'oauth.authorization.revoked': null,
} as const satisfies Record<string, Permission | null>;

export const V1_EVENTS = {
  PAYMENT_UPDATED: 'PAYMENTS_READ',
  TIMECARD_UPDATED: 'TIMECARDS_READ',
  /** Can be subscribed to, but never happens: there is no inventory. */
  INVENTORY_UPDATED: 'ITEMS_READ',
} as const satisfies Record<string, Permission | null>;

/** The kinds of events of both generations, with their permissions. */
export const EVENTS = { ...V1_EVENTS, ...V2_EVENTS };

export type V2EventKind = keyof typeof V2_EVENTS;
export type V1EventKind = keyof typeof V1_EVENTS;
export type EventKind = V2EventKind | V1EventKind;

export const V2_EVENT_KINDS = Object.keys(V2_EVENTS) as V2EventKind[];
export const V1_EVENT_KINDS = Object.keys(V1_EVENTS) as V1EventKind[];
export const EVENT_KINDS: readonly EventKind[] = [...V2_EVENT_KINDS, ...V1_EVENT_KINDS];

export type CausedKind = Exclude<EventKind, 'INVENTORY_UPDATED'>;

/** The kinds that happen here. */
export const CAUSED_KINDS = EVENT_KINDS.filter((kind): kind is CausedKind => kind !== 'INVENTORY_UPDATED');

export function isV2EventKind(kind: string): kind is V2EventKind {
  return Object.hasOwn(V2_EVENTS, kind);
}

/** The permissions that these kinds require, without duplicates. Those that are never sent require none. */
export function permissionsFor(kinds: readonly string[]): Permission[] {
  const needed = kinds.map((kind) => (EVENTS as Readonly<Record<string, Permission | null>>)[kind] ?? null);
  return [...new Set(needed)].filter((permission) => permission !== null);
}

/** The kinds for which these permissions are not sufficient. */
export function kindsHiddenFrom(permissions: ReadonlySet<Permission>): readonly EventKind[] {
  return EVENT_KINDS.filter((kind) => !kindsFor(EVENT_KINDS, permissions).includes(kind));
}

/** The kinds for which these permissions are sufficient. */
export function kindsFor<Kind extends EventKind>(
  kinds: readonly Kind[],
  permissions: ReadonlySet<Permission>,
): readonly Kind[] {
  return kinds.filter((kind) => permissionsFor([kind]).every((permission) => permissions.has(permission)));
}

/** Contract 24: a token that can read payments or timecards can use webhooks. */
export const WEBHOOK_PERMISSIONS = { anyOf: ['PAYMENTS_READ', 'TIMECARDS_READ'] } as const;

export interface CallingToken {
  readonly permissions: ReadonlySet<Permission>;
  readonly credential: SubscriptionCredential;
}

/** The credential that created a subscription. The subscription ends with it. Both null: one to all merchants, which does not end. */
export interface SubscriptionCredential {
  readonly authorizationId: string | null;
  readonly tokenHash: Buffer | null;
}

/**
 * Whether the caller may see its key and address, and may change it: an owner, the operator, the personal token that made it, or any token
 * of the application that made it (decision 0215).
 */
export function mayManage(
  { token }: { readonly token: CallingToken | null },
  { tokenHash }: { readonly tokenHash: Buffer | null },
): boolean {
  return token === null || tokenHash === null || token.credential.tokenHash?.equals(tokenHash) === true;
}

export const DELIVERY_STATES = ['WAITING', 'DELIVERED', 'GIVEN_UP'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Contract 24.1: the exact values of a header. */
export const DELIVERY_FAILURES = ['http_timeout', 'http_error', 'ssl_error', 'other_error'] as const;
export type DeliveryFailure = (typeof DELIVERY_FAILURES)[number];

/** Decision 0075: 24 hours in total. */
const RETRY_DELAYS_MS = [1, 2, 4, 8, 15, 30, 60, 120, 240, 480, 480].map((minutes) => minutes * MINUTE_MS);
/** Deliveries that failed at the same time are not retried at the same time. */
const MAX_JITTER = 0.1;

/** The time of the next attempt after this many failures; undefined: none. `random` is between 0 and 1. */
export function nextAttempt(now: Instant, failures: number, random: number): Instant | undefined {
  const pause = RETRY_DELAYS_MS[failures - 1];
  return pause === undefined ? undefined : instant(Math.round(now + pause * (1 + MAX_JITTER * random)));
}

/** How long a receiver may take to respond. */
export const RESPONSE_TIMEOUT_MS = 10 * SECOND_MS;
