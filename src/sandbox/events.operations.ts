/** The operation of a sandbox that causes events, for `tillhouse trigger` and the console (decision 0084). */
import { operation } from '../api/operation.js';
import { about, choice, optional, Type, text } from '../api/wire.js';
import { CreatePaymentBody } from '../business/payments/v2.view.js';
import { RefundPaymentBody } from '../business/refunds/v2.view.js';
import { listDeliveries } from '../events/delivery-queries.js';
import { CAUSED_KINDS } from '../events/model.js';
import { requireMerchant } from './actions.js';
import { type CauseContext, createCauseToken, EVENT_CAUSES } from './event-causes.js';
import { type Settable, toSettings } from './event-settings.js';

const Kind = choice(CAUSED_KINDS);
const MAX_EVENTS = 20;
const SETTABLE: Settable = {
  payment: Object.keys(CreatePaymentBody.properties),
  refund: Object.keys(RefundPaymentBody.properties).filter((name) => name !== 'payment_id'),
};
/** More than the deliveries of one event, whose subscriptions are limited. */
const NEWEST = { limit: 200, after: undefined };

export const sandboxEventOperations = [
  operation({
    surface: 'sandbox',
    name: 'causeEvents',
    method: 'POST',
    path: '/api/sandbox/merchants/{merchant_id}/events',
    permission: 'OPERATOR',
    summary: 'Causes events by what makes them happen: payments, refunds, timecards, revoked authorizations. In order.',
    body: Type.Object({
      events: about(
        'The events to cause, one after the other.',
        Type.Array(
          Type.Object({
            kind: about('The kind of event.', Kind),
            set: about(
              'Values of the event by their places, such as `payment.amount_money.amount`. Only what a request for the payment or the refund takes.',
              optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
            ),
          }),
          { minItems: 1, maxItems: MAX_EVENTS },
        ),
      ),
      application_id: about(
        'The application whose authorization is revoked, for `oauth.authorization.revoked`. Default: a new one.',
        optional(text(191, { minLength: 1 })),
      ),
    }),
    example: { body: { events: [{ kind: 'payment.created', set: { 'payment.amount_money.amount': 500 } }] } },
    response: Type.Object({
      events: about(
        'The events, in the same order.',
        Type.Array(
          Type.Object({
            event_type: about('The kind of event.', Kind),
            made: about('The ids of the records that were made, by their names.', Type.Record(Type.String())),
            event_ids: about('The ids of the events. None if nobody subscribed to them.', Type.Array(Type.String())),
            subscriptions: about('How many subscriptions get the event.', Type.Integer()),
          }),
        ),
      ),
    }),
    async handle(context, { params: { merchant_id }, body }) {
      const merchant = await requireMerchant(context, merchant_id);
      const wanted = body.events.map(({ kind, set = {} }) => ({ kind, settings: toSettings(kind, set, SETTABLE) })); // all, before the first
      const token = await createCauseToken(context, merchant_id);
      const events = [];
      for (const { kind, settings } of wanted) {
        const cause = { server: context, merchant, token, applicationId: body.application_id, settings } as const;
        events.push(await causeEvent(kind, cause));
      }
      return { events };
    },
  }),
];

async function causeEvent(kind: (typeof CAUSED_KINDS)[number], context: CauseContext) {
  const { sql } = context.server.database;
  const newest = async () =>
    (await listDeliveries(sql, { merchantId: context.merchant.id, state: undefined, page: NEWEST })).items;
  const before = new Set((await newest()).map(({ id }) => id));
  const made = await EVENT_CAUSES[kind](context);
  const about = new Set(Object.values(made));
  const deliveries = (await newest()).filter(
    (each) =>
      each.kind === kind &&
      !before.has(each.id) &&
      (kind === 'oauth.authorization.revoked' || about.has(each.entityId)),
  );
  const event_ids = [...new Set(deliveries.map(({ eventId }) => eventId))];
  return { event_type: kind, made: { ...made }, event_ids, subscriptions: deliveries.length };
}
