/** The schemas and the view of orders for the pages of an online store. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Time, Type, text, wholeNumber } from '../../api/wire.js';
import { toJson } from '../../base/json.js';
import type { Amount } from '../../base/money.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import { printSeconds } from '../../base/time.js';
import { Address } from '../merchants/address.js';
import { MAX_LINES, MAX_RECEIPT_ITEMS } from '../receipts/model.js';
import type { NewOrder } from './checkout.js';
import { HISTORY_ACTIONS, ORDER_STATES, type Order } from './model.js';

const Email = Type.String({ maxLength: 255, pattern: '^[^@\\s]+@[^@\\s]+$', examples: ['ana@example.com'] });

export const PlaceOrderBody = Type.Object({
  id: about(
    'An id that the page chooses. A retry with the same id places no second order.',
    text(64, { minLength: 1 }),
  ),
  items: about(
    'What is ordered.',
    Type.Array(
      Type.Object({
        item_id: about('The item.', text(64, { minLength: 1 })),
        variation_id: about('The size or kind. Required if the item has several.', optional(text(64))),
        quantity: about('How many of it.', wholeNumber(1, 999)),
        modifier_option_ids: about(
          'What the shopper chose for each piece, of the modifier lists of the item.',
          optional(Type.Array(text(64, { minLength: 1 }), { maxItems: MAX_LINES })),
        ),
      }),
      { minItems: 1, maxItems: MAX_RECEIPT_ITEMS },
    ),
  ),
  recipient: about(
    'Who receives the order.',
    Type.Object({
      name: about('The name of the recipient.', text(255, { minLength: 1 })),
      phone_number: about('The phone number of the recipient.', optional(text(32))),
    }),
  ),
  shipping_address: about('Where the order is sent.', Address),
  buyer_email: about('The address for messages about the order.', Email),
  buyer_note: about('A note for the business.', optional(text(1000))),
  promo_code: about('A code that takes something off the price.', optional(text(64))),
});

export function readOrder(body: Static<typeof PlaceOrderBody>): NewOrder {
  return {
    clientId: body.id,
    request: new NormalizedRequest(body),
    items: body.items.map(({ item_id, variation_id, quantity, modifier_option_ids = [] }) => ({
      itemId: item_id,
      ...present({ variationId: variation_id }),
      count: quantity,
      optionIds: modifier_option_ids,
    })),
    promoCode: body.promo_code,
    buyer: {
      buyerEmail: body.buyer_email,
      recipientName: body.recipient.name,
      recipientPhoneNumber: body.recipient.phone_number ?? null,
      shippingAddress: toJson(body.shipping_address),
      buyerNote: body.buyer_note ?? null,
    },
  };
}

export const CheckoutOrder = model('CheckoutOrder', {
  id: about('The id of the order.', Type.String()),
  state: about('What has become of the order.', choice(ORDER_STATES)),
  created_at: about('When the order was placed.', Time),
  updated_at: about('When the order last changed.', Time),
  expires_at: about('When the order expires if it is not paid.', Time),
  subtotal_money: about('The prices of the items.', Money),
  shipping_money: about('What shipping costs.', Money),
  tax_money: about('The taxes.', Money),
  discount_money: about('What the promo code takes off.', Money),
  total_money: about('What the shopper pays.', Money),
  promo_code: about('The promo code. Absent without one.', optional(Type.String())),
  history: about(
    'What happened to the order, the first event first.',
    Type.Array(
      Type.Object({
        action: about('What happened.', choice(HISTORY_ACTIONS)),
        created_at: about('When it happened.', Time),
      }),
    ),
  ),
});

export function toCheckoutOrder(order: Order): Static<typeof CheckoutOrder> {
  const money = (value: Amount) => toMoney(value, order.currency);
  return {
    id: order.id,
    state: order.state,
    created_at: printSeconds(order.createdAt),
    updated_at: printSeconds(order.updatedAt),
    expires_at: printSeconds(order.expiresAt),
    subtotal_money: money(order.subtotal),
    shipping_money: money(order.shipping),
    tax_money: money(order.tax),
    discount_money: money(order.discount),
    total_money: money(order.total),
    ...present({ promo_code: order.promoCode }),
    history: order.history.map(({ action, createdAt }) => ({ action, created_at: printSeconds(createdAt) })),
  };
}
