/** Orders in v1: their schemas, and what prints them as JSON text, so that their tenders are printed like those of all sales. */
import { printV1Money, V1Money } from '../../api/money.js';
import { about, choice, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { type Amount, negate } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { Address } from '../merchants/address.view.js';
import { printV1Tender, type V1Site, V1Tender } from '../paid-sales/v1.view.js';
import { HISTORY_ACTIONS, type Notes, ORDER_ACTIONS, ORDER_STATES, type OrderWithTender } from './model.js';

const V1OrderHistoryEntry = model('V1OrderHistoryEntry', {
  action: about('What happened to the order.', choice(HISTORY_ACTIONS)),
  created_at: about('When it happened.', Time),
});

export const V1Order = model('V1Order', {
  id: about('The id of the order.', Type.String()),
  buyer_email: about('The email address of the buyer.', Type.String()),
  recipient_name: about('The name of the person who receives the goods.', Type.String()),
  recipient_phone_number: about('The phone number of the person who receives the goods.', optional(Type.String())),
  state: about('The state of the order.', choice(ORDER_STATES)),
  shipping_address: about('Where the goods go.', Address),
  subtotal_money: about('The price of the goods, before discounts, taxes and shipping.', V1Money),
  total_shipping_money: about('The price of shipping.', V1Money),
  total_tax_money: about('The sum of all taxes.', V1Money),
  total_price_money: about('What the buyer pays.', V1Money),
  total_discount_money: about('The sum of all discounts. Zero or negative.', V1Money),
  created_at: about('When the order was placed.', Time),
  updated_at: about('When the order was last changed.', Time),
  expires_at: about('When the order expires if it is not paid.', Time),
  payment_id: about('The payment of the order.', optional(Type.String())),
  buyer_note: about('A note of the buyer.', optional(Type.String())),
  completed_note: about('A note of the merchant about the completion.', optional(Type.String())),
  refunded_note: about('A note of the merchant about the refund.', optional(Type.String())),
  canceled_note: about('A note of the merchant about the cancellation.', optional(Type.String())),
  tender: about('How the order was paid.', optional(V1Tender)),
  order_history: about('What happened to the order, oldest first.', Type.Array(V1OrderHistoryEntry)),
  promo_code: about('The code that the buyer entered for a discount.', optional(Type.String())),
});

const note = optional(text(1000));

export const UpdateOrderBody = Type.Object({
  action: about('What to do with the order.', choice(ORDER_ACTIONS)),
  shipped_tracking_number: about('The tracking number of the shipment. For `COMPLETE` only.', optional(text())),
  completed_note: about('A note for the buyer. For `COMPLETE` only.', note),
  refunded_note: about('A note for the buyer. For `REFUND` only.', note),
  canceled_note: about('A note for the buyer. For `CANCEL` only.', note),
});

/** The action that each field requires. */
const ACTION_OF_FIELD = {
  shipped_tracking_number: 'COMPLETE',
  completed_note: 'COMPLETE',
  canceled_note: 'CANCEL',
  refunded_note: 'REFUND',
} as const;

export function fromUpdateOrderBody(body: Static<typeof UpdateOrderBody>): Notes {
  for (const [field, action] of Object.entries(ACTION_OF_FIELD)) {
    if (body[field as keyof typeof ACTION_OF_FIELD] === undefined || action === body.action) continue;
    throw new Refusal('INVALID_VALUE', { field, detail: `${field} is allowed with the action ${action} only.` });
  }
  return {
    trackingNumber: body.shipped_tracking_number,
    completedNote: body.completed_note,
    canceledNote: body.canceled_note,
    refundedNote: body.refunded_note,
  };
}

export function printV1Order(order: OrderWithTender, site: V1Site): string {
  const money = (value: Amount) => printV1Money(value, order.currency);
  const history = order.history.map(
    ({ action, createdAt }) => `{"action":"${action}","created_at":"${printSeconds(createdAt)}"}`,
  );
  return (
    `{"id":"${order.id}","buyer_email":${JSON.stringify(order.buyerEmail)}` +
    `,"recipient_name":${JSON.stringify(order.recipientName)},"state":"${order.state}"` +
    `,"shipping_address":${order.shippingAddress},"subtotal_money":${money(order.subtotal)}` +
    `,"total_shipping_money":${money(order.shipping)},"total_tax_money":${money(order.tax)}` +
    `,"total_price_money":${money(order.total)},"total_discount_money":${money(order.discount)}` +
    `,"created_at":"${printSeconds(order.createdAt)}","updated_at":"${printSeconds(order.updatedAt)}"` +
    `,"expires_at":"${printSeconds(order.expiresAt)}","order_history":[${history.join()}]` +
    printText('recipient_phone_number', order.recipientPhoneNumber) +
    printText('buyer_note', order.buyerNote) +
    printText('completed_note', order.completedNote) +
    printText('refunded_note', order.refundedNote) +
    printText('canceled_note', order.canceledNote) +
    printText('promo_code', order.promoCode) +
    `${printPayment(order, site)}}`
  );
}

function printText(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${JSON.stringify(text)}`;
}

/** What all payments of the checkout have in common: a card, without a tip and without a register. */
const CHECKOUT_TENDER = {
  sourceType: 'CARD',
  tip: null,
  employeeId: null,
  entryMethod: null,
  tendered: null,
  tenderName: null,
  isExchange: false,
  note: null,
} as const;

/** v1 does not show declined payments, nor payments whose outcome is unknown (decision 0026). */
function printPayment({ tender }: OrderWithTender, site: V1Site): string {
  if (!tender || tender.capturedAt === null) return '';
  const { capturedAt, refundedOrExchanged } = tender;
  const paid = { ...CHECKOUT_TENDER, ...tender, capturedAt };
  const printed = printV1Tender(paid, negate(refundedOrExchanged), site);
  return `,"payment_id":"${tender.id}","tender":${printed}`;
}
