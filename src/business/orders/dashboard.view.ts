/** The dashboard's view of online orders. */
import { Money, toMoney } from '../../api/money.js';
import { choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { type Amount, subtract, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { Address } from '../merchants/address.js';
import { ReceiptModel, toReceipt } from '../paid-sales/dashboard.view.js';
import { HISTORY_ACTIONS, type Notes, ORDER_ACTIONS, ORDER_STATES, ORDER_TRANSITIONS } from './model.js';
import type { OwnerOrder, OwnerOrderDetail } from './queries.js';

const FIELDS = {
  id: Type.String(),
  location_id: Type.String(),
  state: choice(ORDER_STATES),
  created_at: Time,
  updated_at: Time,
  expires_at: Time,
  /** The sale, once the order is paid. */
  sale_id: optional(Type.String()),
  first_item: optional(Type.String()),
  item_count: Type.Integer(),
  recipient_name: Type.String(),
  buyer_email_address: Type.String(),
  recipient_phone_number: optional(Type.String()),
  total_money: Money,
  refunded_money: Money,
  card_brand: optional(Type.String()),
  last_4: optional(Type.String()),
  tracking_number: optional(Type.String()),
  /** What the owner can do in this state. */
  actions: Type.Array(choice(ORDER_ACTIONS)),
};

export const DashboardOrder = model('DashboardOrder', FIELDS);

export const DashboardOrderDetail = model('DashboardOrderDetail', {
  ...FIELDS,
  subtotal_money: Money,
  shipping_money: Money,
  tax_money: Money,
  discount_money: Money,
  refundable_money: Money,
  shipping_address: Address,
  buyer_note: optional(Type.String()),
  promo_code: optional(Type.String()),
  completed_note: optional(Type.String()),
  canceled_note: optional(Type.String()),
  refunded_note: optional(Type.String()),
  history: Type.Array(model('DashboardOrderHistoryEntry', { action: choice(HISTORY_ACTIONS), created_at: Time })),
  receipt: ReceiptModel,
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
    shipping_address: JSON.parse(order.shippingAddress),
    history: order.history.map(({ action, createdAt }) => ({ action, created_at: printSeconds(createdAt) })),
    receipt: toReceipt(order.receipt, [], currency),
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
  action: choice(ORDER_ACTIONS),
  tracking_number: optional(text()),
  note: optional(text(1000)),
});

/** Each action has a note of its own. Only a completed order has a tracking number. */
export function readOrderNotes({ action, tracking_number, note }: Static<typeof UpdateOrderFields>): Notes {
  switch (action) {
    case 'COMPLETE':
      return { trackingNumber: tracking_number || undefined, completedNote: note || undefined };
    case 'CANCEL':
      return { canceledNote: note || undefined };
    case 'REFUND':
      return { refundedNote: note || undefined };
  }
}
