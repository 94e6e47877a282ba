/** SQL statements on calls to the processor whose outcome is unknown. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { AuthorizeRequest } from '../../processor/contract.js';
import type { DueWork } from '../due-work/model.js';
import { isUnclaimed } from '../due-work/queries.js';

export type CallAction = 'CREATE' | 'COMPLETE' | 'CANCEL';

/** What a retry of a CREATE call sends again. */
export type StoredRequest = Pick<AuthorizeRequest, 'key' | 'sourceId' | 'amount' | 'acceptPartial'> & {
  readonly verificationToken?: string;
  readonly autocomplete: boolean;
  /** The key that the caller sent. It is released if no payment is created. */
  readonly callerKey?: { readonly applicationId: string; readonly operation: 'createPayment'; readonly key: string };
};

export interface Call {
  readonly paymentId: string;
  readonly action: CallAction;
  readonly request: StoredRequest | null;
  readonly cancelAfter: boolean;
}

/** A call for an APPROVED payment. The worker or request that recorded or claimed it holds the lease until `retryAt`. */
export interface ActionCall {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly action: 'COMPLETE' | 'CANCEL';
  readonly retryAt: Instant;
}

/**
 * Records the intent to call the processor for an APPROVED payment. Returns false if the payment is no longer APPROVED or
 * has a call in flight. Waits for a transaction that holds the payment, because that may be voiding it.
 */
export async function insertActionCall(
  tx: Tx,
  { merchantId, paymentId, action, retryAt }: ActionCall,
): Promise<boolean> {
  const [row] = await tx<{ recorded: boolean }[]>`
    select ${fn(tx, 'record_action_call')}(${merchantId}, ${paymentId}, ${action}, ${retryAt}) as recorded`;
  return row?.recorded ?? false;
}

export async function findCall(sql: Sql, merchantId: string, paymentId: string): Promise<Call | undefined> {
  const [row] = await sql<Call[]>`
    select payment_id, action, request, cancel_after
    from processor_calls
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
  return row;
}

export async function updateCallToCancelAfter(tx: Tx, merchantId: string, paymentId: string): Promise<void> {
  await tx`
    update processor_calls
    set cancel_after = true
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
}

/** Merchants, without `except`, that have one of the oldest `limit` calls to retry. Reads without locks. */
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

/** Claims the oldest call to retry until `retryAt`. */
export async function updateCallToClaimed(
  tx: Tx,
  merchantId: string,
  now: Instant,
  retryAt: Instant,
): Promise<Call | undefined> {
  const [row] = await tx<Call[]>`
    select payment_id, action, request, cancel_after
    from ${fn(tx, 'claim_call')}(${merchantId}, ${now}, ${retryAt})`;
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
