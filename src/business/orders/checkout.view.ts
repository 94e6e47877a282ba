/** The schemas and the view of orders for the pages of an online store. */
import { Money, toMoney } from '../../api/money.js';
import { choice, model, optional, present, type Static, Time, Type, text, wholeNumber } from '../../api/wire.js';
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
  id: text(64, { minLength: 1, description: 'Chosen by the page. A retry with the same id places no second order.' }),
  items: Type.Array(
    Type.Object({
      item_id: text(64, { minLength: 1 }),
      variation_id: optional(text(64, { description: 'Required if the item has several variations.' })),
      quantity: wholeNumber(1, 999),
      modifier_option_ids: optional(
        Type.Array(text(64, { minLength: 1 }), {
          maxItems: MAX_LINES,
          description: 'What the shopper chose for each piece, of the modifier lists of the item.',
        }),
      ),
    }),
    { minItems: 1, maxItems: MAX_RECEIPT_ITEMS },
  ),
  recipient: Type.Object({ name: text(255, { minLength: 1 }), phone_number: optional(text(32)) }),
  shipping_address: Address,
  buyer_email: Email,
  buyer_note: optional(text(1000)),
  promo_code: optional(text(64)),
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
  id: Type.String(),
  state: choice(ORDER_STATES),
  created_at: Time,
  updated_at: Time,
  expires_at: Time,
  subtotal_money: Money,
  shipping_money: Money,
  tax_money: Money,
  discount_money: Money,
  total_money: Money,
  promo_code: optional(Type.String()),
  history: Type.Array(Type.Object({ action: choice(HISTORY_ACTIONS), created_at: Time })),
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
