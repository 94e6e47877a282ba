/**
 * Writes rows of payments and refunds: with the copy of what v2 shows, and with the events that notify applications. Every change of a
 * payment goes through here.
 */
import type { Change, Versioned } from '../../database/change.js';
import { publish } from '../../events/publishing.js';
import { storeBreakdown } from '../receipts/stored.js';
import { toCopy } from './copies.js';
import type { Payment, PaymentStatus, Refund } from './model.js';
import { payments, type RefundRow, refunds, type StoredCopy, type StoredPayment } from './table.js';

type AnyPayment = Payment<PaymentStatus>;

/** The payments of each change, as they will be after what it has written so far. Reads do not see that. */
const planned = new WeakMap<Change, Map<string, AnyPayment>>();

function plannedOf(change: Change): Map<string, AnyPayment> {
  const known = planned.get(change) ?? new Map<string, AnyPayment>();
  planned.set(change, known);
  return known;
}

/** Notes that the change depends on a payment, as it was read. */
export function dependOnPayment(change: Change, payment: AnyPayment & Versioned): void {
  change.dependOn(payments, payment);
  const known = plannedOf(change);
  if (!known.has(payment.id)) known.set(payment.id, payment);
}

/** A payment that the change depends on, as it will be after what the change has written so far. */
export function plannedPayment(change: Change, id: string): AnyPayment {
  const payment = plannedOf(change).get(id);
  if (!payment) throw new Error(`the change does not depend on payment ${id}`);
  return payment;
}

/** The same for a payment whose outcome is known. */
export function plannedOutcome(change: Change, id: string): Payment {
  const { status, ...payment } = plannedPayment(change, id);
  if (status === 'PENDING') throw new Error(`payment_state: payment ${id} has no outcome`);
  return { ...payment, status };
}

export function insertPaymentRow(change: Change, payment: AnyPayment, requestHash: Buffer | null): void {
  const copy = toCopy(payment);
  change.insert(payments, { ...payment, ...copy, requestHash });
  plannedOf(change).set(payment.id, payment);
  publishPayment(change, payment, copy, 'payment.created');
}

/** Saves what differs from the payment as it was read or saved before. */
export function savePayment(
  change: Change,
  payment: Payment,
  kind: 'payment.created' | 'payment.updated' = 'payment.updated',
): void {
  const copy = toCopy(payment);
  change.save(payments, plannedPayment(change, payment.id), { ...payment, ...copy });
  plannedOf(change).set(payment.id, payment);
  publishPayment(change, payment, copy, kind);
}

/** Deletes a payment that has no outcome and will have none. The change depends on it. */
export function deletePaymentRow(change: Change, id: string): void {
  if (plannedPayment(change, id).status !== 'PENDING') throw new Error(`payment_state: payment ${id} has an outcome`);
  change.delete(payments, { id });
}

/** Saves a payment that has lost what it said of its buyer. Nothing has happened in the business, so nobody is notified. */
export function rewritePayment(change: Change, before: StoredPayment, after: AnyPayment): void {
  change.save(payments, before, { ...before, ...after, ...toCopy(after) });
}

/**
 * An event with the v2 JSON, and, once the payment is captured, a v1 event without content. A new tender of a register or an online order
 * gets no v1 event here: the change of its sale publishes one. The event has the copy, and gets the address of the receipt when it is sent.
 */
function publishPayment(
  change: Change,
  payment: AnyPayment,
  { v2Json }: StoredCopy,
  kind: 'payment.created' | 'payment.updated',
): void {
  const { id, saleId, channel, locationId, updatedAt: happenedAt } = payment;
  if (v2Json !== null) {
    publish(change, { kind, locationId, entityId: id, happenedAt, object: `${v2Json}}` });
  }
  if (payment.capturedAt === null || (channel !== 'API' && kind === 'payment.created')) return;
  const sale = channel === 'API' ? { entityId: saleId } : { saleId };
  publish(change, { kind: 'PAYMENT_UPDATED', locationId, happenedAt, ...sale });
}

/** Moves the sale of a payment back, if it is in the archive. Before anything is added to the payment: foreign keys do not see the archive. */
export function bringBackSale(change: Change, paymentId: string): void {
  change.call('bring_back_sale', { payment_id: paymentId });
}

/** Gives a payment that the change depends on a new version: what decisions about it depend on is written in this change. */
export function renewPayment(change: Change, paymentId: string): void {
  const { id } = plannedPayment(change, paymentId);
  bringBackSale(change, id);
  change.touch(payments, { id });
}

export function insertRefundRow(change: Change, refund: Refund): void {
  change.insert(refunds, toStoredRefund(refund));
}

/** Saves some columns of a refund that the change depends on. */
export function saveRefund(
  change: Change,
  refund: Omit<Refund, 'breakdown'>,
  changed: Partial<Pick<Refund, 'status' | 'updatedAt' | 'returnedFee' | 'appFee' | 'reason'>>,
): void {
  const { id, status, updatedAt, returnedFee, appFee, reason } = refund;
  const before = { id, status, updatedAt, returnedFee, appFee, reason };
  change.save(refunds, before, { ...before, ...changed });
}

/** A refund with its breakdown as it is stored. */
export function toStoredRefund(refund: Refund): RefundRow {
  return { ...refund, breakdown: refund.breakdown && storeBreakdown(refund.breakdown) };
}
