/** SQL statements on calls to the processor whose outcome is unknown, and on the payments that wait for it. */
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { DueWork } from '../due-work/model.js';
import { isUnclaimed } from '../due-work/queries.js';
import type { Call } from './call-model.js';
import type { PendingPayment } from './model.js';
import { dependOnPayment } from './rows.js';
import { PAYMENT_COLUMNS, processorCalls, type StoredCall } from './table.js';

/** A call for an APPROVED payment. The worker or request that recorded or claimed it holds the lease until `retryAt`. */
export interface ActionCall {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly action: 'COMPLETE' | 'CANCEL';
  readonly retryAt: Instant;
}

/**
 * Records the intent to call the processor for an APPROVED payment. Returns false if the payment is no longer APPROVED or
 * has a call in flight.
 */
export async function insertActionCall(
  tx: Tx,
  { merchantId, paymentId, action, retryAt }: ActionCall,
): Promise<boolean> {
  const [row] = await tx<{ isRecorded: boolean }[]>`
    select ${fn(tx, 'record_action_call')}(${merchantId}, ${paymentId}, ${action}, ${retryAt}) as is_recorded`;
  return row?.isRecorded ?? false;
}

export async function findCall(sql: Sql, merchantId: string, paymentId: string): Promise<Call | undefined> {
  const [row] = await sql<Call[]>`
    select ${processorCalls.select(sql)}
    from processor_calls
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
  return row;
}

/** Finds the call of a payment. The change depends on it, also if there is none. */
export async function readCall(change: Change, paymentId: string): Promise<(StoredCall & Versioned) | undefined> {
  return change.read(processorCalls, { paymentId });
}

/** When the next call of any merchant is to be retried. Null: there is none. */
export function nextCallAt(sql: Sql): Fragment {
  return sql`(select min(retry_at) from processor_calls)`;
}

/** Merchants with calls to retry, except those given. Reads only the `limit` oldest calls, without locks. */
export async function listMerchantsWithCalls(
  sql: Sql,
  { now, except, limit }: { readonly now: Instant; readonly except: readonly string[]; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select distinct merchant_id
    from (
      select merchant_id
      from processor_calls
      where retry_at <= ${now} and merchant_id <> all (${except as string[]}::text[])
      order by retry_at
      limit ${limit}
    ) as calls`;
  return rows.map(({ merchantId }) => merchantId);
}

/** Finds the oldest unclaimed call to retry. The change depends on it, so two workers do not claim the same call. */
export async function readCallToRetry(change: Change, now: Instant): Promise<(StoredCall & Versioned) | undefined> {
  const { sql, merchantId } = change;
  const [row] = await sql<(StoredCall & Versioned)[]>`
    select ${processorCalls.select(sql)}, xmin::text as version
    from processor_calls
    where merchant_id = ${merchantId} and retry_at <= ${now} and ${isUnclaimed(sql, now)}
    order by retry_at
    limit 1`;
  if (row) change.dependOn(processorCalls, row);
  return row;
}

/** Claims the call of one payment, even before its retry time. Returns false if it is leased or is for another action. */
export async function updateActionCallToClaimed(
  tx: Tx,
  { merchantId, paymentId, action, retryAt }: ActionCall,
  now: Instant,
): Promise<boolean> {
  const rows = await tx`
    update processor_calls
    set retry_at = ${retryAt}, leased_until = ${retryAt}
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and action = ${action} and ${isUnclaimed(tx, now)}
    returning 1`;
  return rows.length > 0;
}

/** Due work that a worker has claimed. */
export interface ClaimedWork extends DueWork {
  /** Identifies the claim: no other claim of this work has the same time. */
  readonly leasedUntil: Instant;
}

/** Releases a claim whose holder has ended, with the lease of its call. Another worker can do the work at `runAt`. */
export async function updateClaimToReleased(
  tx: Tx,
  merchantId: string,
  { kind, subjectId, leasedUntil }: ClaimedWork,
  runAt: Instant,
): Promise<void> {
  await tx`
    select ${fn(tx, 'release_claim')}(${merchantId}, ${kind}, ${subjectId}, ${leasedUntil}, ${runAt})`;
}

/** Releases the lease after a call without a response, so that the next caller can retry at once. */
export async function updateCallToUnclaimed(tx: Tx, merchantId: string, paymentId: string): Promise<void> {
  await tx`
    update processor_calls
    set leased_until = null
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
}

export interface UnresolvedPayment {
  readonly payment: PendingPayment;
  readonly call: Call;
}

/** A payment whose outcome is unknown, with its call. */
export async function findUnresolved(
  sql: Sql,
  merchantId: string,
  paymentId: string,
): Promise<UnresolvedPayment | undefined> {
  const [row] = await selectUnresolved(sql, merchantId, paymentId);
  return row && toUnresolved(row);
}

/** Like `findUnresolved`, to record the outcome. The change depends on the payment and on the call. */
export async function readUnresolved(change: Change, paymentId: string): Promise<UnresolvedPayment | undefined> {
  const { sql, merchantId } = change;
  const [row] = await selectUnresolved(sql, merchantId, paymentId);
  if (!row) return undefined;
  dependOnPayment(change, row);
  change.dependOn(processorCalls, { paymentId, version: row.callVersion });
  return toUnresolved(row);
}

type UnresolvedRow = PendingPayment & Call & Versioned & { readonly callVersion: string };

function selectUnresolved(sql: Sql, merchantId: string, paymentId: string) {
  return sql<UnresolvedRow[]>`
    select
      ${PAYMENT_COLUMNS.select(sql)}, action, request, cancel_after, payments.xmin::text as version,
      processor_calls.xmin::text as call_version
    from payments
    join processor_calls using (merchant_id, payment_id)
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'PENDING'`;
}

function toUnresolved({ action, request, cancelAfter, ...payment }: UnresolvedRow): UnresolvedPayment {
  return { payment, call: { paymentId: payment.id, action, request, cancelAfter } };
}
