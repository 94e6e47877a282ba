/** Rewrites events that were recorded before. */
import type { JsonText } from '../base/json.js';
import type { Change } from '../database/change.js';
import { readEventsAbout } from './delivery-queries.js';
import { webhookEvents } from './table.js';

/** Replaces the bodies of the events about these records. A delivery that is repeated sends the new one. */
export async function rewriteEvents(
  change: Change,
  entityIds: readonly string[],
  rewrite: (body: JsonText<object>) => JsonText<object>,
): Promise<void> {
  for (const event of await readEventsAbout(change, entityIds)) {
    change.save(webhookEvents, event, { ...event, body: rewrite(event.body) });
  }
}
