/** The three refund operations of v2. */
import { fromWireAmount } from '../../api/money.js';
import { listOperation, operation } from '../../api/operation.js';
import { Printed } from '../../api/printed.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { fromUpdatedSinceQuery, resolveUpdatedSince, UPDATED_SINCE_FIELDS } from '../../api/updated-since.js';
import { about, choice, model, optional, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import { replayHeaders } from '../payments/actions.js';
import { writeWithAppFee } from '../payments/v2.view.js';
import { refundPayment } from './actions.js';
import type { PrintableRefund } from './model.js';
import { findShownRefund, listRefunds } from './queries.js';
import { PaymentRefund, printRefund, RefundPaymentBody, RefundStatusSchema } from './v2.view.js';

const RefundResponse = model('RefundResponse', { refund: about('The refund.', PaymentRefund) });

function printResponse(refund: PrintableRefund): Printed {
  return new Printed(`{"refund":${printRefund(refund)}}`);
}

export const v2RefundOperations = [
  operation({
    surface: 'v2',
    name: 'refundPayment',
    method: 'POST',
    path: '/v2/refunds',
    permission: writeWithAppFee,
    summary: 'Refunds a payment in full or in part.',
    body: RefundPaymentBody,
    example: {
      body: {
        idempotency_key: 'refund-1042',
        payment_id: SAMPLE_IDS.payment_id,
        amount_money: { amount: 400, currency: 'USD' },
        reason: 'Cold coffee',
      },
    },
    response: RefundResponse,
    async handle(context, { body }) {
      const { currency } = context.merchant;
      const amount = fromWireAmount(body.amount_money, { currency, field: 'amount_money', least: 1 });
      const appFee = body.app_fee_money
        ? fromWireAmount(body.app_fee_money, { currency, field: 'app_fee_money', least: 0 })
        : null;
      const result = await refundPayment(context, {
        key: body.idempotency_key,
        request: new NormalizedRequest({ ...body, amount_money: amount, app_fee_money: appFee }),
        paymentId: body.payment_id,
        amount,
        appFee,
        reason: body.reason ?? null,
        versionToken: body.payment_version_token,
      });
      const lacksReason = ({ reason }: PrintableRefund) => body.reason !== undefined && reason === null;
      return { headers: replayHeaders(result, lacksReason), body: printResponse(result.created) };
    },
  }),

  listOperation({
    surface: 'v2',
    name: 'listPaymentRefunds',
    method: 'GET',
    path: '/v2/refunds',
    permission: 'PAYMENTS_READ',
    summary: 'Lists refunds, newest first by default.',
    page: { token: 'cursor', limit: { default: 100, max: 100, over: 'cap' }, keys: ['refunds'] },
    query: Type.Object({
      ...UPDATED_SINCE_FIELDS,
      location_id: about('Only refunds of this location.', optional(text())),
      status: about('Only refunds with this status.', optional(RefundStatusSchema)),
      source_type: about('Only refunds of payments that were made this way.', optional(choice(['CARD']))),
    }),
    item: PaymentRefund,
    resolve: ({ now }, query) => resolveUpdatedSince(query, now),
    async handle({ database, merchant }, { query, page }) {
      const { items, next } = await listRefunds(database.sql, {
        merchantId: merchant.id,
        locationId: query.location_id,
        status: query.status,
        ...fromUpdatedSinceQuery(query),
        page,
      });
      return { items: items.map((refund) => new Printed(printRefund(refund))), next };
    },
  }),

  operation({
    surface: 'v2',
    name: 'getPaymentRefund',
    method: 'GET',
    path: '/v2/refunds/{refund_id}',
    permission: 'PAYMENTS_READ',
    summary: 'Returns one refund.',
    response: RefundResponse,
    async handle({ database, merchant }, { params: { refund_id } }) {
      const refund = await findShownRefund(database.sql, merchant.id, refund_id);
      if (!refund) throw notFound('refund', refund_id);
      return printResponse(refund);
    },
  }),
];
