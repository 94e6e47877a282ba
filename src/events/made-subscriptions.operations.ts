/** Operations with which the owner manages the webhook subscriptions that tokens of the business made (decision 0215). */
import { listOperation, type OwnerContext, operation } from '../api/operation.js';
import { about, Nothing, optional, Type } from '../api/wire.js';
import { listMadeSubscriptions } from './subscription-queries.js';
import { changeSubscription, removeSubscription, rotateSignatureKey, testSubscription } from './subscriptions.js';
import {
  ChangedSubscriptionBody,
  fromChangedSubscription,
  MadeSubscriptionModel,
  ManagedSubscription,
  TestResponse,
  toMadeSubscription,
  toSubscription,
  toTestResponse,
  V2EventType,
} from './webhooks.view.js';

const scopeOf = ({ merchant }: OwnerContext) => ({ applicationId: null, merchantId: merchant.id, token: null });

export const madeSubscriptionOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listMadeSubscriptions',
    method: 'GET',
    path: '/api/dashboard/webhook-subscriptions',
    permission: 'OWNER',
    summary:
      'Lists the webhook subscriptions to events of the business that applications and personal tokens made, newest first.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['subscriptions'] },
    query: Type.Object({}),
    item: MadeSubscriptionModel,
    async handle({ database, merchant }, { page }) {
      const { items, next } = await listMadeSubscriptions(database.sql, merchant.id, page);
      return { items: items.map(toMadeSubscription), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateMadeSubscription',
    method: 'PUT',
    path: '/api/dashboard/webhook-subscriptions/{subscription_id}',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Updates the given fields of a subscription that an application or a personal token made.',
    body: ChangedSubscriptionBody,
    example: { body: { subscription: { enabled: false } } },
    response: Type.Object({ subscription: about('The subscription with its signature key.', ManagedSubscription) }),
    async handle(context, { params: { subscription_id }, body }) {
      const changes = fromChangedSubscription(body);
      return {
        subscription: toSubscription(await changeSubscription(context, scopeOf(context), subscription_id, changes)),
      };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteMadeSubscription',
    method: 'DELETE',
    path: '/api/dashboard/webhook-subscriptions/{subscription_id}',
    permission: 'OWNER',
    recentSignIn: true,
    summary:
      'Deletes a subscription that an application or a personal token made. Its pending deliveries are canceled.',
    response: Nothing,
    async handle(context, { params: { subscription_id } }) {
      await removeSubscription(context, scopeOf(context), subscription_id);
      return {};
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'rotateMadeSubscriptionKey',
    method: 'POST',
    path: '/api/dashboard/webhook-subscriptions/{subscription_id}/signature-key',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Replaces the signature key of a subscription that an application or a personal token made.',
    response: Type.Object({ signature_key: about('The new key that signs the events.', Type.String()) }),
    async handle(context, { params: { subscription_id } }) {
      return { signature_key: await rotateSignatureKey(context, scopeOf(context), subscription_id, undefined) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'testMadeSubscription',
    method: 'POST',
    path: '/api/dashboard/webhook-subscriptions/{subscription_id}/test',
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Sends a test event to the address of a subscription that an application or a personal token made.',
    body: Type.Object({
      event_type: about(
        'The kind of event to send. Default: one that the subscription delivers.',
        optional(V2EventType),
      ),
    }),
    example: { body: { event_type: 'payment.updated' } },
    response: TestResponse,
    async handle(context, { params: { subscription_id }, body: { event_type } }) {
      const requested = { scope: scopeOf(context), id: subscription_id, kind: event_type };
      const { subscription, test, outcome } = await testSubscription(context, requested);
      return toTestResponse(subscription, test, outcome);
    },
  }),
];
