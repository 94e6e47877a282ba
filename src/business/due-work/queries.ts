/** SQL for due work (decision 0041). */
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { DueKind, DueWork } from './model.js';
import { dueWork } from './table.js';

/** Work as an argument of a function. */
export function toWorkRow({ kind, subjectId, dueAt }: DueWork): string {
  return JSON.stringify({ kind, subject_id: subjectId, due_at: toTimestamp(dueAt) });
}

/** Inserts the open work of a generated history. */
export async function insertScheduledWork(tx: Tx, merchantId: string, works: readonly DueWork[]): Promise<void> {
  await tx`select ${fn(tx, 'schedule_work')}(${merchantId}, ${`[${works.map(toWorkRow)}]`}::text::json)`;
}

/** Recomputes the run times of all work of a merchant whose clock has moved, in that transaction. */
export async function updateRunTimes(tx: Tx, merchantId: string, overdueRunAt: Instant): Promise<void> {
  await tx`select ${fn(tx, 'renew_run_times')}(${merchantId}, ${overdueRunAt})`;
}

/** When the next work of any merchant is due, in real time. Null: there is none. */
export function nextDueWorkAt(sql: Sql): Fragment {
  return sql`(select min(run_at) from due_work)`;
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

/**
 * The work must be due by `until`, and also by the present clock: if the merchant was reset to a snapshot after `until` was read, its
 * clock and its work are those of the snapshot (decision 0171).
 */
const isSelected = (
  sql: Sql,
  merchantId: string,
  { until, except, exceptKinds }: DueSelection,
  real: Instant,
): Fragment => sql`
  due_at <= ${until}
    and due_at <= (
      select coalesce(clock_frozen_at, ${real}::timestamptz + clock_offset_ms * interval '1 millisecond')
      from merchants
      where merchant_id = ${merchantId}
    )
    and subject_id <> all (${except as string[]}::text[])
    and kind <> all (${exceptKinds as string[]}::text[])`;

/** Whether work has no claim, or its lease has expired. */
export const isUnclaimed = (sql: Sql, real: Instant): Fragment =>
  sql`(leased_until is null or leased_until <= ${real})`;

/** Finds the oldest unclaimed work that is due by the merchant's clock. The change depends on it, so two workers never do the same work. */
export async function readDueWork(
  change: Change,
  selection: DueSelection,
  real: Instant,
): Promise<(DueWork & Versioned) | undefined> {
  const { sql, merchantId } = change;
  const [row] = await sql<(DueWork & Versioned)[]>`
    select kind, subject_id, due_at, xmin::text as version
    from due_work
    where merchant_id = ${merchantId} and ${isSelected(sql, merchantId, selection, real)} and ${isUnclaimed(sql, real)}
    order by due_at, kind, subject_id
    limit 1`;
  if (row) change.dependOn(dueWork, row);
  return row;
}

/** Claims work until a real time: nothing is locked during the call of the processor, and no other worker takes the work. */
export function updateDueWorkToClaimed(change: Change, { kind, subjectId }: DueWork, until: Instant): void {
  change.save(dueWork, { kind, subjectId }, { kind, subjectId, leasedUntil: until, runAt: until });
}

/** What comes next for a merchant, by its clock. */
export async function listDueWork(sql: Sql, merchantId: string, limit: number): Promise<DueWork[]> {
  return sql<DueWork[]>`
    select kind, subject_id, due_at
    from due_work
    where merchant_id = ${merchantId}
    order by due_at, kind, subject_id
    limit ${limit}`;
}

/** Whether any selected work is left, including work that another worker has claimed. */
export async function hasDueWork(
  sql: Sql,
  merchantId: string,
  selection: DueSelection,
  real: Instant,
): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from due_work
      where merchant_id = ${merchantId} and ${isSelected(sql, merchantId, selection, real)}
    ) as found`;
  return row?.found ?? false;
}

/** Finds work of other kinds that was due before a time and that another worker has claimed. */
export async function findWorkInProgress(
  sql: Sql,
  merchantId: string,
  { before, except, real }: { readonly before: Instant; readonly except: DueKind; readonly real: Instant },
): Promise<DueWork | undefined> {
  const [row] = await sql<DueWork[]>`
    select kind, subject_id, due_at
    from due_work
    where merchant_id = ${merchantId} and due_at < ${before} and kind <> ${except} and leased_until > ${real}
    limit 1`;
  return row;
}

/** Moves recurring work on to its next time. Work that is overdue by a frozen clock runs at `overdueRunAt`. */
export function updateRecurringWork(change: Change, { kind, subjectId, dueAt }: DueWork, overdueRunAt: Instant): void {
  change.call('move_due_work', {
    kind,
    subject_id: subjectId,
    due_at: toTimestamp(dueAt),
    overdue_run_at: toTimestamp(overdueRunAt),
  });
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

export function deleteDueWork(change: Change, { kind, subjectId }: Pick<DueWork, 'kind' | 'subjectId'>): void {
  change.delete(dueWork, { kind, subjectId });
}
