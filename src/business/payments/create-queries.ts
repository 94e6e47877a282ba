/** Creates payments of applications with everything that belongs to them: new ones by a function, past ones in bulk. */
import type { Instant } from '../../base/time.js';
import type { Bulk } from '../../database/copy.js';
import { type Tx, toTimestamp } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { insertScheduledWork, toWorkRow } from '../due-work/queries.js';
import { type IdempotencyKey, idempotencyKeys } from '../idempotency/table.js';
import type { Movement } from '../movements/model.js';
import { MOVEMENT_COLUMNS } from '../movements/queries.js';
import { insertPastSales } from '../sales/queries.js';
import type { StoredRequest } from './call-model.js';
import { COPY_VERSION, printCopy } from './copies.js';
import type { Payment, PaymentStatus } from './model.js';
import { expirePaymentWork } from './queries.js';
import { PAYMENT_COLUMNS, payments as table } from './table.js';

const COPY_BASE = table.toMembers(COPY_VERSION);

/** A payment to create, with what belongs to it. */
export interface PaymentToInsert {
  readonly merchantId: string;
  readonly payment: Payment<PaymentStatus>;
  /** The key that an application sent. */
  readonly key?: IdempotencyKey;
  /** Of the request that created it, to compare with a retry. It is stored with the key. */
  readonly requestHash?: Buffer | undefined;
  readonly movement?: Movement | undefined;
  /** The call to the processor, if it is still to be made. */
  readonly call?: { readonly request: StoredRequest; readonly retryAt: Instant };
}

/**
 * Creates payments in one commit: of one merchant, or of several in a shared statement. If the key of a payment is taken, nothing is
 * written for it, and its result is undefined.
 */
export async function insertPayments(
  tx: Tx,
  items: readonly PaymentToInsert[],
  isShared = false,
): Promise<readonly (Payment<PaymentStatus> | undefined)[]> {
  // Every call takes its keys in the same order. Otherwise two calls with the same keys could wait for each other.
  const sorted = items.toSorted(byKey);
  const [row] = await (isShared ? createOfMerchants(tx, sorted) : createOfMerchant(tx, sorted));
  const taken = row?.taken ?? [];
  return items.map(({ payment }) => (taken.includes(payment.id) ? undefined : payment));
}

function byKey(one: PaymentToInsert, other: PaymentToInsert): number {
  return (
    compare(one.merchantId, other.merchantId) ||
    compare(one.key?.key ?? '', other.key?.key ?? '') ||
    compare(one.key?.applicationId ?? '', other.key?.applicationId ?? '')
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

interface CreatedRow {
  /** The ids of the payments that were not created. */
  readonly taken: readonly string[];
}

function createOfMerchant(tx: Tx, items: readonly PaymentToInsert[]) {
  return tx<CreatedRow[]>`
    select ${fn(tx, 'create_payments')}(
      ${items[0]?.merchantId ?? ''}, ${toArray(items, toPayment)}::text::json, ${COPY_BASE}::text::json, ${toCopies(items)},
      ${toArray(items, toKey)}::text::json, ${toArray(items, toMovement)}::text::json, ${toArray(items, toCall)}::text::json,
      ${toArray(items, toWork)}::text::json
    ) as taken`;
}

function createOfMerchants(tx: Tx, items: readonly PaymentToInsert[]) {
  return tx<CreatedRow[]>`
    select ${fn(tx, 'create_payments_of_merchants')}(
      ${toRows(items, toPayment)}::text::json, ${COPY_BASE}::text::json, ${toCopies(items)}, ${toRows(items, toKey)}::text::json,
      ${toRows(items, toMovement)}::text::json, ${toRows(items, toCall)}::text::json, ${toRows(items, toWork)}::text::json
    ) as taken`;
}

/** Rows that name their merchants. */
function toRows(items: readonly PaymentToInsert[], toRow: typeof toKey): string | null {
  return toArray(items, (item) => {
    const row = toRow(item);
    return row && `{"merchant_id":${JSON.stringify(item.merchantId)},${row.slice(1)}`;
  });
}

/** The rows that the items have, as a JSON array; null if there are none. */
function toArray(items: readonly PaymentToInsert[], toRow: (item: PaymentToInsert) => string | undefined) {
  const rows = items.map(toRow).filter((row) => row !== undefined);
  return rows.length === 0 ? null : `[${rows}]`;
}

function toPayment({ payment }: PaymentToInsert): string {
  return PAYMENT_COLUMNS.toRow(payment);
}

/** Copies have no line breaks. In JSON they would be escaped, and parsed twice. */
function toCopies(items: readonly PaymentToInsert[]): string {
  return items.map(({ payment }) => printCopy(payment) ?? '').join('\n');
}

function toKey({ payment, key, requestHash }: PaymentToInsert): string | undefined {
  return key && requestHash && idempotencyKeys.toRow({ ...key, requestHash, madeId: payment.id });
}

function toMovement({ movement }: PaymentToInsert): string | undefined {
  return movement && MOVEMENT_COLUMNS.toRow(movement);
}

function toCall({ payment, call }: PaymentToInsert): string | undefined {
  return call && JSON.stringify({ payment_id: payment.id, request: call.request, retry_at: toTimestamp(call.retryAt) });
}

function toWork({ payment: { id, delayedUntil } }: PaymentToInsert): string | undefined {
  return delayedUntil === null ? undefined : toWorkRow({ ...expirePaymentWork(id), dueAt: delayedUntil });
}

/** Inserts past payments in their current state, without their movements: with their idempotency keys, the sales of API payments, and the due work of APPROVED payments. */
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
