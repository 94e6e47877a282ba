/** What the operator of a sandbox may do about webhooks: subscribe any application, and see and repeat what was told. */
import { findApplication } from '../access/oauth-queries.js';
import { listOperation, operation } from '../api/operation.js';
import { Nothing, optional, Type } from '../api/wire.js';
import { realNow } from '../base/clock.js';
import { notFound, Refusal } from '../base/errors.js';
import { instant } from '../base/time.js';
import { findMerchant } from '../business/merchants/queries.js';
import type { Database } from '../database/database.js';
import { replayDelivery, requireDelivery } from '../events/deliveries.js';
import { listDeliveries } from '../events/delivery-queries.js';
import { moveEventToWaiting, updateDeliveriesToHurried } from '../events/replay-queries.js';
import { createSubscription, setV1Address } from '../events/subscriptions.js';
import {
  AttemptModel,
  DeliveryModel,
  DeliveryStateWord,
  fromNewSubscription,
  NewSubscriptionBody,
  NotificationUrl,
  toAttempt,
  toDelivery,
  toSubscription,
  WebhookSubscription,
} from '../events/webhooks.view.js';
import { LEASE_MS } from '../worker/courier.js';

async function requireApplication({ sql }: Database, id: string): Promise<void> {
  if (!(await findApplication(sql, id))) throw notFound('application', id);
}

async function requireMerchant({ sql }: Database, id: string): Promise<void> {
  if (!(await findMerchant(sql, id))) throw notFound('merchant', id);
}

export const sandboxWebhookOperations = [
  operation({
    surface: 'sandbox',
    name: 'createWebhookSubscription',
    method: 'POST',
    path: '/sandbox/applications/{application_id}/webhook-subscriptions',
    permission: 'OPERATOR',
    summary: 'Subscribes an application to events of every merchant that allows it.',
    body: NewSubscriptionBody,
    response: Type.Object({ subscription: WebhookSubscription }),
    async handle(context, { params: { application_id }, body }) {
      await requireApplication(context.database, application_id);
      const scope = { applicationId: application_id, merchantId: null };
      return { subscription: toSubscription(await createSubscription(context, scope, fromNewSubscription(body))) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'setV1Webhook',
    method: 'PUT',
    path: '/sandbox/applications/{application_id}/v1-webhook',
    permission: 'OPERATOR',
    summary: 'Sets where an application is told events of the first generation, and shows their key.',
    body: Type.Object({ notification_url: NotificationUrl }),
    response: Type.Object({ notification_url: Type.String(), signature_key: Type.String() }),
    async handle(context, { params: { application_id }, body: { notification_url } }) {
      await requireApplication(context.database, application_id);
      const { notificationUrl, signatureKey } = await setV1Address(context, application_id, notification_url);
      return { notification_url: notificationUrl, signature_key: signatureKey };
    },
  }),

  listOperation({
    surface: 'sandbox',
    name: 'listWebhookDeliveries',
    method: 'GET',
    path: '/sandbox/merchants/{merchant_id}/webhook-deliveries',
    permission: 'OPERATOR',
    summary: 'Lists what applications were told about a merchant, and what they are still to be told, newest first.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['deliveries'] },
    query: Type.Object({ state: optional(DeliveryStateWord) }),
    item: DeliveryModel,
    async handle({ database }, { params: { merchant_id }, query: { state }, page }) {
      await requireMerchant(database, merchant_id);
      const { items, next } = await listDeliveries(database.sql, { merchantId: merchant_id, state, page });
      return { items: items.map(toDelivery), next };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'retrieveWebhookDelivery',
    method: 'GET',
    path: '/sandbox/merchants/{merchant_id}/webhook-deliveries/{delivery_id}',
    permission: 'OPERATOR',
    summary: 'Shows a delivery with every attempt at it.',
    response: Type.Object({ delivery: DeliveryModel, attempts: Type.Array(AttemptModel) }),
    async handle({ database }, { params: { merchant_id, delivery_id } }) {
      const found = await requireDelivery(database, merchant_id, delivery_id);
      return { delivery: toDelivery(found), attempts: found.tried.map(toAttempt) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'replayWebhookDelivery',
    method: 'POST',
    path: '/sandbox/merchants/{merchant_id}/webhook-deliveries/{delivery_id}/replay',
    permission: 'OPERATOR',
    summary: 'Sends a delivery again, whatever became of it.',
    response: Nothing,
    async handle({ database }, { params: { merchant_id, delivery_id } }) {
      await replayDelivery(database, merchant_id, delivery_id);
      return {};
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'resendWebhookEvent',
    method: 'POST',
    path: '/sandbox/merchants/{merchant_id}/webhook-events/{event_id}/resend',
    permission: 'OPERATOR',
    summary: 'Sends an event again to everybody that it was for, whatever became of it.',
    response: Type.Object({ deliveries: Type.Integer() }),
    async handle({ database }, { params: { merchant_id, event_id } }) {
      const { found, moved } = await database.statement((tx) =>
        moveEventToWaiting(tx, merchant_id, event_id, realNow()),
      );
      if (!found) throw notFound('webhook event', event_id);
      if (moved === 0) {
        throw new Refusal('WRONG_STATE', { detail: `No subscription of event ${event_id} is there any more.` });
      }
      return { deliveries: moved };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'hurryWebhookDeliveries',
    method: 'POST',
    path: '/sandbox/merchants/{merchant_id}/webhook-deliveries/hurry',
    permission: 'OPERATOR',
    summary: 'Tries now what would be tried later: retries, and messages that a fault made late.',
    response: Type.Object({ deliveries: Type.Integer() }),
    async handle({ database }, { params: { merchant_id } }) {
      await requireMerchant(database, merchant_id);
      const now = realNow();
      // What waits for less may be under way: hurrying it would send it twice.
      const when = { now, waitingBeyond: instant(now + LEASE_MS) };
      return { deliveries: await database.statement((tx) => updateDeliveriesToHurried(tx, merchant_id, when)) };
    },
  }),
];
