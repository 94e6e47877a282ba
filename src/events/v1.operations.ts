/** What an application wants to hear of a location in the first generation (contract 24.1). */
import { type ApplicationContext, operation } from '../api/operation.js';
import { Type } from '../api/wire.js';
import { readLocationOrMe } from '../identity/locations.js';
import { kindsFor, MAY_LISTEN, V1_EVENT_KINDS } from './model.js';
import { listV1Webhooks, updateV1Webhooks, type V1Place } from './subscription-queries.js';
import { requirePermissions } from './subscriptions.js';
import { V1EventWord } from './webhooks.view.js';

/** `me` stands for all locations, also for those that are opened later (decision 0076). */
function placeOf({ caller, merchant }: ApplicationContext, locationId: string): V1Place {
  readLocationOrMe(merchant, locationId);
  return { merchantId: merchant.id, applicationId: caller.applicationId, locationId };
}

export const v1WebhookOperations = [
  operation({
    surface: 'v1',
    name: 'listWebhooks',
    method: 'GET',
    path: '/v1/{location_id}/webhooks',
    permission: MAY_LISTEN,
    summary: 'Lists the events of a location, or of all with `me`, that the application is told.',
    response: Type.Array(V1EventWord),
    async handle(context, { params: { location_id } }) {
      const kinds = await listV1Webhooks(context.database.sql, placeOf(context, location_id));
      return [...kindsFor(kinds, context.caller.permissions)];
    },
  }),

  operation({
    surface: 'v1',
    name: 'updateWebhooks',
    method: 'PUT',
    path: '/v1/{location_id}/webhooks',
    permission: MAY_LISTEN,
    summary: 'Sets the whole list of events that the application is told.',
    body: Type.Array(V1EventWord, { maxItems: 10 }),
    response: Type.Array(V1EventWord),
    async handle(context, { params: { location_id }, body }) {
      const place = placeOf(context, location_id);
      const kinds = [...new Set(body)];
      const { permissions } = context.caller;
      requirePermissions(kinds, { permissions });
      // What this token may not see was set by another one of the application, and stays.
      const chosen = { kinds, among: kindsFor(V1_EVENT_KINDS, permissions) };
      await context.database.statement((tx) => updateV1Webhooks(tx, place, chosen));
      return kinds;
    },
  }),
];
