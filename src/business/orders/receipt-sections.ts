/** What the receipt of an online order says besides the money: how the goods get to the buyer, and what happened. Pure. */
import { type PostalAddress, printAddress } from '../../base/postal-address.js';
import type { ReceiptSection } from '../paid-sales/receipt.view.js';
import type { HistoryAction, OrderDelivery } from './model.js';

/** The recipient and the address are the buyer's own. The e-mail address, the phone number and the note are left out. */
export function toReceiptSections(order: OrderDelivery): ReceiptSection[] {
  const address: PostalAddress = JSON.parse(order.shippingAddress);
  return [
    {
      title: 'Delivery',
      lines: [
        { name: wayOf(order), details: [order.recipientName, ...printAddress(address)] },
        ...(order.trackingNumber === null ? [] : [{ name: 'Tracking number', details: [order.trackingNumber] }]),
      ],
    },
    {
      title: 'History of the order',
      lines: order.history.map(({ action, createdAt }) => ({ name: nameOf(action, order), at: createdAt })),
    },
  ];
}

function wayOf({ fulfillment, state }: OrderDelivery): string {
  if (fulfillment === 'PICKUP') return 'Pick-up at';
  return state === 'COMPLETED' ? 'Sent to' : 'Shipping to';
}

const NAMES: Readonly<Record<Exclude<HistoryAction, 'COMPLETED'>, string>> = {
  ORDER_PLACED: 'Ordered',
  DECLINED: 'Payment declined',
  PAYMENT_RECEIVED: 'Paid',
  CANCELED: 'Canceled',
  REFUNDED: 'Refunded',
  EXPIRED: 'Not paid in time',
};

function nameOf(action: HistoryAction, { fulfillment }: OrderDelivery): string {
  if (action === 'COMPLETED') return fulfillment === 'PICKUP' ? 'Ready' : 'Sent';
  return NAMES[action];
}
