/** Exports and erases the personal data of a buyer, who is identified by an email address (decision 0176). */
import { Refusal } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import { type AuditActor, recordAudit } from '../../identity/audit.js';
import { listPaymentsWithIds } from '../payments/queries.js';
import { printPayment } from '../payments/v2.view.js';
import { listRefundsWithIds } from '../refunds/queries.js';
import { printRefund } from '../refunds/v2.view.js';
import { type Erased, type FoundRecords, findBuyerRecords, updateErased } from './queries.js';

/** The documents have the fields of the API. */
export interface BuyerRecords extends Pick<FoundRecords, 'orders'> {
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
    const { orders, paymentIds, refundIds } = await findBuyerRecords(tx, merchantId, email);
    const payments = await listPaymentsWithIds(tx, merchantId, paymentIds);
    const refunds = await listRefundsWithIds(tx, merchantId, refundIds);
    const site = { merchantId, publicUrl: undefined };
    const records = {
      orders,
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

/** The books need amounts, times, states and ids, so these stay. Refused while an order is unfinished, because it needs the data. */
export function eraseBuyer(database: Database, actor: AuditActor, merchantId: string, email: string): Promise<Erased> {
  return database.transaction(async (tx) => {
    const erased = await updateErased(tx, merchantId, email);
    if ('unfinished' in erased) {
      throw new Refusal('WRONG_STATE', {
        detail: `Orders of this buyer are not finished: ${erased.unfinished.join(', ')}. Complete or cancel them first.`,
      });
    }
    const details = toDetails(erased.orders, erased.payments);
    await recordAudit(tx, { ...actor, kind: 'BUYER_ERASED', merchantId, details });
    return erased;
  });
}

/** The email address is left out: the audit log would keep it after the erasure. */
function toDetails(orders: number, payments: number): Readonly<Record<string, string>> {
  return { orders: String(orders), payments: String(payments) };
}
