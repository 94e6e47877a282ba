/** SQL for due work (decision 0041). */
import type { Instant } from '../../base/time.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { DueKind, DueWork } from './model.js';

/** Work as an argument of a function. */
export function toWorkRow({ kind, subjectId, dueAt }: DueWork): string {
  return JSON.stringify({ kind, subject_id: subjectId, due_at: toTimestamp(dueAt) });
}

/** Inserts the open work of a generated history. */
export async function insertScheduledWork(tx: Tx, merchantId: string, works: readonly DueWork[]): Promise<void> {
  await tx`select ${fn(tx, 'schedule_work')}(${merchantId}, ${`[${works.map(toWorkRow)}]`}::text::json)`;
}

/** Merchants with due work, except those given. Reads only the `limit` oldest rows, without locks. */
export async function listMerchantsWithDueWork(
  sql: Sql,
  { now, except, limit }: { readonly now: Instant; readonly except: readonly string[]; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select distinct merchant_id
    from (
      select merchant_id
      from due_work
      where run_at <= ${now} and merchant_id <> all (${except as string[]}::text[])
      order by run_at
      limit ${limit}
    ) as due`;
  return rows.map(({ merchantId }) => merchantId);
}

export interface DueSelection {
  /** By the merchant's clock. */
  readonly until: Instant;
  /** Subjects and kinds to skip. */
  readonly except: readonly string[];
  readonly exceptKinds: readonly DueKind[];
}

const isSelected = (sql: Sql, { until, except, exceptKinds }: DueSelection): Fragment => sql`
  due_at <= ${until} and subject_id <> all (${except as string[]}::text[])
    and kind <> all (${exceptKinds as string[]}::text[])`;

/** Whether work has no claim, or its lease has expired. */
export const isUnclaimed = (sql: Sql, real: Instant): Fragment =>
  sql`(leased_until is null or leased_until <= ${real})`;

/** Locks the oldest unclaimed work that is due by the merchant's clock. Other workers skip locked rows. */
export async function lockDueWork(
  tx: Tx,
  merchantId: string,
  selection: DueSelection,
  real: Instant,
): Promise<DueWork | undefined> {
  const [row] = await tx<DueWork[]>`
    select kind, subject_id, due_at
    from due_work
    where merchant_id = ${merchantId} and ${isSelected(tx, selection)} and ${isUnclaimed(tx, real)}
    order by due_at, kind, subject_id
    limit 1
    for update skip locked`;
  return row;
}

/** Claims work until a real time: no lock is held during the processor call, and no other worker takes the work. */
export async function updateDueWorkToClaimed(
  tx: Tx,
  merchantId: string,
  { kind, subjectId }: DueWork,
  until: Instant,
): Promise<void> {
  await tx`
    update due_work
    set leased_until = ${until}, run_at = ${until}
    where merchant_id = ${merchantId} and kind = ${kind} and subject_id = ${subjectId}`;
}

/** Whether any selected work is left, including work that another worker has locked or claimed. */
export async function hasDueWork(sql: Sql, merchantId: string, selection: DueSelection): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from due_work
      where merchant_id = ${merchantId} and ${isSelected(sql, selection)}
    ) as found`;
  return row?.found ?? false;
}

/** Finds work of other kinds that was due before a time and that another worker has locked or claimed. */
export async function findWorkInProgress(
  tx: Tx,
  merchantId: string,
  { before, except, real }: { readonly before: Instant; readonly except: DueKind; readonly real: Instant },
): Promise<DueWork | undefined> {
  const [row] = await tx<DueWork[]>`
    with free as (
      select kind, subject_id
      from due_work
      where merchant_id = ${merchantId} and due_at < ${before} and kind <> ${except} and ${isUnclaimed(tx, real)}
      for update skip locked
    )
    select kind, subject_id, due_at
    from due_work
    where merchant_id = ${merchantId} and due_at < ${before} and kind <> ${except}
      and (kind, subject_id) not in (select kind, subject_id from free)
    limit 1`;
  return row;
}

/**
 * Moves recurring work on to its next time. Reads the clock without a lock: a concurrent move of the clock waits for
 * this row and then updates it. Work that is overdue by a frozen clock runs at `overdueRunAt`.
 */
export async function updateRecurringWork(
  tx: Tx,
  merchantId: string,
  { kind, subjectId, dueAt }: DueWork,
  overdueRunAt: Instant,
): Promise<void> {
  await tx`
    update due_work
    set
      due_at = ${dueAt},
      run_at = ${fn(tx, 'to_run_at')}(${dueAt}, clock_offset_ms, clock_frozen_at, ${overdueRunAt})
    from merchants
    where merchants.merchant_id = ${merchantId} and due_work.merchant_id = ${merchantId}
      and kind = ${kind} and subject_id = ${subjectId}`;
}

/** Releases failed work for a retry at a real time. The `due_at` check skips work that another worker has moved on. */
export async function updateDueWorkToPostponed(
  tx: Tx,
  merchantId: string,
  { kind, subjectId, dueAt }: DueWork,
  runAt: Instant,
): Promise<void> {
  await tx`
    update due_work
    set run_at = ${runAt}, leased_until = null
    where merchant_id = ${merchantId} and kind = ${kind} and subject_id = ${subjectId} and due_at = ${dueAt}`;
}

/** Postpones all unclaimed due work of some kinds. */
export async function updateKindsToPostponed(
  tx: Tx,
  merchantId: string,
  { kinds, until, real }: { readonly kinds: readonly DueKind[]; readonly until: Instant; readonly real: Instant },
  runAt: Instant,
): Promise<void> {
  await tx`
    update due_work
    set run_at = ${runAt}
    where merchant_id = ${merchantId} and due_at <= ${until} and kind = any (${kinds as string[]}::text[])
      and ${isUnclaimed(tx, real)}`;
}

export async function deleteDueWork(tx: Tx, merchantId: string, { kind, subjectId }: DueWork): Promise<void> {
  await tx`
    delete from due_work
    where merchant_id = ${merchantId} and kind = ${kind} and subject_id = ${subjectId}`;
}
