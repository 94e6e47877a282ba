/** Kinds of events that are published, and that a subscription may name, but that never happen here: there are no such records. */
import type { WithHeaders } from '../api/operation.js';
import { Refusal } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';
import { isV2EventKind, V2_EVENT_KINDS } from './model.js';
import { PUBLISHED_KINDS } from './published-kinds.js';

const NEVER_SENT: ReadonlySet<string> = new Set(PUBLISHED_KINDS.filter((kind) => !isV2EventKind(kind)));

/** The kinds of a subscription that this server accepts, but never sends. */
export const NEVER_SENT_HEADER = 'tillhouse-never-sent';

/** Refuses kinds that nobody publishes: they are misspelt. */
export function requireKinds(kinds: readonly string[]): readonly string[] {
  const unknown = kinds.find((kind) => !isV2EventKind(kind) && !NEVER_SENT.has(kind));
  if (unknown === undefined) return kinds;
  const field = 'subscription.event_types';
  const hint = didYouMean(unknown, [...V2_EVENT_KINDS, ...NEVER_SENT]);
  throw new Refusal('INVALID_ENUM_VALUE', {
    field,
    detail: `${field} has '${unknown}', which is no kind of event.${hint} This server sends ${V2_EVENT_KINDS.join(', ')}.`,
  });
}

/** Says where a subscription is accepted which of its events never arrive. Otherwise somebody waits for them, and does not know why. */
export function withNeverSent<Body>(
  body: Body,
  { eventTypes }: { readonly eventTypes: readonly string[] },
): WithHeaders<Body> {
  const kinds = eventTypes.filter((kind) => NEVER_SENT.has(kind));
  return { headers: kinds.length === 0 ? {} : { [NEVER_SENT_HEADER]: kinds.join(', ') }, body };
}
