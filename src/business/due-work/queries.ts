/** Every SQL statement on work that is due later (decision 0041). */
import { type Instant, instant } from '../../base/time.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../../database/database.js';
import type { DueKind, DueWork } from './model.js';

/**
 * The same moment in real time, by a clock in the columns of merchants. While it stands still there is none, except for
 * what is due already, which must not be left behind: it is looked after at the given time.
 */
const runAt = (sql: Sql, ifOverdue: Instant, dueAt: Fragment = sql`due_at`) => sql`
  case
    when clock_frozen_at is null then ${dueAt} - clock_offset_ms * interval '1 millisecond'
    when ${dueAt} <= clock_frozen_at then ${ifOverdue}::timestamptz
  end`;

/** For what was written by a clock that has moved meanwhile, perhaps on another server: nobody else will do it. */
const AT_ONCE = instant(0);

/**
 * The insert of due work, composed into the statement that causes it; `cause` names the CTE whose rows must be there, and
 * its column that holds the subject. The clocks are read under a lock, so that one that moves at the same moment is seen.
 */
export function insertDueWork(
  sql: Sql,
  works: readonly (DueWork & { readonly merchantId: string })[],
  cause: { readonly cte: string; readonly subject: string },
): Fragment {
  const rows = works.map(({ merchantId, kind, subjectId, dueAt }) => ({
    merchant_id: merchantId,
    kind,
    subject_id: subjectId,
    due_at: toTimestamp(dueAt),
  }));
  return sql`
    insert into due_work (merchant_id, kind, subject_id, due_at, run_at)
    select merchant_id, kind, subject_id, due_at, ${runAt(sql, AT_ONCE)}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as due (
      merchant_id text, kind text, subject_id text, due_at timestamptz
    )
    join (select merchant_id, ${sql(cause.subject)} as subject_id from ${sql(cause.cte)}) as cause
      using (merchant_id, subject_id)
    join (
      select merchant_id, clock_offset_ms, clock_frozen_at
      from merchants
      where merchant_id = any (${[...new Set(works.map(({ merchantId }) => merchantId))]}::text[])
      for key share
    ) as clock using (merchant_id)`;
}

/** The same for what is due at once: no clock has to be asked, since none goes back (decision 0042). */
export function insertOverdueWork(sql: Sql, merchantId: string, work: DueWork, from: string): Fragment {
  return sql`
    insert into due_work (merchant_id, kind, subject_id, due_at, run_at)
    select ${merchantId}, ${work.kind}, ${work.subjectId}, ${work.dueAt}::timestamptz, ${AT_ONCE}::timestamptz
    from ${sql(from)}`;
}

/** Work that stands for ever, or that the past has left, from then on: for who holds the merchant. */
export async function insertStandingWork(tx: Tx, merchantId: string, works: readonly DueWork[]): Promise<void> {
  await tx`
    insert into due_work (merchant_id, kind, subject_id, due_at, run_at)
    select ${merchantId}, kind, subject_id, due_at, ${runAt(tx, AT_ONCE)}
    from
      (
        select kind, subject_id, due_text::timestamptz as due_at
        from unnest(
          ${works.map(({ kind }) => kind)}::text[],
          ${works.map(({ subjectId }) => subjectId)}::text[],
          ${works.map(({ dueAt }) => toTimestamp(dueAt))}::text[]
        ) as work (kind, subject_id, due_text)
      ) as due,
      merchants
    where merchants.merchant_id = ${merchantId}
    on conflict (merchant_id, kind, subject_id) do update
    set due_at = excluded.due_at, run_at = excluded.run_at`;
}

export function deleteDueWork(sql: Sql, merchantId: string, { kind, subjectId }: Omit<DueWork, 'dueAt'>) {
  return sql`
    delete from due_work
    where merchant_id = ${merchantId} and kind = ${kind} and subject_id = ${subjectId}`;
}

/**
 * Part of moving a clock, in the same transaction: all that waits follows it. Who moves it does what is due by it then; a
 * worker looks after what is left at `ifLeft`.
 */
export async function updateRunTimes(tx: Tx, merchantId: string, ifLeft: Instant): Promise<void> {
  await tx`
    update due_work
    set run_at = ${runAt(tx, ifLeft)}
    from merchants
    where merchants.merchant_id = ${merchantId} and due_work.merchant_id = ${merchantId}`;
}

/** Other merchants with something to do, as far as the oldest rows tell; read without locks. */
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
  /** Subjects and kinds that are left for later. */
  readonly except: readonly string[];
  readonly exceptKinds: readonly DueKind[];
}

const isSelected = (sql: Sql, { until, except, exceptKinds }: DueSelection): Fragment => sql`
  due_at <= ${until} and subject_id <> all (${except as string[]}::text[])
    and kind <> all (${exceptKinds as string[]}::text[])`;

/** Work that nobody has taken, or whose taker has not come back. */
export const isFree = (sql: Sql, real: Instant): Fragment => sql`(taken_until is null or taken_until <= ${real})`;

/** The oldest free work of a merchant due by its own clock, held for this transaction; another worker skips it. */
export async function lockDueWork(
  tx: Tx,
  merchantId: string,
  selection: DueSelection,
  real: Instant,
): Promise<DueWork | undefined> {
  const [row] = await tx<DueWork[]>`
    select kind, subject_id, due_at
    from due_work
    where merchant_id = ${merchantId} and ${isSelected(tx, selection)} and ${isFree(tx, real)}
    order by due_at, kind, subject_id
    limit 1
    for update skip locked`;
  return row;
}

/** Takes work for a while, in real time: no lock is held while the processor is asked, and others leave it alone. */
export async function updateDueWorkToTaken(
  tx: Tx,
  merchantId: string,
  { kind, subjectId }: DueWork,
  until: Instant,
): Promise<void> {
  await tx`
    update due_work
    set taken_until = ${until}, run_at = ${until}
    where merchant_id = ${merchantId} and kind = ${kind} and subject_id = ${subjectId}`;
}

/** Whether something due is left, perhaps in the hands of another worker. */
export async function hasDueWork(sql: Sql, merchantId: string, selection: DueSelection): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from due_work
      where merchant_id = ${merchantId} and ${isSelected(sql, selection)}
    ) as found`;
  return row?.found ?? false;
}

/** Work of other kinds that was due before that time and is just being done by somebody else, if there is any. */
export async function findWorkInOtherHands(
  tx: Tx,
  merchantId: string,
  { before, except, real }: { readonly before: Instant; readonly except: DueKind; readonly real: Instant },
): Promise<DueWork | undefined> {
  const [row] = await tx<DueWork[]>`
    with free as (
      select kind, subject_id
      from due_work
      where merchant_id = ${merchantId} and due_at < ${before} and kind <> ${except} and ${isFree(tx, real)}
      for update skip locked
    )
    select kind, subject_id, due_at
    from due_work
    where merchant_id = ${merchantId} and due_at < ${before} and kind <> ${except}
      and (kind, subject_id) not in (select kind, subject_id from free)
    limit 1`;
  return row;
}

/** When the first work of other kinds is due; part of a statement. */
export function findNextOtherWork(sql: Sql, merchantId: string, except: DueKind): Fragment {
  return sql`
    select min(due_at)
    from due_work
    where merchant_id = ${merchantId} and kind <> ${except}`;
}

/**
 * Standing work waits for its next time. The clock is read without a lock: who moves it at the same moment waits for this
 * row and then comes to it. What is overdue by a clock that stands still is looked after at `ifLeft`.
 */
export async function updateStandingWork(
  tx: Tx,
  merchantId: string,
  { kind, subjectId, dueAt }: DueWork,
  ifLeft: Instant,
): Promise<void> {
  await tx`
    update due_work
    set due_at = ${dueAt}, run_at = ${runAt(tx, ifLeft, tx`${dueAt}::timestamptz`)}
    from merchants
    where merchants.merchant_id = ${merchantId} and due_work.merchant_id = ${merchantId}
      and kind = ${kind} and subject_id = ${subjectId}`;
}

/** What could not be done is free again, for a later time in real time; not where another has done it and moved it on since. */
export async function updateDueWorkToLater(
  tx: Tx,
  merchantId: string,
  { kind, subjectId, dueAt }: DueWork,
  runAt: Instant,
): Promise<void> {
  await tx`
    update due_work
    set run_at = ${runAt}, taken_until = null
    where merchant_id = ${merchantId} and kind = ${kind} and subject_id = ${subjectId} and due_at = ${dueAt}`;
}

/** What was taken until then is free at once; not where it was done, or taken anew. */
export async function updateDueWorkToFree(
  tx: Tx,
  merchantId: string,
  { kind, subjectId, takenUntil }: Omit<DueWork, 'dueAt'> & { readonly takenUntil: Instant },
  runAt: Instant,
): Promise<void> {
  await tx`
    update due_work
    set run_at = ${runAt}, taken_until = null
    where merchant_id = ${merchantId} and kind = ${kind} and subject_id = ${subjectId} and taken_until = ${takenUntil}`;
}

/** What could not be done, for all free work of these kinds that is due. */
export async function updateKindsToLater(
  tx: Tx,
  merchantId: string,
  { kinds, until, real }: { readonly kinds: readonly DueKind[]; readonly until: Instant; readonly real: Instant },
  runAt: Instant,
): Promise<void> {
  await tx`
    update due_work
    set run_at = ${runAt}
    where merchant_id = ${merchantId} and due_at <= ${until} and kind = any (${kinds as string[]}::text[])
      and ${isFree(tx, real)}`;
}

export async function deleteDueWorkRow(tx: Tx, merchantId: string, work: DueWork): Promise<void> {
  await deleteDueWork(tx, merchantId, work);
}
