/** Changes the state of orders: on request of an application, after the outcome of a payment, and when an order expires. */
import { requireRegisterPermission } from '../../api/authorize.js';
import type { MerchantContext } from '../../api/operation.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import { type Instant, wholeSecond } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import type { Attendant } from '../../identity/caller.js';
import { ProcessorUnavailable } from '../../processor/contract.js';
import { removeWork } from '../due-work/actions.js';
import type { OnOutcome } from '../payments/calls.js';
import type { Payment, PaymentStatus } from '../payments/model.js';
import { findOnlinePayment } from '../payments/queries.js';
import type { Refund } from '../refunds/model.js';
import { auditRefund } from '../refunds/owner-refunds.js';
import { refundRemainder } from '../refunds/refund-remainder.js';
import { cancelOpenSale } from '../sales/actions.js';
import {
  moved,
  type Notes,
  nextState,
  type ORDER_ACTIONS,
  type Order,
  type OrderAction,
  type OrderWithTender,
} from './model.js';
import { expireOrderWork, findOrder, readOrder, readOrderOfSale } from './queries.js';
import { orders, type StoredOrder } from './table.js';

export interface OrderUpdate {
  /** Undefined: at any location. */
  readonly locationId: string | undefined;
  readonly orderId: string;
  readonly action: (typeof ORDER_ACTIONS)[number];
  readonly notes: Notes;
}

/** An owner has an account, and an employee at a register is an attendant. An application has neither. */
type OrderContext = Pick<MerchantContext, 'merchant' | 'ids' | 'now'> & {
  readonly account?: { readonly id: string };
  readonly visitor?: { readonly address: string };
  readonly attendant?: Attendant;
  readonly device?: { readonly id: string };
};

export async function updateOrder(
  context: OrderContext & Pick<MerchantContext, 'database'>,
  update: OrderUpdate,
): Promise<OrderWithTender> {
  const { database, merchant } = context;
  const { locationId, orderId } = update;
  await database.change(merchant.id, (change) => changeOrder(change, context, update));
  return requireFound(await findOrder(database.sql, { merchantId: merchant.id, locationId }, orderId), 'an order');
}

/** Writes the state and the refund in one commit. Every update changes the order, so concurrent updates are decided in turn. */
export async function changeOrder(
  change: Change,
  context: OrderContext,
  { locationId, orderId, action, notes }: OrderUpdate,
): Promise<void> {
  const { merchant, ids, now, account, attendant, device } = context;
  const order = await readOrder(change, orderId, locationId);
  if (!order) throw notFound('order', orderId);
  const payment = action === 'COMPLETE' ? undefined : await findOnlinePayment(change.sql, merchant.id, order.saleId);
  nextState(order, action);
  if (order.state === 'PENDING') {
    requireNotBeingPaid(order, payment);
    await cancelOpenSale(change, order.saleId);
  } else if (payment) {
    if (attendant) requireRegisterPermission(attendant, 'REGISTER_ISSUE_REFUNDS');
    const by = { accountId: account?.id, employeeId: attendant?.employeeId, deviceId: device?.id };
    const refunds = await refundOrder(change, { ids, now, ...by }, order, refundReason(action, notes));
    if (account) auditRefund(change, context, refunds, order.saleId);
  }
  moveOrder(change, order, { action, at: now, notes });
}

/** If the refund is refused for any reason, the order does not change, and the error is WRONG_STATE (decision 0003). */
async function refundOrder(
  change: Change,
  by: Parameters<typeof refundRemainder>[1],
  { saleId, locationId }: Order,
  reason: string,
): Promise<readonly Refund[]> {
  try {
    return await refundRemainder(change, by, { saleId, locationId, reason });
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
export const recordOrderOutcome: OnOutcome = async (change, payment) => {
  if (payment.channel !== 'ONLINE_STORE') return;
  const order = requireFound(await readOrderOfSale(change, payment.saleId), 'the order of an online payment');
  const action = payment.status === 'COMPLETED' ? 'PAY' : 'DECLINE';
  moveOrder(change, order, { action, at: payment.updatedAt });
  if (action === 'DECLINE') await cancelOpenSale(change, order.saleId);
};

/** Due work: the order was not paid in time. */
export async function expireOrder(change: Change, orderId: string, at: Instant): Promise<void> {
  const order = await readOrder(change, orderId);
  if (order?.state !== 'PENDING') return;
  const payment = await findOnlinePayment(change.sql, change.merchantId, order.saleId);
  // The outcome of the payment decides, so this work is retried later.
  if (payment?.status === 'PENDING') throw new ProcessorUnavailable('a payment of the order is in flight');
  moveOrder(change, order, { action: 'EXPIRE', at });
  await cancelOpenSale(change, order.saleId);
}

/** From now on the order does not expire any more. */
export function moveOrder(
  change: Change,
  order: Order & Versioned,
  { action, at, notes = {} }: { readonly action: OrderAction; readonly at: Instant; readonly notes?: Notes },
): void {
  change.save(orders, order, moved(order, { action, at: wholeSecond(at), notes }));
  removeWork(change, expireOrderWork(order.id));
}

/** Saves an order that has lost what it said of its buyer. Nothing has happened to it. */
export function rewriteOrder(change: Change, before: StoredOrder, after: StoredOrder): void {
  change.save(orders, before, after);
}
