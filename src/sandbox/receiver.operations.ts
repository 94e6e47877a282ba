/** The webhook receiver that is built into a sandbox, for a developer who has none yet, and the check of a signature. */

import { registerApplication } from '../access/oauth/applications.js';
import { grantByOperator } from '../access/oauth/grants.js';
import { OPEN_BODY_BYTES } from '../api/body-limits.js';
import { operation } from '../api/operation.js';
import { about, Bool, optional, Type, text } from '../api/wire.js';
import { notFound, Refusal } from '../base/errors.js';
import { requireDelivery } from '../events/deliveries.js';
import { V2_EVENT_KINDS } from '../events/model.js';
import { checkSignature } from '../events/signature-check.js';
import { findSubscriptionKey, listSubscriptionsAbout } from '../events/subscription-queries.js';
import { createSubscription } from '../events/subscriptions.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { requireMerchant } from './actions.js';
import { ListedSubscription, toListedSubscription } from './directory.view.js';

const RECEIVER = '/api/sandbox/receiver';
const NAME = 'Built-in receiver';

/** The second one fails, to see what happens then. */
const RECEIVERS = ['accepting', 'failing'] as const;

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
    summary: 'Subscribes the built-in receiver to all events of a merchant, with an application of its own.',
    body: Type.Object({
      fails: about('Whether it fails, to see how messages are sent again. Default: false.', optional(Bool)),
    }),
    example: { body: { fails: false } },
    response: Type.Object({ subscription: about('The subscription of the receiver.', ListedSubscription) }),
    async handle(context, { params: { merchant_id }, body: { fails = false } }) {
      await requireMerchant(context, merchant_id);
      const { database } = context;
      const notificationUrl = `${context.localUrl()}${RECEIVER}/${fails ? 'failing' : 'accepting'}`;
      const find = async () =>
        (await listSubscriptionsAbout(database.sql, merchant_id)).find(
          (each) => each.notificationUrl === notificationUrl,
        );
      const known = await find();
      if (known) return { subscription: toListedSubscription(known) };
      const request = { name: NAME, clientType: 'CONFIDENTIAL' as const, redirectUrls: [], merchantId: null };
      const { application } = await registerApplication(context, request);
      const grant = { merchantId: merchant_id, applicationId: application.id, permissions: PERMISSIONS };
      await grantByOperator(database, grant, application.clientType);
      await createSubscription(
        context,
        { applicationId: application.id, merchantId: null, token: null },
        {
          key: undefined,
          name: NAME,
          enabled: true,
          eventTypes: V2_EVENT_KINDS,
          notificationUrl,
          apiVersion: undefined,
        },
      );
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
    async handle({ database }, { params: { merchant_id, delivery_id }, body: { signature } }) {
      const { subscriptionId, body } = await requireDelivery(database, merchant_id, delivery_id);
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
