/** Every SQL statement on calls to the processor whose outcome is not known yet. */
import type { Instant } from '../../base/time.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../../database/database.js';
import type { AuthorizeRequest } from '../../processor/contract.js';
import { isFree } from '../due-work/queries.js';

export type CallAction = 'CREATE' | 'COMPLETE' | 'CANCEL';

/** What a CREATE has to say again. */
export type StoredRequest = Pick<AuthorizeRequest, 'key' | 'sourceId' | 'amount' | 'acceptPartial'> & {
  readonly verificationToken?: string;
  readonly autocomplete: boolean;
  /** The key that the caller sent, to be freed if nothing came of it. */
  readonly callerKey?: { readonly applicationId: string; readonly operation: 'createPayment'; readonly key: string };
};

export interface Call {
  readonly paymentId: string;
  readonly action: CallAction;
  readonly request: StoredRequest | null;
  readonly cancelAfter: boolean;
}

/** What is about to be asked for an APPROVED payment. Until `retryAt`, only the worker or request that noted or took it asks. */
export interface ActionCall {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly action: 'COMPLETE' | 'CANCEL';
  readonly retryAt: Instant;
}

/** Composed into the statement that makes the payments; `from` names the CTE whose rows (merchant_id, payment_id) must be there. */
export function insertCreateCalls(
  sql: Sql,
  calls: readonly { merchantId: string; paymentId: string; request: StoredRequest; retryAt: Instant }[],
  from: string,
): Fragment {
  const rows = calls.map(({ merchantId, paymentId, request, retryAt }) => ({
    merchant_id: merchantId,
    payment_id: paymentId,
    request,
    retry_at: toTimestamp(retryAt),
  }));
  return sql`
    insert into processor_calls (merchant_id, payment_id, action, request, retry_at, taken_until)
    select merchant_id, payment_id, 'CREATE', request, retry_at, retry_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as call (
      merchant_id text, payment_id text, request json, retry_at timestamptz
    )
    join ${sql(from)} using (merchant_id, payment_id)`;
}

/**
 * Notes what is about to be asked for an APPROVED payment; false where it is no longer that, or is being asked for. Waits
 * for who holds the payment: it may be about to be voided.
 */
export async function insertActionCall(
  tx: Tx,
  { merchantId, paymentId, action, retryAt }: ActionCall,
): Promise<boolean> {
  const rows = await tx`
    insert into processor_calls (merchant_id, payment_id, action, retry_at, taken_until)
    select merchant_id, payment_id, ${action}, ${retryAt}::timestamptz, ${retryAt}::timestamptz
    from payments
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and status = 'APPROVED'
    for update
    on conflict do nothing
    returning 1`;
  return rows.length > 0;
}

export async function findCall(sql: Sql, merchantId: string, paymentId: string): Promise<Call | undefined> {
  const [row] = await sql<Call[]>`
    select payment_id, action, request, cancel_after
    from processor_calls
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
  return row;
}

/** Part of recording an outcome. */
export function deleteCall(sql: Sql, merchantId: string, paymentId: string) {
  return sql`
    delete from processor_calls
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
}

export async function updateCallToCancelAfter(tx: Tx, merchantId: string, paymentId: string): Promise<void> {
  await tx`
    update processor_calls
    set cancel_after = true
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
}

/** Other merchants with calls to make again, as far as the oldest tell; read without locks. */
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

/** Takes a call for a while: no lock is held while the processor is asked, and another worker leaves it alone. */
export async function updateCallToTaken(
  tx: Tx,
  merchantId: string,
  now: Instant,
  retryAt: Instant,
): Promise<Call | undefined> {
  const [row] = await tx<Call[]>`
    update processor_calls
    set retry_at = ${retryAt}, taken_until = ${retryAt}
    where merchant_id = ${merchantId} and payment_id = (
      select payment_id
      from processor_calls
      where merchant_id = ${merchantId} and retry_at <= ${now} and ${isFree(tx, now)}
      order by retry_at
      limit 1
      for update skip locked
    )
    returning payment_id, action, request, cancel_after`;
  return row;
}

/** The same for a certain one, whenever it was to be asked again; false where somebody is asking, or for something else. */
export async function updateActionCallToTaken(
  tx: Tx,
  { merchantId, paymentId, action, retryAt }: ActionCall,
  now: Instant,
): Promise<boolean> {
  const rows = await tx`
    update processor_calls
    set retry_at = ${retryAt}, taken_until = ${retryAt}
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and action = ${action} and ${isFree(tx, now)}
    returning 1`;
  return rows.length > 0;
}

/** Of somebody who took it until then, and has ended. */
export async function updateTakenCallToFree(
  tx: Tx,
  merchantId: string,
  { paymentId, takenUntil }: { readonly paymentId: string; readonly takenUntil: Instant },
): Promise<void> {
  await tx`
    update processor_calls
    set taken_until = null
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and taken_until = ${takenUntil}`;
}

/** There was no answer: whoever wants to know may ask. */
export async function updateCallToFree(tx: Tx, merchantId: string, paymentId: string): Promise<void> {
  await tx`
    update processor_calls
    set taken_until = null
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
}
