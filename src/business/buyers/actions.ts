/** Exports and erases the personal data of a buyer, who is identified by an email address (decision 0176). */
import { rewriteResponses } from '../../access/devices/register-writes.js';
import type { Static } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import type { Change } from '../../database/change.js';
import type { Database } from '../../database/database.js';
import { rewriteEvents } from '../../events/past-events.js';
import { type AuditActor, auditChange, recordAudit } from '../../identity/audit.js';
import { rewriteOrder } from '../orders/actions.js';
import { listOrdersOfBuyer } from '../orders/queries.js';
import { forgetCopies } from '../paid-sales/copy-choice.js';
import { listPaymentsWithIds } from '../payments/queries.js';
import { rewritePayment, saveRefund } from '../payments/rows.js';
import { printPayment } from '../payments/v2.view.js';
import { listRefundsWithIds } from '../refunds/queries.js';
import { printRefund } from '../refunds/v2.view.js';
import { type BuyerOrder, toBuyerOrder } from './dashboard.view.js';
import { eventWithoutBuyer, orderWithoutBuyer, paymentWithoutBuyer, responseWithoutReasons } from './model.js';
import {
  deleteSnapshot,
  listPaymentIdsOfBuyer,
  listRefundIdsOfBuyer,
  listSaleIds,
  readOrdersOfBuyer,
  readPaymentsOfBuyer,
  readRefundsOfBuyer,
  readResponsesWith,
} from './queries.js';

/** The documents have the fields of the API. */
export interface BuyerRecords {
  readonly orders: readonly Static<typeof BuyerOrder>[];
  readonly payments: readonly object[];
  readonly refunds: readonly object[];
}

export function exportBuyer(
  database: Database,
  actor: AuditActor,
  merchantId: string,
  email: string,
): Promise<BuyerRecords> {
  return database.transaction(async (tx) => {
    const orders = await listOrdersOfBuyer(tx, merchantId, email);
    const saleIds = orders.map(({ saleId }) => saleId);
    const paymentIds = await listPaymentIdsOfBuyer(tx, merchantId, { email, saleIds });
    const payments = await listPaymentsWithIds(tx, merchantId, paymentIds);
    const refundIds = await listRefundIdsOfBuyer(tx, merchantId, paymentIds);
    const refunds = await listRefundsWithIds(tx, merchantId, refundIds);
    const site = { merchantId, publicUrl: undefined };
    const records = {
      orders: orders.map(toBuyerOrder),
      payments: payments.map((payment) => JSON.parse(printPayment(payment, site))),
      refunds: refunds.map((refund) => JSON.parse(printRefund(refund))),
    };
    await recordAudit(tx, {
      ...actor,
      kind: 'BUYER_EXPORTED',
      merchantId,
      details: toDetails(records.orders.length, records.payments.length),
    });
    return records;
  });
}

/** How many records had personal data of the buyer. */
export interface Erased {
  readonly orders: number;
  readonly payments: number;
  /** Whether a snapshot of the merchant was deleted. */
  readonly snapshot: boolean;
}

/** The books need amounts, times, states and ids, so these stay. An order that is placed meanwhile stays as it is. */
export async function eraseBuyer(
  database: Database,
  actor: AuditActor,
  merchantId: string,
  email: string,
): Promise<Erased> {
  const { orders, payments, snapshot } = await database.change(merchantId, async (change) => {
    const erased = await eraseRecords(change, email);
    auditChange(change, {
      ...actor,
      kind: 'BUYER_ERASED',
      merchantId,
      details: toDetails(erased.orders, erased.payments),
    });
    // If nothing was found, the email address may be mistyped, so the snapshot is kept.
    return { ...erased, snapshot: erased.orders + erased.payments > 0 ? deleteSnapshot(change) : undefined };
  });
  return { orders, payments, snapshot: snapshot?.value ?? false };
}

/** Refused while an order is unfinished, because it needs the data. Whatever refunds a payment meanwhile makes the change be decided again. */
async function eraseRecords(change: Change, email: string): Promise<Pick<Erased, 'orders' | 'payments'>> {
  const { sql, merchantId } = change;
  const orders = await readOrdersOfBuyer(change, email);
  const unfinished = orders.filter(({ state }) => state === 'PENDING' || state === 'OPEN').map(({ id }) => id);
  if (unfinished.length > 0) {
    throw new Refusal('WRONG_STATE', {
      detail: `Orders of this buyer are not finished: ${unfinished.join(', ')}. Complete or cancel them first.`,
    });
  }
  const payments = await readPaymentsOfBuyer(change, { email, saleIds: orders.map(({ saleId }) => saleId) });
  const paymentIds = payments.map(({ id }) => id);
  const refunds = await readRefundsOfBuyer(change, paymentIds);
  const writes = await readResponsesWith(change, refunds);
  const saleIds = await listSaleIds(sql, merchantId, [...paymentIds, ...refunds.map(({ paymentId }) => paymentId)]);

  for (const order of orders) rewriteOrder(change, order, orderWithoutBuyer(order));
  for (const payment of payments) rewritePayment(change, payment, paymentWithoutBuyer(payment));
  // The reason of a refund can be the note of an order.
  for (const refund of refunds) saveRefund(change, refund, { reason: null });
  rewriteResponses(change, writes, responseWithoutReasons);
  await rewriteEvents(change, [...paymentIds, ...refunds.map(({ id }) => id)], eventWithoutBuyer);
  forgetCopies(change, saleIds);
  return { orders: orders.length, payments: payments.length };
}

/** The email address is left out: the audit log would keep it after the erasure. */
function toDetails(orders: number, payments: number): Readonly<Record<string, string>> {
  return { orders: String(orders), payments: String(payments) };
}
