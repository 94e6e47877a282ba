/** Bulk insert of past payments, in their current state and without their movements. */
import type { Bulk } from '../../database/copy.js';
import { insertScheduledWork } from '../due-work/queries.js';
import { insertPastSales } from '../sales/queries.js';
import type { PaymentToInsert } from './create-queries.js';
import { expirePaymentWork, PAYMENT_COLUMNS } from './queries.js';

/** Inserts payments with their idempotency keys, the sales of API payments, and the due work of APPROVED payments. */
export function insertPastPayments(past: Bulk, merchantId: string, made: readonly PaymentToInsert[]): void {
  const payments = made.map(({ payment }) => payment);
  insertPastSales(
    past,
    merchantId,
    payments
      .filter(({ channel, capturedAt }) => channel === 'API' && capturedAt !== null)
      .map(({ id, locationId, capturedAt: createdAt }) => ({
        kind: 'API',
        id,
        locationId,
        state: 'COMPLETED',
        createdAt,
      })),
  );
  past.copy(
    'payments',
    (tx) => tx`copy payments (merchant_id, ${PAYMENT_COLUMNS.names(tx)}) from stdin`,
    payments,
    (payment) => [merchantId, ...PAYMENT_COLUMNS.toCells(payment)],
  );
  past.copy(
    'idempotency_keys',
    (tx) => tx`copy idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id) from stdin`,
    made.flatMap(({ key, requestHash, payment }) => (key && requestHash ? [{ key, requestHash, payment }] : [])),
    ({ key, requestHash, payment }) => [merchantId, key.applicationId, key.operation, key.key, requestHash, payment.id],
  );
  const works = payments.flatMap(({ id, delayedUntil }) =>
    delayedUntil === null ? [] : [{ ...expirePaymentWork(id), dueAt: delayedUntil }],
  );
  if (works.length > 0) past.afterwards((tx) => insertScheduledWork(tx, merchantId, works));
}
