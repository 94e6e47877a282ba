/** The refunds of the owner: what a refund would return, and making it. */
import { toMoney } from '../../api/money.js';
import { operation } from '../../api/operation.js';
import { about, Type } from '../../api/wire.js';
import { quantityAsNumber } from '../../base/decimal.js';
import { add } from '../../base/money.js';
import { printMilliseconds } from '../../base/time.js';
import { replayHeaders } from '../payments/actions.js';
import {
  DashboardRefund,
  fromQuoteRefundBody,
  fromRefundSaleBody,
  QuoteRefundBody,
  RefundQuote,
  RefundSaleBody,
  toDashboardRefund,
  toRefundPayer,
} from './dashboard.view.js';
import type { OwnerRefundRecord } from './model.js';
import { disputesOf, quoteOwnerRefund, refundSaleByOwner } from './owner-refunds.js';

export const dashboardRefundOperations = [
  operation({
    surface: 'dashboard',
    name: 'quoteRefund',
    method: 'POST',
    path: '/api/dashboard/sales/{sale_id}/refund-quotes',
    permission: 'OWNER',
    summary: 'Computes what a refund would return, with taxes and discounts, and to which tenders. Changes nothing.',
    body: QuoteRefundBody,
    example: { body: { type: 'ITEMS', items: [{ line: 0, quantity: '1' }] } },
    response: RefundQuote,
    async handle(context, { params: { sale_id }, body }) {
      const { currency } = context.merchant;
      const part = fromQuoteRefundBody(body, currency);
      const found = await quoteOwnerRefund(context, { saleId: sale_id, tenderId: body.tender_id, part });
      const { parts, priced } = found;
      return {
        amount_money: toMoney(add(...parts.map(({ part: amount }) => amount)), currency),
        tenders: parts.map(({ payment, part: amount, payer }) => ({
          tender_id: payment.id,
          amount_money: toMoney(amount, currency),
          ...(payer && { returned_to: toRefundPayer(payer.payment) }),
        })),
        items: (priced?.items ?? []).map(({ line, quantity, amount }) => ({
          line,
          quantity: quantityAsNumber(quantity),
          amount_money: toMoney(amount, currency),
        })),
        disputes: disputesOf(found).map(({ id, tenderId, amount, placedAt }) => ({
          id,
          tender_id: tenderId,
          amount_money: toMoney(amount, currency),
          placed_at: printMilliseconds(placedAt),
        })),
      };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'refundSale',
    method: 'POST',
    path: '/api/dashboard/sales/{sale_id}/refunds',
    permission: 'OWNER',
    summary: 'Refunds a sale: all that is left of it or of one tender, an amount of one tender, or items.',
    body: RefundSaleBody,
    example: {
      body: {
        idempotency_key: 'refund-1042',
        type: 'WHOLE',
        amount_money: { amount: 1077, currency: 'USD' },
        reason: 'Cold coffee',
      },
    },
    response: Type.Object({
      refunds: about('A refund for each tender that gave money back.', Type.Array(DashboardRefund)),
    }),
    async handle(context, { params: { sale_id }, body }) {
      const input = fromRefundSaleBody(body, sale_id, context.merchant.currency);
      const refunded = await refundSaleByOwner(context, input);
      const lackReason = (refunds: readonly OwnerRefundRecord[]) =>
        input.reason !== null && refunds.some(({ reason }) => reason === null);
      return {
        headers: replayHeaders(refunded, lackReason),
        body: { refunds: refunded.created.map(toDashboardRefund) },
      };
    },
  }),
];
