/** What the owner sees of a buyer's personal data (decision 0193). */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printQuantity } from '../../base/decimal.js';
import { printSeconds } from '../../base/time.js';
import { Address } from '../merchants/address.view.js';
import type { ShopperOrder } from '../orders/model.js';
import { V2Payment } from '../payments/v2.view.js';
import { PaymentRefund } from '../refunds/v2.view.js';

const BoughtItem = model('BuyerOrderItem', {
  name: about('What was bought.', Type.String()),
  quantity: about('How much of it.', Type.String()),
  total_money: about('What it cost.', Money),
});

export const BuyerOrder = model('BuyerOrder', {
  id: about('The id of the order.', Type.String()),
  state: about('The state of the order.', Type.String()),
  created_at: about('When the order was placed.', Time),
  total_money: about('What the order cost.', Money),
  line_items: about('What was bought.', optional(Type.Array(BoughtItem))),
  promo_code: about('The code that reduced the price. Absent without one.', optional(Type.String())),
  fulfillment: about('Whether it was shipped or picked up.', optional(choice(['SHIPMENT', 'PICKUP']))),
  buyer_email: about("The buyer's email address.", optional(Type.String())),
  recipient_name: about('Who received it.', optional(Type.String())),
  recipient_phone_number: about('The phone number of the recipient.', optional(Type.String())),
  shipping_address: about('Where it was sent.', optional(Address)),
  buyer_note: about("The buyer's note.", optional(Type.String())),
  tracking_number: about('The tracking number of the parcel.', optional(Type.String())),
  completed_note: about('The note of the seller when it was completed.', optional(Type.String())),
  canceled_note: about('The note of the seller when it was canceled.', optional(Type.String())),
  refunded_note: about('The note of the seller when it was refunded.', optional(Type.String())),
});

export function toBuyerOrder(order: ShopperOrder): Static<typeof BuyerOrder> {
  const { currency } = order;
  return {
    id: order.id,
    state: order.state,
    created_at: printSeconds(order.createdAt),
    total_money: toMoney(order.total, currency),
    line_items: order.receipt.items.map(({ name, quantity, total }) => ({
      name,
      quantity: printQuantity(quantity),
      total_money: toMoney(total, currency),
    })),
    ...present({
      promo_code: order.promoCode,
      fulfillment: order.fulfillment,
      buyer_email: order.buyerEmail,
      recipient_name: order.recipientName,
      recipient_phone_number: order.recipientPhoneNumber,
      shipping_address: JSON.parse(order.shippingAddress),
      buyer_note: order.buyerNote,
      tracking_number: order.trackingNumber,
      completed_note: order.completedNote,
      canceled_note: order.canceledNote,
      refunded_note: order.refundedNote,
    }),
  };
}

export const BuyerData = model('BuyerData', {
  orders: about('The orders with this address.', Type.Array(BuyerOrder)),
  payments: about('The payments of these orders, and those whose request had the address.', Type.Array(V2Payment)),
  refunds: about('The refunds of these payments.', Type.Array(PaymentRefund)),
});

export const ErasedBuyer = model('ErasedBuyer', {
  orders: about('How many orders had personal data of the buyer.', Type.Integer()),
  payments: about('How many payments had personal data of the buyer.', Type.Integer()),
  snapshot: about('Whether a snapshot of the business was deleted, because it had the data too.', Type.Boolean()),
});
