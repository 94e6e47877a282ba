/** Operations with which the owner manages webhook subscriptions of own applications, and inspects deliveries about the business. */
import { listOperation, type OwnerContext, operation } from '../api/operation.js';
import { about, Bool, Nothing, optional, Type } from '../api/wire.js';
import { notFound } from '../base/errors.js';
import { findApplication } from '../identity/application-queries.js';
import { actorOf } from '../identity/audit.js';
import { requireDelivery, resendDelivery } from './deliveries.js';
import { listDeliveries } from './delivery-queries.js';
import { asSent } from './sent-body.js';
import { listSubscriptions, type NewSubscriptionScope } from './subscription-queries.js';
import { changeSubscription, createSubscription, removeSubscription, setV1Subscription } from './subscriptions.js';
import {
  ChangedSubscriptionBody,
  DELIVERY_LIST,
  DeliveryResponse,
  fromChangedSubscription,
  fromNewSubscription,
  ManagedSubscription,
  NEW_SUBSCRIPTION_EXAMPLE,
  NewSubscriptionBody,
  toDelivery,
  toDeliveryResponse,
  toSubscription,
  toV1Subscription,
  V1_SUBSCRIPTION,
} from './webhooks.view.js';

const SubscriptionResponse = Type.Object({
  subscription: about('The subscription with its signature key.', ManagedSubscription),
});

/** The scope of an application that the owner registered. It receives events of every merchant that authorized it. */
async function ownScope({ database, merchant }: OwnerContext, applicationId: string): Promise<NewSubscriptionScope> {
  const application = await findApplication(database.sql, applicationId);
  if (application?.merchantId !== merchant.id) throw notFound('application', applicationId);
  return { applicationId, merchantId: null, token: null };
}

export const dashboardWebhookOperations = [
  operation({
    surface: 'dashboard',
    name: 'createWebhookSubscription',
    method: 'POST',
    path: '/api/dashboard/applications/{application_id}/webhook-subscriptions',
    permission: 'OWNER',
    recentSignIn: true,
    summary: "Subscribes one of the owner's applications to events of every merchant that authorized it.",
    body: NewSubscriptionBody,
    example: { body: NEW_SUBSCRIPTION_EXAMPLE },
    response: SubscriptionResponse,
    async handle(context, { params: { application_id }, body }) {
      const scope = await ownScope(context, application_id);
      return { subscription: toSubscription(await createSubscription(context, scope, fromNewSubscription(body))) };
    },
  }),

  listOperation({
    surface: 'dashboard',
    name: 'listWebhookSubscriptions',
    method: 'GET',
    path: '/api/dashboard/applications/{application_id}/webhook-subscriptions',
    permission: 'OWNER',
    summary: "Lists the subscriptions of one of the owner's applications, oldest first.",
    page: { token: 'cursor', limit: { default: 100, max: 100, over: 'cap' }, keys: ['subscriptions'] },
    query: Type.Object({
      include_disabled: about(
        'Whether subscriptions that are switched off are listed too. Default: false.',
        optional(Bool),
      ),
    }),
    item: ManagedSubscription,
    async handle(context, { params: { application_id }, query: { include_disabled = true }, page }) {
      const scope = await ownScope(context, application_id);
      const options = { includeDisabled: include_disabled, order: 'ASC', page } as const;
      const { items, next } = await listSubscriptions(context.database.sql, scope, options);
      return { items: items.map(toSubscription), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateWebhookSubscription',
    method: 'PUT',
    path: '/api/dashboard/applications/{application_id}/webhook-subscriptions/{subscription_id}',
    permission: 'OWNER',
    recentSignIn: true,
    summary: "Updates the given fields of a subscription of one of the owner's applications.",
    body: ChangedSubscriptionBody,
    example: { body: { subscription: { event_types: ['payment.updated', 'refund.updated'] } } },
    response: SubscriptionResponse,
    async handle(context, { params: { application_id, subscription_id }, body }) {
      const scope = await ownScope(context, application_id);
      const changed = await changeSubscription(context, scope, subscription_id, fromChangedSubscription(body));
      return { subscription: toSubscription(changed) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteWebhookSubscription',
    method: 'DELETE',
    path: '/api/dashboard/applications/{application_id}/webhook-subscriptions/{subscription_id}',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Deletes a subscription. Its pending deliveries are canceled.',
    response: Nothing,
    async handle(context, { params: { application_id, subscription_id } }) {
      await removeSubscription(context, await ownScope(context, application_id), subscription_id);
      return {};
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'setV1Webhook',
    method: 'PUT',
    path: '/api/dashboard/applications/{application_id}/v1-webhook',
    permission: 'OWNER',
    recentSignIn: true,
    summary:
      "Sets the URL to which v1 events of one of the owner's applications are delivered. Returns the signature key.",
    ...V1_SUBSCRIPTION,
    async handle(context, { params: { application_id }, body: { notification_url } }) {
      const { applicationId } = await ownScope(context, application_id);
      return toV1Subscription(await setV1Subscription(context, applicationId, notification_url));
    },
  }),

  listOperation({
    surface: 'dashboard',
    name: 'listWebhookDeliveries',
    method: 'GET',
    path: '/api/dashboard/webhook-deliveries',
    permission: 'OWNER',
    summary: 'Lists the webhook deliveries about the business, newest first.',
    ...DELIVERY_LIST,
    async handle({ database, merchant, publicUrl }, { query: { state }, page }) {
      const site = { merchantId: merchant.id, publicUrl };
      const { items, next } = await listDeliveries(database.sql, { merchantId: merchant.id, state, page });
      return { items: items.map((delivery) => toDelivery(asSent(delivery, site))), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveWebhookDelivery',
    method: 'GET',
    path: '/api/dashboard/webhook-deliveries/{delivery_id}',
    permission: 'OWNER',
    summary: 'Shows a delivery with all its attempts.',
    response: DeliveryResponse,
    async handle({ database, merchant, publicUrl }, { params: { delivery_id } }) {
      const found = await requireDelivery(database, merchant.id, delivery_id);
      return toDeliveryResponse(asSent(found, { merchantId: merchant.id, publicUrl }));
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'replayWebhookDelivery',
    method: 'POST',
    path: '/api/dashboard/webhook-deliveries/{delivery_id}/replay',
    permission: 'OWNER',
    summary: 'Delivers an event to its subscription again, whatever the state of the delivery.',
    response: Nothing,
    async handle(context, { params: { delivery_id } }) {
      await resendDelivery(context.database, context.merchant.id, delivery_id, actorOf(context));
      return {};
    },
  }),
];
