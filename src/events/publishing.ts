/** Notifies applications of records that a change writes. */
import type { Instant } from '../base/time.js';
import type { Change } from '../database/change.js';
import { toTimestamp } from '../database/sql.js';
import type { EventKind } from './model.js';

interface EventCore {
  readonly kind: EventKind;
  /** Only subscriptions to this location receive it, and those to all. */
  readonly locationId: string | null;
  readonly happenedAt: Instant;
  /** The record as v2 JSON. An event of v1 has none. */
  readonly object?: string;
}

/** The record, or the sale whose id in v1 is that of the record. It is looked up when the change is applied, after all its steps. */
type PublishedEvent = EventCore & ({ readonly entityId: string } | { readonly saleId: string });

/** Subscriptions that want the event receive it after the commit. All events of a change are recorded by one call. */
export function publish(change: Change, { kind, locationId, happenedAt, object, ...entity }: PublishedEvent): void {
  const item = JSON.stringify({
    kind,
    location_id: locationId,
    ...('entityId' in entity ? { entity_id: entity.entityId } : { sale_id: entity.saleId }),
    happened_at: toTimestamp(happenedAt),
  });
  // As it is: as a string in JSON it would be escaped.
  change.gather('record_events', object === undefined ? item : `${item.slice(0, -1)},"object":${object}}`);
}
