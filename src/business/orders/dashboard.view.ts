/** The dashboard's view of online orders. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { type Amount, subtract, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { receiptSums } from '../figures/receipt.js';
import { RECEIPT_LINES, toReceiptLines } from '../figures/receipt.view.js';
import { Address } from '../merchants/address.view.js';
import { ReceiptModel, toReceipt } from '../paid-sales/dashboard.view.js';
import { FULFILLMENTS, HISTORY_ACTIONS, type Notes, ORDER_ACTIONS, ORDER_STATES, ORDER_TRANSITIONS } from './model.js';
import type { OwnerOrder, OwnerOrderDetail } from './queries.js';

const FIELDS = {
  id: about('The id of the order.', Type.String()),
  location_id: about('The location whose store sold it.', Type.String()),
  state: about('The state of the order.', choice(ORDER_STATES)),
  created_at: about('When the order was placed.', Time),
  updated_at: about('When the order last changed.', Time),
  expires_at: about('When the order expires if it is not paid.', Time),
  sale_id: about('The sale, once the order is paid.', optional(Type.String())),
  first_item: about('The name of its first item.', optional(Type.String())),
  item_count: about('How many lines the order has.', Type.Integer()),
  recipient_name: about('Who receives the order.', Type.String()),
  buyer_email_address: about('The address for messages about the order.', Type.String()),
  recipient_phone_number: about('The phone number of the recipient. Absent without one.', optional(Type.String())),
  total_money: about('What the shopper pays.', Money),
  refunded_money: about('What went back to the shopper.', Money),
  card_brand: about('The brand of the card. Absent until the order is paid.', optional(Type.String())),
  last_4: about('The last four digits of the card. Absent until the order is paid.', optional(Type.String())),
  tracking_number: about('The tracking number of the parcel. Absent without one.', optional(Type.String())),
  actions: about('What the owner can do in this state.', Type.Array(choice(ORDER_ACTIONS))),
};

export const DashboardOrder = model('DashboardOrder', FIELDS);

export const DashboardOrderDetail = model('DashboardOrderDetail', {
  ...FIELDS,
  subtotal_money: about('The prices of the items.', Money),
  shipping_money: about('What shipping costs.', Money),
  tax_money: about('The taxes.', Money),
  discount_money: about('What the promo code takes off.', Money),
  refundable_money: about('What can still be refunded.', Money),
  fulfillment: about('Whether the order is sent, or picked up at the location.', choice(FULFILLMENTS)),
  shipping_address: about('Where the order is sent, or picked up.', Address),
  buyer_note: about('The note of the shopper. Absent without one.', optional(Type.String())),
  promo_code: about('The promo code. Absent without one.', optional(Type.String())),
  completed_note: about('The note of the merchant on the completion. Absent without one.', optional(Type.String())),
  canceled_note: about('The note of the merchant on the cancellation. Absent without one.', optional(Type.String())),
  refunded_note: about('The note of the merchant on the refund. Absent without one.', optional(Type.String())),
  history: about(
    'What happened to the order, the first event first.',
    Type.Array(
      model('DashboardOrderHistoryEntry', {
        action: about('The step that the order took. `EXPIRED`: nobody paid in time.', choice(HISTORY_ACTIONS)),
        created_at: about('When it happened.', Time),
      }),
    ),
  ),
  receipt: about('What was ordered, with its sums.', ReceiptModel),
  ...RECEIPT_LINES,
});

export function toDashboardOrder(order: OwnerOrder): Static<typeof DashboardOrder> {
  const { tender, currency, state } = order;
  const isPaid = tender !== null && tender.capturedAt !== null;
  return {
    id: order.id,
    location_id: order.locationId,
    state,
    created_at: printSeconds(order.createdAt),
    updated_at: printSeconds(order.updatedAt),
    expires_at: printSeconds(order.expiresAt),
    item_count: order.itemCount,
    recipient_name: order.recipientName,
    buyer_email_address: order.buyerEmail,
    total_money: toMoney(order.total, currency),
    refunded_money: toMoney(tender?.refundedOrExchanged ?? ZERO, currency),
    actions: ORDER_ACTIONS.filter((action) => ORDER_TRANSITIONS[state][action] !== 'refused'),
    ...present({
      sale_id: isPaid ? order.saleId : null,
      first_item: order.firstItem,
      recipient_phone_number: order.recipientPhoneNumber,
      card_brand: tender?.cardBrand,
      last_4: tender?.last4,
      tracking_number: order.trackingNumber,
    }),
  };
}

export function toDashboardOrderDetail(order: OwnerOrderDetail): Static<typeof DashboardOrderDetail> {
  const { currency, tender } = order;
  const money = (value: Amount) => toMoney(value, currency);
  const isPaid = tender?.status === 'COMPLETED';
  return {
    ...toDashboardOrder(order),
    subtotal_money: money(order.subtotal),
    shipping_money: money(order.shipping),
    tax_money: money(order.tax),
    discount_money: money(order.discount),
    refundable_money: money(isPaid ? subtract(tender.total, tender.refundedOrExchanged) : ZERO),
    fulfillment: order.fulfillment,
    shipping_address: JSON.parse(order.shippingAddress),
    history: order.history.map(({ action, createdAt }) => ({ action, created_at: printSeconds(createdAt) })),
    receipt: toReceipt(order.receipt, [], currency),
    receipt_lines: toReceiptLines(receiptSums(order.receipt, ZERO), currency),
    ...present({
      buyer_note: order.buyerNote,
      promo_code: order.promoCode,
      completed_note: order.completedNote,
      canceled_note: order.canceledNote,
      refunded_note: order.refundedNote,
    }),
  };
}

export const UpdateOrderFields = Type.Object({
  action: about('What to do with the order.', choice(ORDER_ACTIONS)),
  tracking_number: about('The tracking number of the parcel, for `COMPLETE`.', optional(text())),
  note: about('A text for the shopper.', optional(text(1000))),
});

/** Each action has a note of its own. Only a completed order has a tracking number. */
export function fromUpdateOrderFields({ action, tracking_number, note }: Static<typeof UpdateOrderFields>): Notes {
  switch (action) {
    case 'COMPLETE':
      return { trackingNumber: tracking_number || undefined, completedNote: note || undefined };
    case 'CANCEL':
      return { canceledNote: note || undefined };
    case 'REFUND':
      return { refundedNote: note || undefined };
  }
}
