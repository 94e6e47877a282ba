/** Bulk inserts of past sales and payments, in their current state and without their movements. */
import type { Instant } from '../../base/time.js';
import type { Bulk } from '../../database/copy.js';
import { toTimestamp } from '../../database/database.js';
import { insertScheduledWork } from '../due-work/queries.js';
import type { ReceiptRecord } from '../receipts/record.js';
import { V1_COPY_VERSION } from '../receipts/v1.print.js';
import type { OnlineSale, Sale } from '../sales/model.js';
import type { PaymentToInsert } from './create-queries.js';
import { expirePaymentWork, PAYMENT_COLUMNS } from './queries.js';

export type PastSale =
  | (Sale & { readonly receipt: ReceiptRecord; readonly requestHash: Buffer })
  | (OnlineSale & { readonly receipt: ReceiptRecord })
  | ApiSale;

type ApiSale = Pick<Sale, 'id' | 'locationId' | 'createdAt'> & { readonly kind: 'API'; readonly state: 'COMPLETED' };

const toTimestampOrNull = (at: Instant | null | undefined): string | null => (at == null ? null : toTimestamp(at));

function receiptColumns({ rungUpAt, due, paid, receipt, tenderIds }: Exclude<PastSale, ApiSale>) {
  return [toTimestampOrNull(rungUpAt), due, paid, receipt.stored, receipt.v1Copy, V1_COPY_VERSION, tenderIds];
}

export function insertPastSales(past: Bulk, merchantId: string, sales: readonly PastSale[]): void {
  past.copy(
    'sales',
    (tx) => tx`
      copy sales (
        merchant_id, sale_id, location_id, kind, state, created_at, device_id, device_name, employee_id,
        register_sale_id, request_hash, rung_up_at, due, paid, receipt, v1_receipt, v1_receipt_version, tender_ids
      )
      from stdin`,
    sales,
    (sale) => [
      merchantId,
      sale.id,
      sale.locationId,
      sale.kind,
      sale.state,
      toTimestampOrNull(sale.createdAt),
      ...(sale.kind === 'REGISTER'
        ? [sale.deviceId, sale.deviceName, sale.employeeId, sale.registerSaleId, sale.requestHash]
        : [null, null, null, null, null]),
      ...(sale.kind === 'API' ? [null, null, 0, null, null, null, null] : receiptColumns(sale)),
    ],
  );
}

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
