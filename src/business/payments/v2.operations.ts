/** The six payment operations of v2. */
import { fromWireAmount } from '../../api/money.js';
import { type ApplicationContext, listOperation, type MerchantContext, operation } from '../../api/operation.js';
import { Printed } from '../../api/printed.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { fromUpdatedSinceQuery, resolveUpdatedSince, UPDATED_SINCE_FIELDS } from '../../api/updated-since.js';
import { about, model, Nothing, optional, type Static, Type, text, wholeNumber } from '../../api/wire.js';
import { notFound, Refusal } from '../../base/errors.js';
import { add, ZERO } from '../../base/money.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import type { ReceiptSite } from '../../base/receipt-url.js';
import { requireLocation } from '../../identity/locations.js';
import { newOrderId } from '../sales/model.js';
import {
  cancelPayment,
  cancelPaymentByKey,
  completePayment,
  createPayment,
  type NewPayment,
  replayHeaders,
} from './actions.js';
import { delayActionOf, isUsualDuration, requireDelay } from './delay-model.js';
import { lacksDetails, statementDescription, toDetails, toKnownCardDetails } from './details.js';
import { findPaymentJson, listPayments } from './json-queries.js';
import { minimumCharge, type Payment, requireAppFee } from './model.js';
import { toDeclineRefusal } from './outcomes.js';
import { CreatePaymentBody, printPaymentWithoutFee, V2Payment, writeWithAppFee } from './v2.view.js';

const PaymentResponse = model('PaymentResponse', { payment: about('The payment.', V2Payment) });

function siteOf({ merchant, publicUrl }: Pick<MerchantContext, 'merchant' | 'publicUrl'>): ReceiptSite {
  return { merchantId: merchant.id, publicUrl };
}

/** A payment that was created or changed just now. */
function printResponse(context: Pick<MerchantContext, 'merchant' | 'publicUrl'>, payment: Payment): Printed {
  return new Printed(`{"payment":${printPaymentWithoutFee(payment, siteOf(context))}}`);
}

/** Checks the input in a fixed order: amounts, fees, location, source, conflicting parameters, delay. */
function fromCreatePayment(
  { merchant, ids, now }: ApplicationContext,
  body: Static<typeof CreatePaymentBody>,
): NewPayment {
  const { currency } = merchant;
  const least = minimumCharge(currency);
  const amount = fromWireAmount(body.amount_money, { currency, field: 'amount_money', least });
  const tip = body.tip_money ? fromWireAmount(body.tip_money, { currency, field: 'tip_money', least: 0 }) : null;
  const appFee = body.app_fee_money
    ? fromWireAmount(body.app_fee_money, { currency, field: 'app_fee_money', least: 0 })
    : null;
  requireAppFee(appFee, add(amount, tip ?? ZERO));
  const locationId = body.location_id ?? merchant.locations[0]?.id ?? '';
  requireLocation(merchant, locationId, 'location_id');
  if (body.source_id.startsWith('ccof:') && body.customer_id === undefined) {
    throw new Refusal('MISSING_REQUIRED_PARAMETER', {
      field: 'customer_id',
      detail: 'customer_id is required with a card on file.',
    });
  }
  const autocomplete = body.autocomplete ?? true;
  const acceptPartial = body.accept_partial_authorization ?? false;
  if (autocomplete && acceptPartial) {
    throw new Refusal('CONFLICTING_PARAMETERS', {
      field: 'accept_partial_authorization',
      detail: 'accept_partial_authorization requires autocomplete to be false.',
    });
  }
  const delay = { createdAt: now, delayDuration: body.delay_duration ?? null, delayAction: body.delay_action ?? null };
  requireDelay(delay);
  // Not a literal that begins with a spread, which takes several microseconds (decision 0196).
  const normalized = Object.assign({}, body, {
    amount_money: amount,
    tip_money: tip ?? ZERO,
    app_fee_money: appFee ?? ZERO,
    location_id: locationId,
    autocomplete,
    accept_partial_authorization: acceptPartial,
    // Defaults are left out, because requests of earlier versions had no delay.
    delay_duration: isUsualDuration(delay) ? undefined : body.delay_duration,
    delay_action: delayActionOf(delay) === 'CANCEL' ? undefined : body.delay_action,
  });
  return {
    key: body.idempotency_key,
    request: new NormalizedRequest(normalized),
    sourceId: body.source_id,
    verificationToken: body.verification_token,
    acceptPartial,
    autocomplete,
    requested: {
      locationId,
      amount,
      tip,
      appFee,
      delayDuration: delay.delayDuration,
      delayAction: delay.delayAction,
      cardDetails: toKnownCardDetails({
        statementDescription: statementDescription(merchant.businessName, body.statement_description_identifier),
      }),
      details: toDetails({
        orderId: body.order_id ?? newOrderId(ids),
        referenceId: body.reference_id,
        customerId: body.customer_id,
        buyerEmail: body.buyer_email_address,
        billingAddress: body.billing_address,
        shippingAddress: body.shipping_address,
        note: body.note,
        statementDescriptionIdentifier: body.statement_description_identifier,
      }),
    },
  };
}

export const v2PaymentOperations = [
  operation({
    surface: 'v2',
    name: 'createPayment',
    method: 'POST',
    path: '/v2/payments',
    permission: writeWithAppFee,
    addsNoWork: true,
    summary: 'Charges a payment source. With autocomplete false, only authorizes the amount, to be captured later.',
    body: CreatePaymentBody,
    example: {
      body: {
        source_id: 'cnon:card-nonce-ok',
        idempotency_key: 'order-1042',
        amount_money: { amount: 1000, currency: 'USD' },
        tip_money: { amount: 150, currency: 'USD' },
        location_id: SAMPLE_IDS.location_id,
        reference_id: '1042',
        note: 'Two flat whites',
      },
    },
    response: PaymentResponse,
    async handle(context, { body }) {
      const input = fromCreatePayment(context, body);
      const result = await createPayment(context, input);
      const { created } = result;
      const headers = replayHeaders(result, ({ details }) => lacksDetails(input.requested.details, details));
      if (created.status === 'FAILED') {
        const payment = JSON.parse(printPaymentWithoutFee(created, siteOf(context)));
        throw toDeclineRefusal(created, { payment }, headers);
      }
      return { headers, body: printResponse(context, created) };
    },
  }),

  listOperation({
    surface: 'v2',
    name: 'listPayments',
    method: 'GET',
    path: '/v2/payments',
    permission: 'PAYMENTS_READ',
    summary: 'Lists payments, newest first by default.',
    page: { token: 'cursor', limit: { default: 100, max: 100, over: 'cap' }, keys: ['payments'] },
    query: Type.Object({
      ...UPDATED_SINCE_FIELDS,
      location_id: about('Only payments of this location.', optional(text())),
      total: about(
        'Only payments with this total, in the smallest unit of the currency.',
        optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
      ),
      last_4: about('Only payments with a card with these last four digits.', optional(text())),
      card_brand: about('Only payments with a card of this brand.', optional(text())),
    }),
    item: V2Payment,
    resolve: ({ now }, query) => resolveUpdatedSince(query, now),
    async handle(context, { query, page }) {
      const { json, next } = await listPayments(context.database.sql, {
        ...siteOf(context),
        locationId: query.location_id,
        total: query.total,
        last4: query.last_4,
        cardBrand: query.card_brand,
        ...fromUpdatedSinceQuery(query),
        page,
      });
      return { items: json ? [new Printed(json)] : [], next };
    },
  }),

  operation({
    surface: 'v2',
    name: 'cancelPaymentByIdempotencyKey',
    method: 'POST',
    path: '/v2/payments/cancel',
    permission: 'PAYMENTS_WRITE',
    summary: 'Cancels the payment that was created with an idempotency key. The key can be used again.',
    body: Type.Object({
      idempotency_key: about('The key with which the payment was created.', Type.String({ minLength: 1 })),
    }),
    example: { body: { idempotency_key: 'order-1043' } },
    response: Nothing,
    async handle(context, { body: { idempotency_key } }) {
      await cancelPaymentByKey(context, idempotency_key);
      return {};
    },
  }),

  operation({
    surface: 'v2',
    name: 'getPayment',
    method: 'GET',
    path: '/v2/payments/{payment_id}',
    permission: 'PAYMENTS_READ',
    summary: 'Returns one payment.',
    response: PaymentResponse,
    async handle(context, { params: { payment_id } }) {
      const payment = await findPaymentJson(context.database, { ...siteOf(context), paymentId: payment_id });
      if (payment === undefined) throw notFound('payment', payment_id);
      return new Printed(`{"payment":${payment}}`);
    },
  }),

  operation({
    surface: 'v2',
    name: 'cancelPayment',
    method: 'POST',
    path: '/v2/payments/{payment_id}/cancel',
    permission: 'PAYMENTS_WRITE',
    summary: 'Cancels a payment that was created with autocomplete false.',
    response: PaymentResponse,
    async handle(context, { params: { payment_id } }) {
      return printResponse(context, await cancelPayment(context, payment_id));
    },
  }),

  operation({
    surface: 'v2',
    name: 'completePayment',
    method: 'POST',
    path: '/v2/payments/{payment_id}/complete',
    permission: 'PAYMENTS_WRITE',
    addsNoWork: true,
    summary: 'Captures a payment that was created with autocomplete false.',
    body: Type.Object({
      version_token: about(
        'The version token of the payment that the caller has seen. If the payment has changed since then, it is not captured.',
        optional(text(64)),
      ),
    }),
    example: { body: {} },
    response: PaymentResponse,
    async handle(context, { params: { payment_id }, body: { version_token } }) {
      return printResponse(context, await completePayment(context, payment_id, version_token));
    },
  }),
];
