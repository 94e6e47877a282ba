/** Notifies applications of a record that a change writes. */
import type { Instant } from '../base/time.js';
import type { Change } from '../database/change.js';
import { toTimestamp } from '../database/sql.js';
import type { V1EventKind } from './model.js';

interface PublishedEvent {
  readonly kind: V1EventKind;
  /** Only subscriptions to this location receive it, and those to all. */
  readonly locationId: string | null;
  readonly entityId: string;
  readonly happenedAt: Instant;
}

/** Subscriptions that want the event receive it after the commit. */
export function publish(change: Change, { kind, locationId, entityId, happenedAt }: PublishedEvent): void {
  change.call('record_event', {
    kind,
    location_id: locationId,
    entity_id: entityId,
    happened_at: toTimestamp(happenedAt),
  });
}
