/** SQL for our records, as a processor should have them. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import { callKey, refundKey } from '../payments/calls.js';
import type { PaymentStatus, RefundStatus } from '../payments/model.js';
import { type OwnRecord, paymentState, refundState } from './model.js';

/** Selects the records that were made in a range of time, or the records of some payments. */
export type OwnSelection =
  | { readonly begin: Instant; readonly end: Instant }
  | { readonly paymentIds: readonly string[] };

interface Row {
  type: 'payment' | 'refund';
  paymentId: string;
  /** What the key of a refund is made of: the id of the refund, or of the movement that reverses a payment. */
  keyId: string;
  status: string;
  isCaptured: boolean;
  amount: Amount;
  currency: string;
  fee: Amount;
  createdAt: Instant;
}

/** Processors of a merchant. Null: that of the server. */
export type ProcessorIds = readonly (string | null)[];

/** Only records of cards at these processors. Returned goods that pay for others (exchanges) move no money. */
export async function listOwnRecords(
  sql: Sql,
  merchantId: string,
  processorIds: ProcessorIds,
  selection: OwnSelection,
): Promise<OwnRecord[]> {
  const isThere = (table: Fragment): Fragment =>
    sql`coalesce(${table}.processor_id, '') = any (${processorIds.map((id) => id ?? '')}::text[])`;
  const payments = (hasStatus: Fragment): Fragment =>
    selectPayments(
      sql,
      merchantId,
      sql`${hasStatus} and ${isThere(sql`payments`)} and ${isSelected(sql, sql`payments`, selection)}`,
    );
  const rows = await sql<Row[]>`
    select
      'refund' as type, p.payment_id, refund_id as key_id, refunds.status, false as is_captured, refunds.amount,
      refunds.currency, 0 as fee, refunds.created_at
    from refunds
    join payments p on p.merchant_id = ${merchantId}
      and p.payment_id = coalesce(refunds.returned_to, refunds.payment_id) and ${isThere(sql`p`)}
    where refunds.merchant_id = ${merchantId} and refunds.source_type = 'CARD' and origin in ('API', 'REGISTER')
      and ${isSelected(sql, sql`refunds`, selection, sql`p`)}
    union all
    select
      'refund', refunds.payment_id, movement_id, refunds.status, false, refunds.amount, refunds.currency, 0, refunds.created_at
    from refunds
    join payments p on p.merchant_id = ${merchantId} and p.payment_id = refunds.payment_id and ${isThere(sql`p`)}
    join movements on movements.merchant_id = ${merchantId} and movements.payment_id = refunds.payment_id
      and movements.refund_id = refunds.refund_id and movements.kind = 'REVERSAL'
    where refunds.merchant_id = ${merchantId} and refunds.source_type = 'CARD' and origin = 'REVERSAL' and leader_id is null
      and ${isSelected(sql, sql`refunds`, selection)}
    union all
    ${payments(sql`status <> 'PENDING'`)}
    union all
    ${payments(
      // The index by time has no payments without an outcome, but each of them has a call.
      sql`status = 'PENDING' and payment_id = any (array (
        select payment_id from processor_calls where merchant_id = ${merchantId} and action = 'CREATE'
      ))`,
    )}`;
  return rows.map((row) => toRecord(merchantId, row));
}

function selectPayments(sql: Sql, merchantId: string, condition: Fragment): Fragment {
  return sql`
    select
      'payment' as type, payment_id, payment_id as key_id, status, captured_at is not null as is_captured,
      total as amount, currency, coalesce(fee, 0) as fee, created_at
    from payments
    where merchant_id = ${merchantId} and source_type = 'CARD' and ${condition}`;
}

/** A payment that the processor has approved since that time. Undefined: there is none. */
export async function findAnsweredPayment(
  sql: Sql,
  merchantId: string,
  { processorId, since }: { readonly processorId: string; readonly since: Instant },
): Promise<string | undefined> {
  const [row] = await sql<{ paymentId: string }[]>`
    select payment_id
    from payments
    where merchant_id = ${merchantId} and processor_id = ${processorId} and created_at >= ${since}
      and source_type = 'CARD' and status in ('APPROVED', 'COMPLETED', 'CANCELED')
    order by created_at desc
    limit 1`;
  return row?.paymentId;
}

/** How many calls for payments at this processor have no outcome yet, or are still to be made. */
export async function findOpenCallCount(sql: Sql, merchantId: string, processorId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    with open as (
      select payment_id
      from processor_calls
      where merchant_id = ${merchantId}
      union all
      select coalesce(refunds.returned_to, refunds.payment_id, movements.payment_id, subject_id)
      from due_work
      left join refunds on refunds.merchant_id = ${merchantId} and refund_id = subject_id
      left join movements on movements.merchant_id = ${merchantId} and movement_id = subject_id
      where due_work.merchant_id = ${merchantId} and due_work.kind in ('FINISH_REFUND', 'SEND_VOID', 'SEND_REVERSAL')
    )
    select count(*) as count
    from open
    join payments on merchant_id = ${merchantId} and payments.payment_id = open.payment_id
    where processor_id = ${processorId}`;
  return row?.count ?? 0;
}

/** `payment` has the id of the payment. Default: the table itself. */
function isSelected(sql: Sql, table: Fragment, selection: OwnSelection, payment: Fragment = table): Fragment {
  if ('paymentIds' in selection) return sql`${payment}.payment_id = any (${selection.paymentIds as string[]}::text[])`;
  return sql`${table}.created_at >= ${selection.begin} and ${table}.created_at < ${selection.end}`;
}

function toRecord(merchantId: string, { keyId, status, isCaptured, ...row }: Row): OwnRecord {
  return row.type === 'payment'
    ? {
        ...row,
        key: callKey(merchantId, keyId, 'CREATE'),
        state: paymentState(status as PaymentStatus, isCaptured),
      }
    : { ...row, key: refundKey(merchantId, keyId), state: refundState(status as RefundStatus) };
}
