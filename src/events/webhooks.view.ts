/** The format of subscriptions, deliveries and attempts in requests and responses. */
import {
  about,
  Bool,
  choice,
  model,
  optional,
  present,
  type Static,
  Time,
  Type,
  text,
  wholeNumber,
} from '../api/wire.js';
import { printMilliseconds } from '../base/time.js';

import { MAX_URL_LENGTH } from './addresses.js';
import type { Delivery, StoredAttempt } from './delivery-queries.js';
import { DELIVERY_FAILURES, DELIVERY_STATES, EVENT_KINDS, mayManage, V1_EVENT_KINDS, V2_EVENT_KINDS } from './model.js';
import { requireKinds } from './never-sent.js';
import type { Outcome } from './sending.js';
import type {
  MadeSubscription,
  Subscription,
  SubscriptionChanges,
  SubscriptionScope,
  V1Subscription,
} from './subscription-queries.js';
import type { NewSubscription, TestMessage } from './subscriptions.js';

export const V2EventType = choice(V2_EVENT_KINDS);
export const V1EventType = choice(V1_EVENT_KINDS);

const NotificationUrl = text(MAX_URL_LENGTH, { minLength: 1 });
export const IdempotencyKey = text(45);

/** Longer than every kind. */
const MAX_KIND_LENGTH = 100;

/** What every token of the application sees of a subscription to kinds that it may read. */
const SHARED = {
  id: about('The id of the subscription.', Type.String()),
  name: about('The name of the subscription.', Type.String()),
  enabled: about('Whether events are delivered.', Bool),
  event_types: about(
    'The kinds of events that are delivered. Those that this server never sends are among them.',
    Type.Array(Type.String()),
  ),
  api_version: about('The API version in which events are printed.', Type.String()),
  created_at: about('When the subscription was created.', Time),
  updated_at: about('When the subscription was last changed.', Time),
};

export const WebhookSubscription = model('WebhookSubscription', {
  ...SHARED,
  notification_url: about(
    'The address to which events are posted. Absent if another token made the subscription.',
    optional(Type.String()),
  ),
  signature_key: about(
    'The key that signs the events. Absent if another token made the subscription.',
    optional(Type.String()),
  ),
});

const WHOLE = {
  ...SHARED,
  notification_url: about('The address to which events are posted.', Type.String()),
  signature_key: about('The key that signs the events.', Type.String()),
};

/** What the owner and the operator see. */
export const ManagedSubscription = model('ManagedSubscription', WHOLE);

/** A subscription that a token made. */
export const MadeSubscriptionModel = model('MadeSubscription', {
  ...WHOLE,
  made_by: about('What made the subscription.', choice(['APPLICATION', 'PERSONAL_TOKEN'])),
  maker: about('The name of the application or of the personal token.', Type.String()),
});

const CHANGEABLE = {
  enabled: about('Whether events are delivered. Default: true.', optional(Bool)),
  api_version: about(
    'The API version in which events are printed, for example `2020-02-26`.',
    optional(Type.String({ maxLength: 10, pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  ),
};
const Name = text(64, { minLength: 1 });
const EventTypes = Type.Array(text(MAX_KIND_LENGTH, { minLength: 1 }), { minItems: 1, maxItems: 50 });
const EVENT_TYPES_MEAN = `The kinds of events to deliver: ${V2_EVENT_KINDS.map((kind) => `\`${kind}\``).join(', ')}. Other published kinds are accepted, but this server never sends them.`;

export const NewSubscriptionBody = Type.Object({
  idempotency_key: about(
    'A unique text. A retry with the same key creates no second subscription.',
    optional(IdempotencyKey),
  ),
  subscription: about(
    'The new subscription.',
    Type.Object({
      ...CHANGEABLE,
      name: about('The name of the subscription.', Name),
      event_types: about(EVENT_TYPES_MEAN, EventTypes),
      notification_url: about('The address to which events are posted.', NotificationUrl),
    }),
  ),
});

/** An example of `NewSubscriptionBody` for the reference. */
export const NEW_SUBSCRIPTION_EXAMPLE: Static<typeof NewSubscriptionBody> = {
  idempotency_key: 'subscription-1',
  subscription: {
    name: 'Bookkeeping',
    event_types: ['payment.created', 'payment.updated'],
    notification_url: 'http://localhost:3000/webhooks',
  },
};

export const ChangedSubscriptionBody = Type.Object({
  subscription: about(
    'The members to change.',
    Type.Object({
      ...CHANGEABLE,
      name: about('The name of the subscription.', optional(Name)),
      event_types: about(EVENT_TYPES_MEAN, optional(EventTypes)),
      notification_url: about('The address to which events are posted.', optional(NotificationUrl)),
    }),
  ),
});

export function toSubscription(subscription: Subscription): Static<typeof ManagedSubscription> {
  return {
    ...toShared(subscription),
    notification_url: subscription.notificationUrl,
    signature_key: subscription.signatureKey,
  };
}

function toShared(subscription: Subscription) {
  return {
    id: subscription.id,
    name: subscription.name,
    enabled: subscription.enabled,
    event_types: [...subscription.eventTypes],
    api_version: subscription.apiVersion,
    created_at: printMilliseconds(subscription.createdAt),
    updated_at: printMilliseconds(subscription.updatedAt),
  };
}

/** Without key and address if another token made it (decision 0215). */
export function toSubscriptionFor(
  scope: SubscriptionScope,
  subscription: Subscription,
): Static<typeof WebhookSubscription> {
  return mayManage(scope, subscription) ? toSubscription(subscription) : toShared(subscription);
}

export function toMadeSubscription(subscription: MadeSubscription): Static<typeof MadeSubscriptionModel> {
  return { ...toSubscription(subscription), made_by: subscription.madeBy, maker: subscription.maker };
}

export function fromNewSubscription({
  idempotency_key,
  subscription,
}: Static<typeof NewSubscriptionBody>): NewSubscription {
  return {
    key: idempotency_key || undefined,
    name: subscription.name,
    enabled: subscription.enabled,
    eventTypes: requireKinds(subscription.event_types),
    notificationUrl: subscription.notification_url,
    apiVersion: subscription.api_version,
  };
}

export function fromChangedSubscription({ subscription }: Static<typeof ChangedSubscriptionBody>): SubscriptionChanges {
  return present({
    name: subscription.name,
    enabled: subscription.enabled,
    eventTypes: subscription.event_types && requireKinds(subscription.event_types),
    notificationUrl: subscription.notification_url,
    apiVersion: subscription.api_version,
  });
}

/** The body of a test message: like that of an event, but without the object. */
export const TestPayload = model('WebhookTestPayload', {
  merchant_id: about('The merchant of the application.', Type.String()),
  type: about('The kind of event.', V2EventType),
  event_id: about('The id of the event.', Type.String()),
  created_at: about('When the event was created.', Time),
  data: about(
    'The type and the id of the record, without its content.',
    Type.Object({
      type: about('The kind of record.', Type.String()),
      id: about('The id of the record.', Type.String()),
    }),
  ),
});

const TESTED = {
  notification_url: about('The address to which the event was posted.', Type.String()),
  status_code: about('The status of the response. Absent without a response.', optional(Type.Integer())),
  passes_filter: about('Whether the subscription delivers events of this kind.', Bool),
  payload: about('The body that was posted.', TestPayload),
};

/** Older and newer clients expect the fields at different places: in the response itself, or in `subscription_test_result`. */
export const TestResponse = Type.Object({
  ...TESTED,
  subscription_test_result: about(
    'The same result, where newer clients expect it.',
    model('SubscriptionTestResult', {
      ...TESTED,
      id: about('The id of the test event.', Type.String()),
      created_at: about('When the test was made.', Time),
      updated_at: about('When the test was made.', Time),
    }),
  ),
});

export function toTestResponse(
  { notificationUrl }: Subscription,
  test: TestMessage,
  { status }: Outcome,
): Static<typeof TestResponse> {
  const tested = {
    notification_url: notificationUrl,
    ...(status !== null && { status_code: status }),
    passes_filter: true,
    payload: JSON.parse(test.body),
  };
  const at = printMilliseconds(test.at);
  return { ...tested, subscription_test_result: { ...tested, id: test.eventId, created_at: at, updated_at: at } };
}

const DeliveryStateSchema = choice(DELIVERY_STATES);

export const DeliveryModel = model('WebhookDelivery', {
  id: about('The id of the delivery.', Type.String()),
  event_id: about('The event that is delivered.', Type.String()),
  event_type: about('The kind of the event.', choice(EVENT_KINDS)),
  entity_id: about('The record that changed.', Type.String()),
  subscription_id: about('The subscription that wants the event.', Type.String()),
  state: about(
    'Whether the receiver has accepted it, another attempt follows, or it was given up.',
    DeliveryStateSchema,
  ),
  attempt_count: about('How often it was sent.', wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  next_attempt_at: about('When it will be sent again. Absent if it will not.', optional(Time)),
  created_at: about('When the event happened, in real time.', Time),
  fault: about('The fault that was injected into its last attempt. Absent without one.', optional(Type.String())),
  /** The body of the message. */
  body: about('The body as it is posted.', Type.String()),
});

export function toDelivery(delivery: Delivery): Static<typeof DeliveryModel> {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.kind,
    entity_id: delivery.entityId,
    subscription_id: delivery.subscriptionId,
    state: delivery.state,
    attempt_count: delivery.attempts,
    ...(delivery.runAt !== null && { next_attempt_at: printMilliseconds(delivery.runAt) }),
    created_at: printMilliseconds(delivery.createdAt),
    ...(delivery.fault !== null && { fault: delivery.fault }),
    body: delivery.body,
  };
}

const AttemptModel = model('WebhookAttempt', {
  number: about('The number of the attempt, from 1.', wholeNumber(1, Number.MAX_SAFE_INTEGER)),
  started_at: about('When it was sent.', Time),
  duration_ms: about('How many milliseconds the receiver took.', Type.Integer()),
  status_code: about('The status of the receiver. Absent without a response.', optional(Type.Integer())),
  failure: about('Why there is no valid response. Absent after one.', optional(choice(DELIVERY_FAILURES))),
  answer: about('The beginning of the response.', Type.String()),
});

function toAttempt(attempt: StoredAttempt): Static<typeof AttemptModel> {
  return {
    number: attempt.number,
    started_at: printMilliseconds(attempt.startedAt),
    duration_ms: attempt.durationMs,
    ...(attempt.status !== null && { status_code: attempt.status }),
    ...(attempt.failure !== null && { failure: attempt.failure }),
    answer: attempt.response,
  };
}

/** Shared by the lists of deliveries of the dashboard and the sandbox. */
export const DELIVERY_LIST = {
  page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['deliveries'] },
  query: Type.Object({ state: about('Only deliveries in this state.', optional(DeliveryStateSchema)) }),
  item: DeliveryModel,
} as const;

export const DeliveryResponse = Type.Object({
  delivery: about('The delivery.', DeliveryModel),
  attempts: about('Every attempt, the first one first.', Type.Array(AttemptModel)),
});

export function toDeliveryResponse(
  found: Delivery & { readonly tried: readonly StoredAttempt[] },
): Static<typeof DeliveryResponse> {
  return { delivery: toDelivery(found), attempts: found.tried.map(toAttempt) };
}

/** The URL to which v1 events of an application are delivered, and their signature key. */
export const V1_SUBSCRIPTION = {
  body: Type.Object({ notification_url: about('The address to which v1 events are posted.', NotificationUrl) }),
  example: { body: { notification_url: 'http://localhost:3000/webhooks' } },
  response: Type.Object({
    notification_url: about('The address to which v1 events are posted.', Type.String()),
    signature_key: about('The key that signs v1 events.', Type.String()),
  }),
};

export function toV1Subscription({
  notificationUrl,
  signatureKey,
}: V1Subscription): Static<typeof V1_SUBSCRIPTION.response> {
  return { notification_url: notificationUrl, signature_key: signatureKey };
}
