/** Operations of the published API on webhook subscriptions of the token's application to the token's merchant. */
import { type ApplicationContext, listOperation, operation } from '../api/operation.js';
import { API_VERSION } from '../api/safety.js';
import { about, Bool, choice, Nothing, optional, Type, text } from '../api/wire.js';
import { V2_EVENT_KINDS, WEBHOOK_PERMISSIONS } from './model.js';
import { withNeverSent } from './never-sent.js';
import { listSubscriptions, type NewSubscriptionScope } from './subscription-queries.js';
import {
  changeSubscription,
  createSubscription,
  removeSubscription,
  requireSubscription,
  rotateSignatureKey,
  testSubscription,
} from './subscriptions.js';
import {
  ChangedSubscriptionBody,
  fromChangedSubscription,
  fromNewSubscription,
  IdempotencyKey,
  NEW_SUBSCRIPTION_EXAMPLE,
  NewSubscriptionBody,
  TestResponse,
  toSubscription,
  toSubscriptionFor,
  toTestResponse,
  V2EventType,
  WebhookSubscription,
} from './webhooks.view.js';

const SubscriptionResponse = Type.Object({ subscription: about('The subscription.', WebhookSubscription) });

/**
 * Decision 0076: a token cannot subscribe to events of another merchant, nor to events that it may not see. Subscriptions end with the
 * authorization, because it outlives its access tokens. A personal token has no authorization.
 */
function scopeOf({
  caller: { applicationId, authorizationId, permissions, tokenHash },
  merchant,
}: ApplicationContext): NewSubscriptionScope & { merchantId: string } {
  const credential = { authorizationId, tokenHash: authorizationId === null ? Buffer.from(tokenHash, 'hex') : null };
  return { applicationId, merchantId: merchant.id, token: { permissions, credential } };
}

export const v2WebhookOperations = [
  operation({
    surface: 'v2',
    name: 'listWebhookEventTypes',
    method: 'GET',
    path: '/v2/webhooks/event-types',
    permission: WEBHOOK_PERMISSIONS,
    summary: 'Lists the event types that an application can subscribe to.',
    query: Type.Object({ api_version: about('Only the kinds of events of this API version.', optional(text(10))) }),
    response: Type.Object({
      event_types: about('All kinds of events.', Type.Array(V2EventType)),
      metadata: about(
        'About each kind of event.',
        Type.Array(
          Type.Object({
            event_type: about('The kind of event.', V2EventType),
            api_version_introduced: about('The API version that introduced it.', Type.String()),
            release_status: about('Whether it is stable.', Type.String()),
          }),
        ),
      ),
    }),
    async handle() {
      const metadata = V2_EVENT_KINDS.map((event_type) => ({
        event_type,
        api_version_introduced: API_VERSION,
        release_status: 'PUBLIC',
      }));
      return { event_types: V2_EVENT_KINDS, metadata };
    },
  }),

  listOperation({
    surface: 'v2',
    name: 'listWebhookSubscriptions',
    method: 'GET',
    path: '/v2/webhooks/subscriptions',
    permission: WEBHOOK_PERMISSIONS,
    summary:
      'Lists the subscriptions of the application to events of the merchant, oldest first. Only their maker sees their keys and addresses.',
    page: { token: 'cursor', limit: { default: 100, max: 100, over: 'cap' }, keys: ['subscriptions'] },
    query: Type.Object({
      include_disabled: about('Whether disabled subscriptions are listed too.', optional(Bool)),
      sort_order: about('The order of the subscriptions by the time of creation.', optional(choice(['ASC', 'DESC']))),
    }),
    item: WebhookSubscription,
    async handle(context, { query: { include_disabled = false, sort_order = 'ASC' }, page }) {
      const options = { includeDisabled: include_disabled, order: sort_order, page };
      const scope = scopeOf(context);
      const { items, next } = await listSubscriptions(context.database.sql, scope, options);
      return { items: items.map((each) => toSubscriptionFor(scope, each)), next };
    },
  }),

  operation({
    surface: 'v2',
    name: 'createWebhookSubscription',
    method: 'POST',
    path: '/v2/webhooks/subscriptions',
    permission: WEBHOOK_PERMISSIONS,
    summary: 'Subscribes the application to events of the merchant. Returns the signature key.',
    takesRecord: true,
    body: NewSubscriptionBody,
    example: { body: NEW_SUBSCRIPTION_EXAMPLE },
    response: SubscriptionResponse,
    async handle(context, { body }) {
      const created = await createSubscription(context, scopeOf(context), fromNewSubscription(body));
      return withNeverSent({ subscription: toSubscription(created) }, created);
    },
  }),

  operation({
    surface: 'v2',
    name: 'retrieveWebhookSubscription',
    method: 'GET',
    path: '/v2/webhooks/subscriptions/{subscription_id}',
    permission: WEBHOOK_PERMISSIONS,
    summary: 'Shows a subscription. Only its maker sees its key and its address.',
    response: SubscriptionResponse,
    async handle(context, { params: { subscription_id } }) {
      const scope = scopeOf(context);
      return { subscription: toSubscriptionFor(scope, await requireSubscription(context, scope, subscription_id)) };
    },
  }),

  operation({
    surface: 'v2',
    name: 'updateWebhookSubscription',
    method: 'PUT',
    path: '/v2/webhooks/subscriptions/{subscription_id}',
    permission: WEBHOOK_PERMISSIONS,
    summary: 'Updates the given fields of a subscription.',
    takesRecord: true,
    body: ChangedSubscriptionBody,
    example: { body: { subscription: { event_types: ['payment.updated', 'refund.updated'] } } },
    response: SubscriptionResponse,
    async handle(context, { params: { subscription_id }, body }) {
      const changes = fromChangedSubscription(body);
      const changed = await changeSubscription(context, scopeOf(context), subscription_id, changes);
      return withNeverSent({ subscription: toSubscription(changed) }, changed);
    },
  }),

  operation({
    surface: 'v2',
    name: 'deleteWebhookSubscription',
    method: 'DELETE',
    path: '/v2/webhooks/subscriptions/{subscription_id}',
    permission: WEBHOOK_PERMISSIONS,
    summary: 'Deletes a subscription. Its pending deliveries are canceled.',
    response: Nothing,
    async handle(context, { params: { subscription_id } }) {
      await removeSubscription(context, scopeOf(context), subscription_id);
      return {};
    },
  }),

  operation({
    surface: 'v2',
    name: 'updateWebhookSubscriptionSignatureKey',
    method: 'POST',
    path: '/v2/webhooks/subscriptions/{subscription_id}/signature-key',
    permission: WEBHOOK_PERMISSIONS,
    summary:
      'Replaces the signature key of a subscription. The new key applies to all later messages, including retries.',
    body: Type.Object({
      idempotency_key: about(
        'A unique text. A retry with the same key makes no further signature key.',
        optional(IdempotencyKey),
      ),
    }),
    example: { body: { idempotency_key: 'signature-key-2' } },
    response: Type.Object({ signature_key: about('The new key that signs the events.', Type.String()) }),
    async handle(context, { params: { subscription_id }, body: { idempotency_key } }) {
      const scope = scopeOf(context);
      const signature_key = await rotateSignatureKey(context, scope, subscription_id, idempotency_key || undefined);
      return { signature_key };
    },
  }),

  operation({
    surface: 'v2',
    name: 'testWebhookSubscription',
    method: 'POST',
    path: '/v2/webhooks/subscriptions/{subscription_id}/test',
    permission: WEBHOOK_PERMISSIONS,
    summary: 'Sends a test event to the URL of a subscription and returns the status code of the response.',
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
