/** What has become of an order, in words for its shopper. */
import type { Order } from '../goods.js';

interface Words {
  readonly title: string;
  readonly text: string;
}

export function sayStatus({ state, fulfillment, history, card_brand: brand }: Order): Words {
  const isPickUp = fulfillment === 'PICKUP';
  switch (state) {
    case 'PENDING':
      return { title: 'Waiting for your payment', text: 'The order is placed, but it is not paid yet.' };
    case 'OPEN':
      return {
        title: 'Thank you, your order is paid',
        text: isPickUp ? 'We are getting it ready for you.' : 'We are packing it. You see here when it is sent.',
      };
    case 'COMPLETED':
      return isPickUp
        ? { title: 'Your order is ready', text: 'It was handed over, or is waiting for you.' }
        : { title: 'Your order is on its way', text: 'It has been sent.' };
    case 'REFUNDED':
      return { title: 'Your order was refunded', text: 'The money goes back to your card.' };
    case 'REJECTED':
      return { title: 'The card was declined', text: 'Nothing was charged. You can order again with another card.' };
    case 'CANCELED':
      if (history.some(({ action }) => action === 'EXPIRED')) {
        return { title: 'Your order has expired', text: 'It was not paid in time. Nothing was charged.' };
      }
      return {
        title: 'Your order was canceled',
        text: brand === undefined ? 'Nothing was charged.' : 'The money goes back to your card.',
      };
  }
}

const EVENTS: Readonly<Record<Exclude<Order['history'][number]['action'], 'COMPLETED'>, string>> = {
  ORDER_PLACED: 'Ordered',
  DECLINED: 'Payment declined',
  PAYMENT_RECEIVED: 'Paid',
  CANCELED: 'Canceled',
  REFUNDED: 'Refunded',
  EXPIRED: 'Not paid in time',
};

export function printEvent(action: Order['history'][number]['action'], fulfillment: Order['fulfillment']): string {
  if (action === 'COMPLETED') return fulfillment === 'PICKUP' ? 'Ready' : 'Sent';
  return EVENTS[action];
}
