/** Sandbox operations on webhooks: subscribe an application, list deliveries, send them again. */
import { listOperation, operation, type ServerContext } from '../api/operation.js';
import { about, Nothing, Type } from '../api/wire.js';
import { realNow } from '../base/clock.js';
import { notFound, Refusal } from '../base/errors.js';
import type { Database } from '../database/database.js';
import { requireDelivery, resendDelivery } from '../events/deliveries.js';
import { listDeliveries } from '../events/delivery-queries.js';
import { withNeverSent } from '../events/never-sent.js';
import { moveEventToWaiting, updateDeliveriesToDueNow } from '../events/resend-queries.js';
import { asSent } from '../events/sent-body.js';
import { listSubscriptionsAbout, type SubscriptionScope } from '../events/subscription-queries.js';
import {
  changeSubscription,
  createSubscription,
  removeSubscription,
  setV1Subscription,
} from '../events/subscriptions.js';
import {
  ChangedSubscriptionBody,
  DELIVERY_LIST,
  DeliveryResponse,
  fromChangedSubscription,
  fromNewSubscription,
  ManagedSubscription,
  NewSubscriptionBody,
  toDelivery,
  toDeliveryResponse,
  toSubscription,
  toV1Subscription,
  V1_SUBSCRIPTION,
} from '../events/webhooks.view.js';
import { findApplication } from '../identity/application-queries.js';
import { recordAudit } from '../identity/audit.js';
import { requireMerchant } from './actions.js';

async function requireApplication({ sql }: Database, id: string): Promise<void> {
  if (!(await findApplication(sql, id))) throw notFound('application', id);
}

const SUBSCRIPTION = '/api/sandbox/merchants/{merchant_id}/webhook-subscriptions/{subscription_id}';

/** The scope of a subscription that receives events of a merchant. */
async function requireScope(
  { database: { sql } }: ServerContext,
  merchantId: string,
  id: string,
): Promise<SubscriptionScope> {
  const found = (await listSubscriptionsAbout(sql, merchantId)).find((each) => each.id === id);
  if (!found) throw notFound('webhook subscription', id);
  if (found.generation === 'v2')
    return { applicationId: found.applicationId, merchantId: found.merchantId, token: null };
  throw new Refusal('WRONG_STATE', {
    detail: `Subscription ${id} receives v1 events. Its address is set with PUT /api/sandbox/applications/${found.applicationId}/v1-webhook.`,
  });
}

export const sandboxWebhookOperations = [
  operation({
    surface: 'sandbox',
    name: 'createWebhookSubscription',
    method: 'POST',
    path: '/api/sandbox/applications/{application_id}/webhook-subscriptions',
    permission: 'OPERATOR',
    summary: 'Subscribes an application to events of every merchant that has authorized it.',
    body: NewSubscriptionBody,
    example: {
      body: {
        subscription: {
          name: 'Payments',
          event_types: ['payment.created'],
          notification_url: 'http://localhost:3000/webhooks',
        },
      },
    },
    response: Type.Object({ subscription: about('The subscription with its signature key.', ManagedSubscription) }),
    async handle(context, { params: { application_id }, body }) {
      await requireApplication(context.database, application_id);
      const scope = { applicationId: application_id, merchantId: null, token: null };
      const created = await createSubscription(context, scope, fromNewSubscription(body));
      return withNeverSent({ subscription: toSubscription(created) }, created);
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'setV1Webhook',
    method: 'PUT',
    path: '/api/sandbox/applications/{application_id}/v1-webhook',
    permission: 'OPERATOR',
    summary: 'Sets the URL for v1 events of an application, and shows their signature key.',
    ...V1_SUBSCRIPTION,
    async handle(context, { params: { application_id }, body: { notification_url } }) {
      await requireApplication(context.database, application_id);
      return toV1Subscription(await setV1Subscription(context, application_id, notification_url));
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'updateWebhookSubscription',
    method: 'PUT',
    path: SUBSCRIPTION,
    permission: 'OPERATOR',
    summary: 'Updates the given fields of a subscription that receives events of a merchant, such as `enabled`.',
    body: ChangedSubscriptionBody,
    example: { body: { subscription: { enabled: false } } },
    response: Type.Object({ subscription: about('The subscription with its signature key.', ManagedSubscription) }),
    async handle(context, { params: { merchant_id, subscription_id }, body }) {
      const scope = await requireScope(context, merchant_id, subscription_id);
      const changed = await changeSubscription(context, scope, subscription_id, fromChangedSubscription(body));
      return withNeverSent({ subscription: toSubscription(changed) }, changed);
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'deleteWebhookSubscription',
    method: 'DELETE',
    path: SUBSCRIPTION,
    permission: 'OPERATOR',
    summary: 'Deletes a subscription that receives events of a merchant. Its pending deliveries are canceled.',
    response: Nothing,
    async handle(context, { params: { merchant_id, subscription_id } }) {
      await removeSubscription(context, await requireScope(context, merchant_id, subscription_id), subscription_id);
      return {};
    },
  }),

  listOperation({
    surface: 'sandbox',
    name: 'listWebhookDeliveries',
    method: 'GET',
    path: '/api/sandbox/merchants/{merchant_id}/webhook-deliveries',
    permission: 'OPERATOR',
    summary: 'Lists the webhook deliveries of a merchant, sent and waiting, newest first.',
    ...DELIVERY_LIST,
    async handle(context, { params: { merchant_id }, query: { state }, page }) {
      await requireMerchant(context, merchant_id);
      const { items, next } = await listDeliveries(context.database.sql, { merchantId: merchant_id, state, page });
      const site = { merchantId: merchant_id, publicUrl: context.publicUrl };
      return { items: items.map((delivery) => toDelivery(asSent(delivery, site))), next };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'retrieveWebhookDelivery',
    method: 'GET',
    path: '/api/sandbox/merchants/{merchant_id}/webhook-deliveries/{delivery_id}',
    permission: 'OPERATOR',
    summary: 'Shows a delivery with all its attempts.',
    response: DeliveryResponse,
    async handle({ database, publicUrl }, { params: { merchant_id, delivery_id } }) {
      const found = await requireDelivery(database, merchant_id, delivery_id);
      return toDeliveryResponse(asSent(found, { merchantId: merchant_id, publicUrl }));
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'replayWebhookDelivery',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/webhook-deliveries/{delivery_id}/replay',
    permission: 'OPERATOR',
    summary: 'Sends a delivery again, whatever its state.',
    response: Nothing,
    async handle({ database }, { params: { merchant_id, delivery_id } }) {
      await resendDelivery(database, merchant_id, delivery_id);
      return {};
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'resendWebhookEvent',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/webhook-events/{event_id}/resend',
    permission: 'OPERATOR',
    summary:
      'Sends an event again to all its subscriptions, whatever the state of its deliveries, and to those that want it now.',
    response: Type.Object({ deliveries: about('How many deliveries will be sent.', Type.Integer()) }),
    async handle({ database }, { params: { merchant_id, event_id } }) {
      const deliveries = await database.transaction(async (tx) => {
        const moved = await moveEventToWaiting(tx, merchant_id, event_id, realNow());
        const details = { event_id, deliveries: String(moved ?? 0) };
        if (moved) await recordAudit(tx, { kind: 'WEBHOOK_RESENT', merchantId: merchant_id, details });
        return moved;
      });
      if (deliveries === undefined) throw notFound('webhook event', event_id);
      if (deliveries === 0) {
        throw new Refusal('WRONG_STATE', { detail: `The subscriptions of event ${event_id} no longer exist.` });
      }
      return { deliveries };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'hurryWebhookDeliveries',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/webhooks/hurry',
    permission: 'OPERATOR',
    summary: 'Sends pending retries and late webhooks now.',
    response: Type.Object({ deliveries: about('How many deliveries will be sent now.', Type.Integer()) }),
    async handle(context, { params: { merchant_id } }) {
      await requireMerchant(context, merchant_id);
      const deliveries = await context.database.transaction(async (tx) => {
        const moved = await updateDeliveriesToDueNow(tx, merchant_id, realNow());
        await recordAudit(tx, {
          kind: 'WEBHOOK_RESENT',
          merchantId: merchant_id,
          details: { deliveries: String(moved) },
        });
        return moved;
      });
      return { deliveries };
    },
  }),
];
