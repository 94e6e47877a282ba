/** Operations for the v1 events of a location that an application receives (contract 24.1). */
import { type ApplicationContext, operation } from '../api/operation.js';
import { Type } from '../api/wire.js';
import { requireLocationOrMe } from '../identity/locations.js';
import { kindsFor, V1_EVENT_KINDS, WEBHOOK_PERMISSIONS } from './model.js';
import { listV1Webhooks, updateV1Webhooks, type V1WebhookScope } from './subscription-queries.js';
import { requirePermissions } from './subscriptions.js';
import { V1EventType } from './webhooks.view.js';

/** `me` stands for all locations, including those that are opened later (decision 0076). */
function scopeOf({ caller, merchant }: ApplicationContext, locationId: string): V1WebhookScope {
  requireLocationOrMe(merchant, locationId);
  return { merchantId: merchant.id, applicationId: caller.applicationId, locationId };
}

export const v1WebhookOperations = [
  operation({
    surface: 'v1',
    name: 'listWebhooks',
    method: 'GET',
    path: '/v1/{location_id}/webhooks',
    permission: WEBHOOK_PERMISSIONS,
    summary:
      'Lists the event types that the application is notified of, for a location or, with `me`, for all locations.',
    response: Type.Array(V1EventType),
    async handle(context, { params: { location_id } }) {
      const kinds = await listV1Webhooks(context.database.sql, scopeOf(context, location_id));
      return [...kindsFor(kinds, context.caller.permissions)];
    },
  }),

  operation({
    surface: 'v1',
    name: 'updateWebhooks',
    method: 'PUT',
    path: '/v1/{location_id}/webhooks',
    permission: WEBHOOK_PERMISSIONS,
    summary: 'Replaces the list of event types that the application is notified of.',
    body: Type.Array(V1EventType, { maxItems: 10 }),
    example: { body: ['PAYMENT_UPDATED'] },
    response: Type.Array(V1EventType),
    async handle(context, { params: { location_id }, body }) {
      const scope = scopeOf(context, location_id);
      const kinds = [...new Set(body)];
      const { permissions } = context.caller;
      requirePermissions(kinds, { permissions });
      // Kinds that this token may not see were set with another token of the application, and are kept.
      const selection = { kinds, among: kindsFor(V1_EVENT_KINDS, permissions) };
      await context.database.statement((tx) => updateV1Webhooks(tx, scope, selection));
      return kinds;
    },
  }),
];
