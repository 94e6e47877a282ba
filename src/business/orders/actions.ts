/** Changes the state of orders: on request of an application, after the outcome of a payment, and when an order expires. */
import type { ApplicationContext } from '../../api/operation.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import { type Instant, wholeSecond } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { ProcessorUnavailable } from '../../processor/contract.js';
import type { OnOutcome } from '../payments/calls.js';
import type { Payment, PaymentStatus } from '../payments/model.js';
import { findOnlinePayment } from '../payments/queries.js';
import { refundRemainder } from '../refunds/refund-remainder.js';
import { cancelOpenSale } from '../sales/actions.js';
import {
  type Notes,
  nextState,
  type ORDER_ACTIONS,
  type Order,
  type OrderAction,
  type OrderWithTender,
} from './model.js';
import { findOrder, lockOrder, lockOrderOfSale, lockPendingOrder, moveOrder } from './queries.js';

export interface OrderUpdate {
  readonly locationId: string;
  readonly orderId: string;
  readonly action: (typeof ORDER_ACTIONS)[number];
  readonly notes: Notes;
}

/** Writes the state and the refund in one commit. Concurrent updates run one after the other, because they lock the order. */
export async function updateOrder(
  { database, merchant, ids, now }: ApplicationContext,
  { locationId, orderId, action, notes }: OrderUpdate,
): Promise<OrderWithTender> {
  const key = { merchantId: merchant.id, locationId };
  return database.transaction(async (tx) => {
    const order = await lockOrder(tx, key, orderId);
    if (!order) throw notFound('order', orderId);
    const payment = action === 'COMPLETE' ? undefined : await findOnlinePayment(tx, merchant.id, order.saleId);
    const transition = { merchantId: merchant.id, order, action, at: now, notes };
    nextState(order, action);
    if (order.state === 'PENDING') {
      requireNotBeingPaid(order, payment);
      await cancelOpenSale(tx, merchant.id, order.saleId);
    } else if (payment) {
      await refundOrder(tx, { merchantId: merchant.id, ids, now }, order, refundReason(action, notes));
    }
    await applyTransition(tx, transition);
    return requireFound(await findOrder(tx, key, orderId), 'a locked order');
  });
}

/** If the refund is refused for any reason, the order does not change, and the error is WRONG_STATE (decision 0003). */
async function refundOrder(
  tx: Tx,
  by: Parameters<typeof refundRemainder>[1],
  { saleId, locationId }: Order,
  reason: string,
): Promise<void> {
  try {
    await refundRemainder(tx, by, { saleId, locationId, reason });
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal('WRONG_STATE', { detail: error.message });
    throw error;
  }
}

function refundReason(action: OrderAction, { canceledNote, refundedNote }: Notes): string {
  return canceledNote ?? refundedNote ?? (action === 'CANCEL' ? 'Order canceled' : 'Order refunded');
}

/** While the outcome of the payment is unknown, it is not clear whether canceling requires a refund. */
function requireNotBeingPaid({ id }: Order, payment: Payment<PaymentStatus> | undefined): void {
  if (payment?.status !== 'PENDING') return;
  throw new Refusal('TEMPORARY_ERROR', { detail: `A payment of order ${id} is in flight. Try again later.` });
}

/** Moves the order to OPEN or REJECTED, in the commit that records the outcome of its payment. */
export const recordOrderOutcome: OnOutcome = async (tx, merchantId, payment) => {
  if (payment.channel !== 'ONLINE_STORE') return;
  const order = requireFound(await lockOrderOfSale(tx, merchantId, payment.saleId), 'the order of an online payment');
  const action = payment.status === 'COMPLETED' ? 'PAY' : 'DECLINE';
  await applyTransition(tx, { merchantId, order, action, at: payment.updatedAt });
  if (action === 'DECLINE') await cancelOpenSale(tx, merchantId, order.saleId);
};

/** Due work: the order was not paid in time. */
export async function expireOrder(
  tx: Tx,
  { merchantId }: { readonly merchantId: string },
  orderId: string,
  at: Instant,
): Promise<void> {
  const order = await lockPendingOrder(tx, merchantId, orderId);
  if (!order) return;
  const payment = await findOnlinePayment(tx, merchantId, order.saleId);
  // The outcome of the payment decides, so this work is retried later.
  if (payment?.status === 'PENDING') throw new ProcessorUnavailable('a payment of the order is in flight');
  await applyTransition(tx, { merchantId, order, action: 'EXPIRE', at });
  await cancelOpenSale(tx, merchantId, order.saleId);
}

interface OrderTransition {
  readonly merchantId: string;
  readonly order: Order;
  readonly action: OrderAction;
  readonly at: Instant;
  readonly notes?: Notes;
}

/** The caller holds the lock of the order. */
async function applyTransition(tx: Tx, { merchantId, order, action, at, notes = {} }: OrderTransition): Promise<void> {
  const [from, to] = [order.state, nextState(order, action)];
  const moved = await moveOrder(tx, merchantId, { orderId: order.id, from, to, action, at: wholeSecond(at), notes });
  if (!moved) throw new Error(`order ${order.id} changed while it was locked`);
}
