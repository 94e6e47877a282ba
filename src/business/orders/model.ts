/** What an online order is, and what may become of it (decision 0033). */
import { Refusal } from '../../base/errors.js';
import type { JsonText } from '../../base/json.js';
import type { Amount } from '../../base/money.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import type { Address } from '../merchants/address.js';
import type { Payment, PaymentStatus } from '../payments/model.js';

export const ORDER_STATES = ['PENDING', 'OPEN', 'COMPLETED', 'CANCELED', 'REFUNDED', 'REJECTED'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** What an application may ask for. */
export const ORDER_ACTIONS = ['COMPLETE', 'CANCEL', 'REFUND'] as const;
/** Those, and what comes of the shopper and of time. */
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

/** Only what nobody paid for expires: else time would take goods from somebody who has. */
export const ORDER_TRANSITIONS: Readonly<Record<OrderState, Transitions>> = {
  PENDING: { ...NO_TRANSITIONS, PAY: 'OPEN', DECLINE: 'REJECTED', EXPIRE: 'CANCELED', CANCEL: 'CANCELED' },
  OPEN: { ...NO_TRANSITIONS, COMPLETE: 'COMPLETED', CANCEL: 'CANCELED', REFUND: 'REFUNDED' },
  COMPLETED: { ...NO_TRANSITIONS, REFUND: 'REFUNDED' },
  CANCELED: NO_TRANSITIONS,
  REFUNDED: NO_TRANSITIONS,
  REJECTED: NO_TRANSITIONS,
};

/** What the history says of each. */
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
  /** What was sold with it. */
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
  readonly shippingAddress: JsonText<Address>;
  readonly buyerNote: string | null;
  readonly promoCode: string | null;
  readonly completedNote: string | null;
  readonly canceledNote: string | null;
  readonly refundedNote: string | null;
  readonly history: readonly HistoryEntry[];
}

/** What v1 shows of the card that paid it. */
export type OrderTender = Pick<Payment, 'id' | 'total' | 'cardBrand' | 'last4' | 'capturedAt' | 'errors'> & {
  readonly status: PaymentStatus;
  /** In money or in goods. */
  readonly refundedOrExchanged: Amount;
};

/** An order with the one payment that was tried for it. */
export interface OrderWithTender extends Order {
  readonly tender: OrderTender | null;
}

/** How long an order waits for its payment (decision 0063). */
export function expiryOf(createdAt: Instant): Instant {
  return instant(createdAt + DAY_MS);
}

/** The state that an action leads to, or a refusal. */
export function nextState({ id, state }: Pick<Order, 'id' | 'state'>, action: OrderAction): OrderState {
  const next = ORDER_TRANSITIONS[state][action];
  if (next !== 'refused') return next;
  throw new Refusal('WRONG_STATE', { detail: `Order ${id} is ${state}, so ${action.toLowerCase()} is not possible.` });
}

/** What is said with an action. */
export interface Notes {
  readonly trackingNumber?: string | undefined;
  readonly completedNote?: string | undefined;
  readonly canceledNote?: string | undefined;
  readonly refundedNote?: string | undefined;
}
