/** The webhook receiver that is built into a sandbox, for a developer who has none yet, and the check of a signature. */

import { registerApplication } from '../access/oauth/applications.js';
import { grantByOperator } from '../access/oauth/grants.js';
import { OPEN_BODY_BYTES } from '../api/body-limits.js';
import { operation, type ServerContext } from '../api/operation.js';
import { about, Bool, optional, Type, text } from '../api/wire.js';
import { notFound, Refusal } from '../base/errors.js';
import { MAX_URL_LENGTH, requireNotificationUrl } from '../events/addresses.js';
import { requireDelivery } from '../events/deliveries.js';
import { V2_EVENT_KINDS } from '../events/model.js';
import { asSent } from '../events/sent-body.js';
import { checkSignature } from '../events/signature-check.js';
import { findSubscriptionKey, listSubscriptionsAbout } from '../events/subscription-queries.js';
import { createSubscription, type NewSubscription } from '../events/subscriptions.js';
import { V2EventType } from '../events/webhooks.view.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { requireMerchant } from './actions.js';
import { ListedSubscription, toListedSubscription } from './directory.view.js';

const RECEIVER = '/api/sandbox/receiver';
/** Of a subscription. That of an application may be longer. */
const MAX_NAME_LENGTH = 64;

/** The second one fails, to see what happens then. */
const RECEIVERS = ['accepting', 'failing'] as const;

/** An application that the merchant has authorized, and its subscription. */
async function subscribeNewApplication(
  context: ServerContext,
  merchantId: string,
  { name, ...receiver }: Pick<NewSubscription, 'name' | 'notificationUrl' | 'eventTypes'>,
): Promise<void> {
  const request = { name, clientType: 'CONFIDENTIAL' as const, redirectUrls: [], merchantId: null };
  const { application } = await registerApplication(context, request);
  const grant = { merchantId, applicationId: application.id, permissions: PERMISSIONS };
  await grantByOperator(context.database, grant, application.clientType);
  const scope = { applicationId: application.id, merchantId: null, token: null };
  const defaults = { key: undefined, enabled: true, apiVersion: undefined };
  await createSubscription(context, scope, { ...defaults, ...receiver, name: name.slice(0, MAX_NAME_LENGTH) });
}

export const sandboxReceiverOperations = [
  operation({
    surface: 'sandbox',
    name: 'receiveWebhook',
    method: 'POST',
    path: `${RECEIVER}/{receiver}`,
    permission: 'ANYONE',
    // Some events are longer than what people send where nobody is known.
    maxBodyBytes: 4 * OPEN_BODY_BYTES,
    summary: 'The built-in receiver of webhooks: `accepting` accepts every message, `failing` responds with 503.',
    response: Type.Object({ received: about('True: a failure is an error instead.', Bool) }),
    async handle(_context, { params: { receiver } }) {
      if (!RECEIVERS.some((name) => name === receiver)) throw notFound('receiver', receiver);
      if (receiver === 'failing') {
        throw new Refusal('SERVICE_UNAVAILABLE', { detail: 'This receiver accepts nothing.' });
      }
      return { received: true };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'openReceiver',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/receiver',
    permission: 'OPERATOR',
    summary:
      'Subscribes a receiver to events of a merchant, with an application of its own. Without an address: the built-in receiver.',
    body: Type.Object({
      fails: about(
        'Whether the built-in receiver fails, to see how messages are sent again. Default: false.',
        optional(Bool),
      ),
      notification_url: about(
        'The address of your receiver. Default: the built-in receiver.',
        optional(text(MAX_URL_LENGTH, { minLength: 1 })),
      ),
      event_types: about(
        'The kinds of events to deliver. Default: all.',
        optional(Type.Array(V2EventType, { minItems: 1, maxItems: 50 })),
      ),
    }),
    example: { body: { notification_url: 'http://localhost:3000/webhooks', event_types: ['payment.updated'] } },
    response: Type.Object({ subscription: about('The subscription of the receiver.', ListedSubscription) }),
    async handle(context, { params: { merchant_id }, body }) {
      const { fails = false, notification_url, event_types: eventTypes = V2_EVENT_KINDS } = body;
      await requireMerchant(context, merchant_id);
      const builtIn = `${context.localUrl()}${RECEIVER}/${fails ? 'failing' : 'accepting'}`;
      const notificationUrl = notification_url ?? builtIn;
      requireNotificationUrl(notificationUrl, context.reach, 'notification_url');
      const find = async () =>
        (await listSubscriptionsAbout(context.database.sql, merchant_id)).find(
          (each) => each.generation === 'v2' && each.notificationUrl === notificationUrl,
        );
      const known = await find();
      if (known) return { subscription: toListedSubscription(known) };
      const name =
        notification_url === undefined ? 'Built-in receiver' : `Receiver at ${new URL(notificationUrl).hostname}`;
      await subscribeNewApplication(context, merchant_id, { name, notificationUrl, eventTypes });
      const created = await find();
      if (!created) throw new Error('the subscription of the receiver was not found');
      return { subscription: toListedSubscription(created) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'checkSignature',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/webhook-deliveries/{delivery_id}/check-signature',
    permission: 'OPERATOR',
    summary: 'Compares a signature that a receiver computed with that of a delivery, and says what is different.',
    body: Type.Object({
      signature: about('The signature that the receiver computed.', text(512, { minLength: 1 })),
    }),
    example: { body: { signature: 'hdcmIvZ9F8kuQ5vXQ0N1nJ7E8jzjs7ZxWmVgW6g0b9k=' } },
    response: Type.Object({
      matches: about('Whether the signature is right.', Bool),
      finding: about('What is right or wrong with it.', Type.String()),
      notification_url: about('The address that is signed.', Type.String()),
      sha1: about('The header `X-Square-Signature` of the delivery.', Type.String()),
      sha256: about('The header `X-Square-HmacSha256-Signature` of the delivery.', Type.String()),
    }),
    async handle({ database, publicUrl }, { params: { merchant_id, delivery_id }, body: { signature } }) {
      const delivery = await requireDelivery(database, merchant_id, delivery_id);
      const { subscriptionId, body } = asSent(delivery, { merchantId: merchant_id, publicUrl });
      const signed = await findSubscriptionKey(database.sql, subscriptionId);
      if (!signed) throw notFound('subscription of the delivery', subscriptionId);
      const others = await listSubscriptionsAbout(database.sql, merchant_id);
      const otherKeys = others.filter(({ id }) => id !== subscriptionId);
      const checked = checkSignature(
        signature,
        { url: signed.notificationUrl, key: signed.signatureKey, body },
        otherKeys,
      );
      return { ...checked, notification_url: signed.notificationUrl };
    },
  }),
];
