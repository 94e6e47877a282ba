/** An online order as pages show it. */
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { Tag, type Tone } from '../../ui/tag.js';

export type Order = ResponseOf<typeof dashboard.listOrders>['orders'][number];
export type OrderDetail = ResponseOf<typeof dashboard.retrieveOrder>['order'];
export type OrderState = Order['state'];
export type OrderAction = Order['actions'][number];

export const STATES: Readonly<Record<OrderState, { readonly label: string; readonly tone: Tone }>> = {
  PENDING: { label: 'Unpaid', tone: 'quiet' },
  OPEN: { label: 'To ship', tone: 'warning' },
  COMPLETED: { label: 'Completed', tone: 'good' },
  REFUNDED: { label: 'Refunded', tone: 'quiet' },
  CANCELED: { label: 'Canceled', tone: 'quiet' },
  REJECTED: { label: 'Declined', tone: 'bad' },
};

export function OrderStateTag({ state }: { readonly state: OrderState }) {
  return <Tag tone={STATES[state].tone}>{STATES[state].label}</Tag>;
}

/** What was ordered: its first item, and how many more. */
export function orderTitle({ first_item = 'Order', item_count }: Order): string {
  return item_count > 1 ? `${first_item} + ${item_count - 1} more` : first_item;
}
