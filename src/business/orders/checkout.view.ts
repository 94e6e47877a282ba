/** The schemas and the view of orders for the pages of an online store. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Time, Type, text, wholeNumber } from '../../api/wire.js';
import { quantityAsNumber } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import { toJson } from '../../base/json.js';
import { type Amount, ZERO } from '../../base/money.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import type { PostalAddress } from '../../base/postal-address.js';
import { type ReceiptSite, receiptLink } from '../../base/receipt-url.js';
import { printSeconds } from '../../base/time.js';
import { receiptSums } from '../figures/receipt.js';
import { RECEIPT_LINES, toReceiptLines } from '../figures/receipt.view.js';
import { Address } from '../merchants/address.view.js';
import {
  MAX_LINES,
  MAX_RECEIPT_ITEMS,
  ONLY_VARIATION,
  priceOf,
  type Receipt,
  type ReceiptItem,
} from '../receipts/model.js';
import type { NewOrder } from './checkout.js';
import { FULFILLMENTS, HISTORY_ACTIONS, ORDER_STATES, type ShopperOrder } from './model.js';
import type { PricedRequest } from './placing.js';

const Email = Type.String({ maxLength: 255, pattern: '^[^@\\s]+@[^@\\s]+$', examples: ['ana@example.com'] });

/** What the price of an order depends on. */
export const PriceBody = Type.Object({
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
  fulfillment: about(
    'Whether the order is sent, or picked up at the location. Default: `SHIPMENT`.',
    optional(choice(FULFILLMENTS)),
  ),
  promo_code: about('A code that takes something off the price.', optional(text(64))),
});

export const PlaceOrderBody = Type.Object({
  id: about(
    'An id that the page chooses. A retry with the same id places no second order.',
    text(64, { minLength: 1 }),
  ),
  ...PriceBody.properties,
  recipient: about(
    'Who receives the order.',
    Type.Object({
      name: about('The name of the recipient.', text(255, { minLength: 1 })),
      phone_number: about('The phone number of the recipient.', optional(text(32))),
    }),
  ),
  shipping_address: about(
    'Where the order is sent. Required for `SHIPMENT`, and not allowed for `PICKUP`.',
    optional(Address),
  ),
  buyer_email: about('The address for messages about the order.', Email),
  buyer_note: about('A note for the business.', optional(text(1000))),
});

export function fromPriceBody(body: Static<typeof PriceBody>): PricedRequest {
  return {
    items: body.items.map(({ item_id, variation_id, quantity, modifier_option_ids = [] }) => ({
      itemId: item_id,
      ...present({ variationId: variation_id }),
      count: quantity,
      optionIds: modifier_option_ids,
    })),
    promoCode: body.promo_code,
    fulfillment: body.fulfillment ?? 'SHIPMENT',
  };
}

export function fromPlaceOrderBody(body: Static<typeof PlaceOrderBody>): NewOrder {
  const priced = fromPriceBody(body);
  return {
    ...priced,
    clientId: body.id,
    request: new NormalizedRequest(body),
    shippingAddress: requireShippingAddress(priced, body.shipping_address),
    buyer: {
      buyerEmail: body.buyer_email,
      recipientName: body.recipient.name,
      recipientPhoneNumber: body.recipient.phone_number ?? null,
      buyerNote: body.buyer_note ?? null,
    },
  };
}

function requireShippingAddress(
  { fulfillment }: PricedRequest,
  address: PostalAddress | undefined,
): NewOrder['shippingAddress'] {
  const field = 'shipping_address';
  if (fulfillment === 'SHIPMENT') {
    if (address) return toJson(address);
    throw new Refusal('MISSING_REQUIRED_PARAMETER', { field, detail: `${field} is required.` });
  }
  if (!address) return undefined;
  throw new Refusal('INVALID_VALUE', { field, detail: `${field} is not allowed with the fulfillment PICKUP.` });
}

/** What an order would cost. */
export const OrderPrice = model('CheckoutPrice', {
  subtotal_money: about('The prices of the items.', Money),
  shipping_money: about('What shipping costs.', Money),
  tax_money: about('The taxes.', Money),
  discount_money: about('What the promo code takes off.', Money),
  total_money: about('What the shopper pays.', Money),
  ...RECEIPT_LINES,
});

export function toOrderPrice(receipt: Receipt, currency: string) {
  const { gross, surcharge, tax, discount, due } = receipt;
  return {
    subtotal_money: toMoney(gross, currency),
    shipping_money: toMoney(surcharge, currency),
    tax_money: toMoney(tax, currency),
    discount_money: toMoney(discount, currency),
    total_money: toMoney(due, currency),
    receipt_lines: toReceiptLines(receiptSums(receipt, ZERO), currency),
  };
}

const CheckoutLine = model('CheckoutLine', {
  name: about('The name of the item.', Type.String()),
  variation_name: about('The size or kind. Absent if the item has only one.', optional(Type.String())),
  quantity: about('How many of it.', Type.Integer()),
  modifiers: about('What the shopper chose for each piece.', Type.Array(Type.String())),
  total_money: about('The price of the whole quantity, before discounts and additive taxes.', Money),
});

function toLine(item: ReceiptItem, currency: string): Static<typeof CheckoutLine> {
  const { name, variationName, modifiers, quantity } = item;
  return {
    name,
    ...(variationName !== ONLY_VARIATION && present({ variation_name: variationName })),
    quantity: quantityAsNumber(quantity),
    modifiers: modifiers.map((modifier) => modifier.name),
    total_money: toMoney(priceOf(item), currency),
  };
}

export const CheckoutOrder = model('CheckoutOrder', {
  id: about('The id of the order.', Type.String()),
  state: about('The state of the order.', choice(ORDER_STATES)),
  created_at: about('When the order was placed.', Time),
  updated_at: about('When the order last changed.', Time),
  expires_at: about('When the order expires if it is not paid.', Time),
  subtotal_money: about('The prices of the items.', Money),
  shipping_money: about('What shipping costs.', Money),
  tax_money: about('The taxes.', Money),
  discount_money: about('What the promo code takes off.', Money),
  total_money: about('What the shopper pays.', Money),
  ...RECEIPT_LINES,
  promo_code: about('The promo code. Absent without one.', optional(Type.String())),
  items: about('What was ordered.', Type.Array(CheckoutLine)),
  fulfillment: about('Whether the order is sent, or picked up at the location.', choice(FULFILLMENTS)),
  recipient_name: about('Who receives the order.', Type.String()),
  shipping_address: about('Where the order is sent, or picked up.', Address),
  tracking_number: about('The tracking number of the parcel. Absent without one.', optional(Type.String())),
  note: about('What the business said when it completed, canceled or refunded the order.', optional(Type.String())),
  card_brand: about('The brand of the card. Absent until the order is paid.', optional(Type.String())),
  last_4: about('The last four digits of the card. Absent until the order is paid.', optional(Type.String())),
  refunded_money: about('What went back to the shopper.', Money),
  receipt_url: about('The page with the receipt. Absent until the order is paid.', optional(Type.String())),
  history: about(
    'What happened to the order, the first event first.',
    Type.Array(
      Type.Object({
        action: about('The step that the order took. `EXPIRED`: nobody paid in time.', choice(HISTORY_ACTIONS)),
        created_at: about('When it happened.', Time),
      }),
    ),
  ),
});

export function toCheckoutOrder(order: ShopperOrder, site: ReceiptSite): Static<typeof CheckoutOrder> {
  const { receipt, currency, tender } = order;
  const money = (value: Amount) => toMoney(value, currency);
  const paid = tender !== null && tender.capturedAt !== null ? tender : undefined;
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
    receipt_lines: toReceiptLines(receiptSums(receipt, ZERO), currency),
    items: receipt.items.map((item) => toLine(item, currency)),
    fulfillment: order.fulfillment,
    recipient_name: order.recipientName,
    shipping_address: JSON.parse(order.shippingAddress),
    refunded_money: money(tender?.refundedOrExchanged ?? ZERO),
    ...present({
      promo_code: order.promoCode,
      tracking_number: order.trackingNumber,
      note: order.refundedNote ?? order.canceledNote ?? order.completedNote,
      card_brand: paid?.cardBrand,
      last_4: paid?.last4,
      receipt_url: paid && receiptLink(site, paid.id),
    }),
    history: order.history.map(({ action, createdAt }) => ({ action, created_at: printSeconds(createdAt) })),
  };
}
