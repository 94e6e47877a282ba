/** Online orders and their state table (decision 0033). Pure. */
import { Refusal } from '../../base/errors.js';
import type { JsonText } from '../../base/json.js';
import type { Amount } from '../../base/money.js';
import type { PostalAddress } from '../../base/postal-address.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import type { Payment, PaymentStatus } from '../payments/model.js';
import type { Receipt } from '../receipts/model.js';

export const ORDER_STATES = ['PENDING', 'OPEN', 'COMPLETED', 'CANCELED', 'REFUNDED', 'REJECTED'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** How the buyer gets the goods: they are sent, or the buyer picks them up at the location (decision 0170). */
export const FULFILLMENTS = ['SHIPMENT', 'PICKUP'] as const;
export type Fulfillment = (typeof FULFILLMENTS)[number];

/** The actions that an application can request. */
export const ORDER_ACTIONS = ['COMPLETE', 'CANCEL', 'REFUND'] as const;
/** All actions: also the outcome of the shopper's payment, and expiry. */
export type OrderAction = (typeof ORDER_ACTIONS)[number] | 'PAY' | 'DECLINE' | 'EXPIRE';

export const HISTORY_ACTIONS = [
  'ORDER_PLACED',
  'DECLINED',
  'PAYMENT_RECEIVED',
  'CANCELED',
  'COMPLETED',
  'REFUNDED',
  'EXPIRED',
] as const;
export type HistoryAction = (typeof HISTORY_ACTIONS)[number];

type Transitions = Readonly<Record<OrderAction, OrderState | 'refused'>>;

const NO_TRANSITIONS: Transitions = {
  PAY: 'refused',
  DECLINE: 'refused',
  EXPIRE: 'refused',
  COMPLETE: 'refused',
  CANCEL: 'refused',
  REFUND: 'refused',
};

/** Only an unpaid order expires. */
export const ORDER_TRANSITIONS: Readonly<Record<OrderState, Transitions>> = {
  PENDING: { ...NO_TRANSITIONS, PAY: 'OPEN', DECLINE: 'REJECTED', EXPIRE: 'CANCELED', CANCEL: 'CANCELED' },
  OPEN: { ...NO_TRANSITIONS, COMPLETE: 'COMPLETED', CANCEL: 'CANCELED', REFUND: 'REFUNDED' },
  COMPLETED: { ...NO_TRANSITIONS, REFUND: 'REFUNDED' },
  CANCELED: NO_TRANSITIONS,
  REFUNDED: NO_TRANSITIONS,
  REJECTED: NO_TRANSITIONS,
};

/** The history entry of each action. */
export const HISTORY_OF: Readonly<Record<OrderAction, HistoryAction>> = {
  PAY: 'PAYMENT_RECEIVED',
  DECLINE: 'DECLINED',
  EXPIRE: 'EXPIRED',
  COMPLETE: 'COMPLETED',
  CANCEL: 'CANCELED',
  REFUND: 'REFUNDED',
};

export interface HistoryEntry {
  readonly action: HistoryAction;
  readonly createdAt: Instant;
}

export interface Order {
  readonly id: string;
  readonly locationId: string;
  readonly state: OrderState;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant;
  /** The sale with the receipt and the payment of the order. */
  readonly saleId: string;
  readonly currency: string;
  readonly subtotal: Amount;
  readonly shipping: Amount;
  readonly tax: Amount;
  /** Never positive. */
  readonly discount: Amount;
  readonly total: Amount;
  readonly buyerEmail: string;
  readonly recipientName: string;
  readonly recipientPhoneNumber: string | null;
  readonly fulfillment: Fulfillment;
  /** Where the goods go. For a pick-up: where they are handed over. */
  readonly shippingAddress: JsonText<PostalAddress>;
  readonly buyerNote: string | null;
  readonly promoCode: string | null;
  readonly completedNote: string | null;
  readonly canceledNote: string | null;
  readonly refundedNote: string | null;
  readonly history: readonly HistoryEntry[];
}

/** The fields of the order's payment that v1 and the checkout show. */
export type OrderTender = Pick<Payment, 'id' | 'total' | 'cardBrand' | 'last4' | 'capturedAt' | 'errors'> & {
  readonly status: PaymentStatus;
  readonly refundedOrExchanged: Amount;
};

/** An order with its only payment. `tender` is null before the first attempt to pay. */
export interface OrderWithTender extends Order {
  readonly tender: OrderTender | null;
}

/** An order as its shopper sees it: with what was ordered, and the number of the parcel. */
export interface ShopperOrder extends OrderWithTender {
  readonly trackingNumber: string | null;
  readonly receipt: Receipt;
}

/** What the receipt of an order says about the delivery. */
export type OrderDelivery = Pick<Order, 'state' | 'history' | 'fulfillment' | 'recipientName' | 'shippingAddress'> &
  Pick<ShopperOrder, 'trackingNumber'>;

/** When an unpaid order expires (decision 0063). */
export function expiryOf(createdAt: Instant): Instant {
  return instant(createdAt + DAY_MS);
}

/** Throws a refusal if the state does not allow the action. */
export function nextState({ id, state }: Pick<Order, 'id' | 'state'>, action: OrderAction): OrderState {
  const next = ORDER_TRANSITIONS[state][action];
  if (next !== 'refused') return next;
  throw new Refusal('WRONG_STATE', { detail: `Order ${id} is ${state}, so ${action.toLowerCase()} is not possible.` });
}

/** The order after an action, with an entry in its history. */
export function moved<Any extends Order & Notes>(
  order: Any,
  { action, at, notes = {} }: { readonly action: OrderAction; readonly at: Instant; readonly notes?: Notes },
): Any {
  const sent = Object.fromEntries(Object.entries(notes).filter(([, note]) => note !== undefined));
  return {
    ...order,
    ...sent,
    state: nextState(order, action),
    updatedAt: at,
    history: [...order.history, { action: HISTORY_OF[action], createdAt: at }],
  };
}

/** The texts that an application can send with an action. */
export interface Notes {
  readonly trackingNumber?: string | null | undefined;
  readonly completedNote?: string | null | undefined;
  readonly canceledNote?: string | null | undefined;
  readonly refundedNote?: string | null | undefined;
}
