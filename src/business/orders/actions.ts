/** Moves orders on: by what an application asks, by what a processor said, and by time. */
import type { ApplicationContext } from '../../api/operation.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import { type Instant, wholeSecond } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { ProcessorUnavailable } from '../../processor/contract.js';
import type { OnOutcome } from '../payments/calls.js';
import type { Payment, PaymentStatus } from '../payments/model.js';
import { findOnlinePayment } from '../payments/queries.js';
import { refundRest } from '../refunds/rest.js';
import { cancelOpenSale } from '../sales/actions.js';
import { type Notes, nextState, type ORDER_ACTIONS, type Order, type OrderAction, type ShownOrder } from './model.js';
import { findOrder, lockIdleOrder, lockOrder, lockOrderOfSale, moveOrder } from './queries.js';

export interface OrderUpdate {
  readonly locationId: string;
  readonly orderId: string;
  readonly action: (typeof ORDER_ACTIONS)[number];
  readonly notes: Notes;
}

/** The state and the refund are written together or not at all. Who comes second finds the state that the first left. */
export async function updateOrder(
  { database, merchant, ids, now }: ApplicationContext,
  { locationId, orderId, action, notes }: OrderUpdate,
): Promise<ShownOrder> {
  const key = { merchantId: merchant.id, locationId };
  return database.transaction(async (tx) => {
    const order = await lockOrder(tx, key, orderId);
    if (!order) throw notFound('order', orderId);
    const payment = action === 'COMPLETE' ? undefined : await findOnlinePayment(tx, merchant.id, order.saleId);
    const step = { merchantId: merchant.id, order, action, at: now, notes };
    nextState(order, action);
    if (order.state === 'PENDING') {
      requireNotBeingPaid(order, payment);
      await cancelOpenSale(tx, merchant.id, order.saleId);
    } else if (payment) {
      await giveBack(tx, { merchantId: merchant.id, ids, now }, order, reasonOf(action, notes));
    }
    await move(tx, step);
    return requireFound(await findOrder(tx, key, orderId), 'an order that is locked');
  });
}

/** What cannot be given back keeps the order as it is: a matter of its state (decision 0003), whatever the reason. */
async function giveBack(
  tx: Tx,
  by: Parameters<typeof refundRest>[1],
  { saleId, locationId }: Order,
  reason: string,
): Promise<void> {
  try {
    await refundRest(tx, by, { saleId, locationId, reason });
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal('WRONG_STATE', { detail: error.message });
    throw error;
  }
}

function reasonOf(action: OrderAction, { canceledNote, refundedNote }: Notes): string {
  return canceledNote ?? refundedNote ?? (action === 'CANCEL' ? 'Order canceled' : 'Order refunded');
}

/** Whether it is paid will be known soon; until then nobody can say what cancelling it means. */
function requireNotBeingPaid({ id }: Order, payment: Payment<PaymentStatus> | undefined): void {
  if (payment?.status !== 'PENDING') return;
  throw new Refusal('TEMPORARY_ERROR', { detail: `Order ${id} is being paid right now; try again shortly.` });
}

/** What the processor said of an order's payment, in the commit that records it: it is OPEN, or REJECTED. */
export const recordOrderOutcome: OnOutcome = async (tx, merchantId, payment) => {
  if (payment.channel !== 'ONLINE_STORE') return;
  const order = requireFound(await lockOrderOfSale(tx, merchantId, payment.saleId), 'the order of an online payment');
  const action = payment.status === 'COMPLETED' ? 'PAY' : 'DECLINE';
  await move(tx, { merchantId, order, action, at: payment.updatedAt });
  if (action === 'DECLINE') await cancelOpenSale(tx, merchantId, order.saleId);
};

/** Due work: nobody paid for it in time. */
export async function expireOrder(
  tx: Tx,
  { merchantId }: { readonly merchantId: string },
  orderId: string,
  at: Instant,
): Promise<void> {
  const order = await lockIdleOrder(tx, merchantId, orderId);
  if (!order) return;
  const payment = await findOnlinePayment(tx, merchantId, order.saleId);
  // The outcome decides.
  if (payment?.status === 'PENDING') throw new ProcessorUnavailable('the order is being paid');
  await move(tx, { merchantId, order, action: 'EXPIRE', at });
  await cancelOpenSale(tx, merchantId, order.saleId);
}

interface Step {
  readonly merchantId: string;
  readonly order: Order;
  readonly action: OrderAction;
  readonly at: Instant;
  readonly notes?: Notes;
}

/** Of an order that is locked. */
async function move(tx: Tx, { merchantId, order, action, at, notes = {} }: Step): Promise<void> {
  const [from, to] = [order.state, nextState(order, action)];
  const moved = await moveOrder(tx, merchantId, { orderId: order.id, from, to, action, at: wholeSecond(at), notes });
  if (!moved) throw new Error(`order ${order.id} changed while it was locked`);
}
