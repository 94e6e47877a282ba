/** The statement that inserts payments with all dependent rows. */
import type { Instant } from '../../base/time.js';
import { type Tx, toTimestamp } from '../../database/database.js';
import { insertEvents } from '../../events/record-queries.js';
import { insertDueWork } from '../due-work/queries.js';
import type { IdempotencyKey } from '../idempotency/queries.js';
import type { Movement } from '../movements/model.js';
import { insertMovements } from '../movements/queries.js';
import { insertCreateCalls, type StoredRequest } from './call-queries.js';
import type { Payment, PaymentStatus } from './model.js';
import {
  expirePaymentWork,
  type PaymentJson,
  paymentColumnsAfterId,
  paymentEventColumns,
  paymentEvents,
} from './queries.js';

/** A payment to insert, with its dependent rows. */
export interface PaymentToInsert {
  readonly merchantId: string;
  readonly payment: Payment<PaymentStatus>;
  /** The key that an application sent. A tender of a register has a `registerTenderId` instead. */
  readonly key?: IdempotencyKey;
  readonly requestHash?: Buffer;
  readonly movement?: Movement | undefined;
  /** The call to the processor, if it is still to be made. */
  readonly call?: { readonly request: StoredRequest; readonly retryAt: Instant };
}

/**
 * Inserts payments, each with its key, the sale and the movement if it is captured, the due work if it is delayed, and its
 * events. One statement, one commit. For a payment whose key is taken, nothing is written and the result is undefined. A
 * second request with the same key waits here until the first one has committed.
 */
export async function insertPayments(tx: Tx, made: readonly PaymentToInsert[]): Promise<(PaymentJson | undefined)[]> {
  // All statements insert keys in the same order. Otherwise two statements with the same keys could deadlock.
  const rowsJson = made
    .toSorted((one, other) => ((one.key?.key ?? '') < (other.key?.key ?? '') ? -1 : 1))
    .map(printRow);
  const movements = made.flatMap(({ merchantId, movement }) => (movement ? [{ merchantId, movement }] : []));
  const calls = made.flatMap(({ merchantId, payment, call }) =>
    call ? [{ merchantId, paymentId: payment.id, ...call }] : [],
  );
  const works = made.flatMap(({ merchantId, payment: { id, delayedUntil } }) =>
    delayedUntil === null ? [] : [{ merchantId, ...expirePaymentWork(id), dueAt: delayedUntil }],
  );
  const rows = await tx<({ paymentId: string } & PaymentJson)[]>`
    with given as materialized (
      select
        merchant_id, payment_id, ${paymentColumnsAfterId(tx)}, operation, key, request_hash
      from json_to_recordset(${`[${rowsJson}]`}::text::json) as given (
        merchant_id text, payment_id text, sale_id text, location_id text, channel text, application_id text,
        status text, source_type text, created_at timestamptz, updated_at timestamptz, captured_at timestamptz,
        delayed_until timestamptz, currency text, amount bigint, tip bigint, total bigint, app_fee bigint, fee bigint,
        refunded bigint, returned bigint, refund_ids text[], refunds_blocked boolean, card_brand text, last_4 text,
        exchanged bigint, employee_id uuid, register_tender_id text, entry_method text, tendered bigint,
        tender_name text, is_exchange boolean, drawer_shift_id uuid, errors json, card_details json, details json, operation text, key text, request_hash bytea
      )
    ),
    keyed as (
      insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
      select merchant_id, application_id, operation, key, request_hash, payment_id
      from given
      where key is not null
      on conflict do nothing
      returning merchant_id, made_id as payment_id
    ),
    made as (
      select merchant_id, payment_id from keyed
      union all
      select merchant_id, payment_id from given where key is null
    ),
    sale as (
      insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
      select merchant_id, sale_id, location_id, channel, 'COMPLETED', captured_at
      from given
      join made using (merchant_id, payment_id)
      where captured_at is not null and channel = 'API'
    )
    ${movements.length > 0 ? tx`, movement as (${insertMovements(tx, movements, { cte: 'made', each: true })})` : tx``}
    ${calls.length > 0 ? tx`, call as (${insertCreateCalls(tx, calls, 'made')})` : tx``}
    ${works.length > 0 ? tx`, due as (${insertDueWork(tx, works, { cte: 'made', subject: 'payment_id' })})` : tx``}
    , payment as (
      insert into payments (merchant_id, payment_id, ${paymentColumnsAfterId(tx)})
      select merchant_id, payment_id, ${paymentColumnsAfterId(tx)}
      from given
      join made using (merchant_id, payment_id)
      returning ${paymentEventColumns(tx)}
    ),
    ${insertEvents(
      tx,
      made.map(({ merchantId }) => merchantId),
      [paymentEvents(tx, 'payment', 'payment.created')],
    )}
    select payment_id, v2_json
    from payment`;
  const written = new Map(rows.map(({ paymentId, v2Json }) => [paymentId, { v2Json }]));
  return made.map(({ payment }) => written.get(payment.id));
}

/** A row of the recordset, named like the columns. `cardDetails` and `details` are JSON text already and are not parsed. */
function printRow({ merchantId, payment, key, requestHash }: PaymentToInsert): string {
  const row = JSON.stringify({
    merchant_id: merchantId,
    payment_id: payment.id,
    sale_id: payment.saleId,
    location_id: payment.locationId,
    channel: payment.channel,
    application_id: payment.applicationId,
    status: payment.status,
    source_type: payment.sourceType,
    created_at: toTimestamp(payment.createdAt),
    updated_at: toTimestamp(payment.updatedAt),
    captured_at: payment.capturedAt === null ? null : toTimestamp(payment.capturedAt),
    delayed_until: payment.delayedUntil === null ? null : toTimestamp(payment.delayedUntil),
    currency: payment.currency,
    amount: payment.amount,
    tip: payment.tip,
    total: payment.total,
    app_fee: payment.appFee,
    fee: payment.fee,
    refunded: payment.refunded,
    returned: payment.returned,
    refund_ids: payment.refundIds,
    refunds_blocked: payment.refundsBlocked,
    card_brand: payment.cardBrand,
    last_4: payment.last4,
    exchanged: payment.exchanged,
    employee_id: payment.employeeId,
    register_tender_id: payment.registerTenderId,
    entry_method: payment.entryMethod,
    tendered: payment.tendered,
    tender_name: payment.tenderName,
    is_exchange: payment.isExchange,
    drawer_shift_id: payment.drawerShiftId,
    errors: payment.errors,
    operation: key?.operation,
    key: key?.key,
    request_hash: requestHash && `\\x${requestHash.toString('hex')}`,
  });
  return `${row.slice(0, -1)},"card_details":${payment.cardDetails},"details":${payment.details}}`;
}
