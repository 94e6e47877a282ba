/** Sandbox operations on settlements: fail a settlement, hold and release disputed money, adjust a balance. */
import { fromWireAmount, Money, toMoney, WireAmount } from '../api/money.js';
import { operation, type ServerContext } from '../api/operation.js';
import { SAMPLE_IDS } from '../api/sample-ids.js';
import { about, model, optional, type Static, Time, Type } from '../api/wire.js';
import { nowOn } from '../base/clock.js';
import { printMilliseconds } from '../base/time.js';
import { placeHold, releaseHold } from '../business/holds/actions.js';
import type { Hold } from '../business/holds/model.js';
import type { Merchant } from '../business/merchants/model.js';
import { adjustBalance, failSettlement } from '../business/settlements/actions.js';
import {
  AdjustmentResponse,
  fromNewAdjustmentBody,
  NewAdjustmentBody,
  toAdjustmentResponse,
} from '../business/settlements/adjustments.view.js';
import { toV1Settlement, V1Settlement } from '../business/settlements/v1.view.js';
import { requireLocationInBody } from '../identity/locations.js';
import { requireMerchant, requireMerchantWithLocations } from './actions.js';

const MERCHANT = '/api/sandbox/merchants/{merchant_id}';
const HOLD = `${MERCHANT}/payments/{payment_id}/hold` as const;

const PaymentHold = model('PaymentHold', {
  id: about('The id of the hold.', Type.String()),
  payment_id: about('The disputed payment.', Type.String()),
  amount_money: about('The money that is kept back from settlements.', Money),
  placed_at: about('When the money was held.', Time),
  released_at: about('When it was released. Absent while it is held.', optional(Time)),
});
const HoldResponse = Type.Object({ hold: about('The hold after the change.', PaymentHold) });

function toHoldResponse(hold: Hold, currency: string): Static<typeof HoldResponse> {
  const { id, paymentId, amount, placedAt, releasedAt } = hold;
  return {
    hold: {
      id,
      payment_id: paymentId,
      amount_money: toMoney(amount, currency),
      placed_at: printMilliseconds(placedAt),
      ...(releasedAt !== null && { released_at: printMilliseconds(releasedAt) }),
    },
  };
}

async function openMerchantBooks(context: ServerContext, merchantId: string) {
  return booksOf(context, await requireMerchant(context, merchantId));
}

function booksOf({ database, ids }: ServerContext, { id: merchantId, clock, currency }: Merchant) {
  return { books: { database, merchantId, ids, now: nowOn(clock) }, currency };
}

export const sandboxSettlementOperations = [
  operation({
    surface: 'sandbox',
    name: 'failSettlement',
    method: 'POST',
    path: `${MERCHANT}/settlements/{settlement_id}/fail`,
    permission: 'OPERATOR',
    summary: 'Makes the bank reject a settlement; its amount is part of the next one.',
    response: Type.Object({ settlement: about('The settlement, with the status FAILED.', V1Settlement) }),
    async handle(context, { params: { merchant_id, settlement_id } }) {
      const { books } = await openMerchantBooks(context, merchant_id);
      return { settlement: toV1Settlement(await failSettlement(books, settlement_id)) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'placeHold',
    method: 'POST',
    path: HOLD,
    permission: 'OPERATOR',
    summary: 'Opens a dispute of a payment: the given amount, or the whole remaining amount, is held.',
    body: Type.Object({
      amount_money: about('The amount to hold. Default: what is left of the payment.', optional(WireAmount)),
    }),
    example: { body: {} },
    response: HoldResponse,
    async handle(context, { params: { merchant_id, payment_id }, body: { amount_money } }) {
      const { books, currency } = await openMerchantBooks(context, merchant_id);
      const amount = amount_money && fromWireAmount(amount_money, { currency, field: 'amount_money', least: 1 });
      return toHoldResponse(await placeHold({ ...books, paymentId: payment_id }, amount), currency);
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'releaseHold',
    method: 'DELETE',
    path: HOLD,
    permission: 'OPERATOR',
    summary: 'Ends the dispute of a payment: the held amount is owed again.',
    response: HoldResponse,
    async handle(context, { params: { merchant_id, payment_id } }) {
      const { books, currency } = await openMerchantBooks(context, merchant_id);
      return toHoldResponse(await releaseHold({ ...books, paymentId: payment_id }), currency);
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'adjustBalance',
    method: 'POST',
    path: `${MERCHANT}/adjustments`,
    permission: 'OPERATOR',
    summary: 'Increases or reduces the amount that a merchant is owed at a location, with a reason.',
    body: NewAdjustmentBody,
    example: {
      body: {
        idempotency_key: 'adjustment-1',
        location_id: SAMPLE_IDS.location_id,
        amount_money: { amount: 500 },
        reason: 'Rent of a card reader, paid back',
      },
    },
    response: AdjustmentResponse,
    async handle(context, { params: { merchant_id }, body }) {
      const found = await requireMerchantWithLocations(context, merchant_id);
      const { books, currency } = booksOf(context, found.merchant);
      requireLocationInBody(found, body.location_id, 'location_id');
      return toAdjustmentResponse(
        await adjustBalance(books, fromNewAdjustmentBody(body, { currency, madeBy: 'OPERATOR' })),
      );
    },
  }),
];
