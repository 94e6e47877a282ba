/** The two refund operations of v1. */
import { LARGEST_BODY_BYTES } from '../../api/body-limits.js';
import { oneYearAtMost } from '../../api/defaults.js';
import { listOperation, operation } from '../../api/operation.js';
import { Printed } from '../../api/printed.js';
import { parseRange } from '../../api/ranges.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, Bool, optional, type Static, Time, Type, V1SortOrder } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { type Amount, amount } from '../../base/money.js';
import { requireLocationOrMe } from '../../identity/locations.js';
import { replayHeaders } from '../payments/actions.js';
import { createRefund } from './actions.js';
import { listSaleRefunds } from './sale-refund-queries.js';
import { CreateRefundBody, printV1Refund, V1Refund } from './v1.view.js';

/** v1 sends a negative amount (contract 19). The amount of a FULL refund is ignored. */
function fromRefundedMoney(
  { type, refunded_money: money }: Static<typeof CreateRefundBody>,
  currency: string,
): Amount | undefined {
  if (type === 'FULL' || !money) return undefined;
  const refuse = (detail: string) => new Refusal('INVALID_VALUE', { field: 'refunded_money', detail });
  if (money.amount >= 0) throw refuse(`refunded_money.amount is ${money.amount}, but must be negative.`);
  if (money.currency_code !== undefined && money.currency_code !== currency) {
    throw refuse(
      `refunded_money.currency_code is ${money.currency_code}, but this merchant's currency is ${currency}.`,
    );
  }
  return amount(-money.amount);
}

export const v1RefundOperations = [
  operation({
    surface: 'v1',
    name: 'createRefund',
    method: 'POST',
    path: '/v1/{location_id}/refunds',
    permission: 'PAYMENTS_WRITE',
    maxBodyBytes: LARGEST_BODY_BYTES,
    summary: 'Refunds a payment or one of its tenders.',
    body: CreateRefundBody,
    example: {
      body: {
        payment_id: SAMPLE_IDS.payment_id,
        type: 'PARTIAL',
        refunded_money: { amount: -250, currency_code: 'USD' },
        reason: 'Cold coffee',
        request_idempotence_key: 'refund-of-order-1042',
      },
    },
    response: V1Refund,
    async handle(context, { params: { location_id }, body }) {
      const refunded = await createRefund(context, {
        paymentId: body.payment_id,
        locationId: requireLocationOrMe(context.merchant, location_id),
        type: body.type,
        amount: fromRefundedMoney(body, context.merchant.currency),
        reason: body.reason,
        key: body.request_idempotence_key,
      });
      return {
        headers: replayHeaders(refunded, ({ reason }) => reason === null),
        body: new Printed(printV1Refund(refunded.created)),
      };
    },
  }),

  listOperation({
    surface: 'v1',
    name: 'listRefunds',
    method: 'GET',
    path: '/v1/{location_id}/refunds',
    permission: 'PAYMENTS_READ',
    summary: 'Lists the refunds of a location, or with `me` of all locations.',
    page: { token: 'batch_token', limit: { default: 100, max: 200, over: 'refuse' } },
    query: Type.Object({
      order: about('The order of the refunds by time.', V1SortOrder),
      begin_time: about('Only refunds since this time. Ascending lists include the time itself.', optional(Time)),
      end_time: about('Only refunds until this time. Descending lists include the time itself.', optional(Time)),
      include_partial: about('Whether refunds of sales that are not paid in full are listed too.', optional(Bool)),
    }),
    item: V1Refund,
    resolve: ({ now }, query) => oneYearAtMost(query, now),
    async handle({ database, merchant }, { params: { location_id }, query, page }) {
      const { items, next } = await listSaleRefunds(database.sql, {
        merchantId: merchant.id,
        locationId: requireLocationOrMe(merchant, location_id),
        includePartial: query.include_partial ?? false,
        created: parseRange(query, 'begin_time', 'end_time'),
        order: query.order ?? 'ASC',
        page,
      });
      return { items: items.map((refund) => new Printed(printV1Refund(refund))), next };
    },
  }),
];
