/** What applications can be told, and how long somebody who does not answer is told again. */
import { type Instant, instant, MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Permission } from '../identity/permissions.js';

/** What each kind of event needs the application to be allowed; null: nothing. */
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
  /** Can be asked for, and never happens: there is no inventory. */
  INVENTORY_UPDATED: 'ITEMS_READ',
} as const satisfies Record<string, Permission | null>;

/** Of both generations. */
export const EVENTS = { ...V1_EVENTS, ...V2_EVENTS };

export type V2EventKind = keyof typeof V2_EVENTS;
export type V1EventKind = keyof typeof V1_EVENTS;
export type EventKind = V2EventKind | V1EventKind;

export const V2_EVENT_KINDS = Object.keys(V2_EVENTS) as V2EventKind[];
export const V1_EVENT_KINDS = Object.keys(V1_EVENTS) as V1EventKind[];
export const EVENT_KINDS: readonly EventKind[] = [...V2_EVENT_KINDS, ...V1_EVENT_KINDS];

/** What each of these kinds needs, once. */
export function permissionsFor(kinds: readonly EventKind[]): Permission[] {
  return [...new Set(kinds.map((kind) => EVENTS[kind]))].filter((permission) => permission !== null);
}

/** Those of these kinds that may be told to somebody with these permissions. */
export function kindsFor<Kind extends EventKind>(
  kinds: readonly Kind[],
  permissions: ReadonlySet<Permission>,
): readonly Kind[] {
  return kinds.filter((kind) => permissionsFor([kind]).every((permission) => permissions.has(permission)));
}

/** Contract 24: whoever may see payments or timecards may be told of them. */
export const MAY_LISTEN = { anyOf: ['PAYMENTS_READ', 'TIMECARDS_READ'] } as const;

export const DELIVERY_STATES = ['WAITING', 'DELIVERED', 'GIVEN_UP'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Contract 24.1, word by word: it goes into a header. */
export const FAILURES = ['http_timeout', 'http_error', 'ssl_error', 'other_error'] as const;
export type Failure = (typeof FAILURES)[number];

/** Decision 0075: a day in all. */
const PAUSES_MS = [1, 2, 4, 8, 15, 30, 60, 120, 240, 480, 480].map((minutes) => minutes * MINUTE_MS);
/** So that those who failed together do not come back together. */
const MOST_JITTER = 0.1;

/** When to try again after so many failures; undefined: never. `chance` lies between 0 and 1. */
export function nextAttempt(now: Instant, failures: number, chance: number): Instant | undefined {
  const pause = PAUSES_MS[failures - 1];
  return pause === undefined ? undefined : instant(Math.round(now + pause * (1 + MOST_JITTER * chance)));
}

/** The longest that a receiver may take to answer. */
export const ANSWER_LIMIT_MS = 10 * SECOND_MS;
