/**
 * Does the due work of one merchant, oldest first. Each work happens at its due time by the merchant's clock (decision
 * 0041).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { type Instant, instant, SECOND_MS } from '../base/time.js';
import { type DueKind, type DueWork, PROCESSOR_KINDS, SubjectBusy } from '../business/due-work/model.js';
import {
  type DueSelection,
  deleteDueWork,
  hasDueWork,
  lockDueWork,
  updateDueWorkToClaimed,
  updateDueWorkToPostponed,
  updateKindsToPostponed,
  updateRecurringWork,
} from '../business/due-work/queries.js';
import { expireOrder } from '../business/orders/actions.js';
import type { ClaimedWork } from '../business/payments/call-queries.js';
import {
  expirePayment,
  nextRetryAt,
  type OutcomeWriter,
  type ProcessorWorkContext,
  sendReversalToProcessor,
  sendVoidToProcessor,
} from '../business/payments/calls.js';
import { finishRefund } from '../business/refunds/actions.js';
import { closeDay } from '../business/settlements/actions.js';
import type { Database, Tx } from '../database/database.js';
import { unavailableReason } from '../database/unavailable.js';
import { type Processor, ProcessorUnavailable } from '../processor/contract.js';
import { releaseClaimWhenPossible } from './release-leases.js';

export interface WorkContext {
  readonly database: Database;
  readonly processor: Processor;
  readonly ids: Ids;
}

type ProcessorKind = (typeof PROCESSOR_KINDS)[number];
type LocalKind = Exclude<DueKind, ProcessorKind>;

/** Calls the processor, without a lock or a transaction, and returns a function that records the outcome. */
type ProcessorHandler = (context: ProcessorWorkContext, subjectId: string, at: Instant) => Promise<OutcomeWriter>;

const PROCESSOR_HANDLERS: Readonly<Record<ProcessorKind, ProcessorHandler>> = {
  EXPIRE_PAYMENT: expirePayment,
  FINISH_REFUND: finishRefund,
  SEND_VOID: sendVoidToProcessor,
  SEND_REVERSAL: sendReversalToProcessor,
};

/**
 * Runs in the transaction that has locked the row. If it returns a next time, the work recurs: the row is kept for that
 * time.
 */
type LocalHandler = (
  tx: Tx,
  context: { readonly merchantId: string; readonly ids: Ids },
  subjectId: string,
  at: Instant,
) => Promise<void> | Promise<{ readonly next: Instant } | undefined>;

const LOCAL_HANDLERS: Readonly<Record<LocalKind, LocalHandler>> = {
  EXPIRE_ORDER: expireOrder,
  CLOSE_DAY: closeDay,
};

const POLL_INTERVAL_MS = 20;
const POSTPONE_MS = 30 * SECOND_MS;
/** A worker does not wait for a locked subject: it retries after this time. */
const BUSY_RETRY_MS = SECOND_MS;
/** After this total time without responses of the processor, a round skips work that calls it. */
const MAX_UNANSWERED_MS = 5 * SECOND_MS;

/** The state of one call of `runDueWork`. */
interface Round {
  /** Subjects to skip until a later round. */
  readonly postponed: string[];
  readonly failures: unknown[];
  unansweredMs: number;
}

/** A round of the background worker ends when the worker stops, and does not wait for work of other workers. */
export interface WorkerRound {
  readonly signal: AbortSignal;
}

/**
 * Does the work that is due up to `until`. Without `worker` (a request moved the clock) it also waits for work that
 * other workers have claimed. Postpones work without a response of the processor, and work that fails unexpectedly; the
 * first unexpected error is thrown after all other work is done. An unavailable database ends the round at once.
 */
export async function runDueWork(
  context: WorkContext,
  merchantId: string,
  until: Instant,
  worker?: WorkerRound,
): Promise<void> {
  const { database } = context;
  const round: Round = { postponed: [], failures: [], unansweredMs: 0 };
  while (!worker?.signal.aborted) {
    const exceptKinds = round.unansweredMs < MAX_UNANSWERED_MS ? [] : PROCESSOR_KINDS;
    const selection = { until, except: round.postponed, exceptKinds };
    const outcome = await runOldest(context, merchantId, selection);
    if (outcome === 'done') continue;
    if (outcome === 'nothing') {
      if (worker || !(await hasDueWork(database.sql, merchantId, selection))) break;
    } else if (!(outcome.error instanceof SubjectBusy) || worker) {
      await postponeWork(database, { merchantId, until, round, worker }, outcome);
      continue;
    }
    await sleep(POLL_INTERVAL_MS);
  }
  if (round.failures.length > 0) throw round.failures[0];
}

interface Failed {
  readonly work: DueWork;
  readonly error: unknown;
  readonly tookMs: number;
}

async function runOldest(
  context: WorkContext,
  merchantId: string,
  selection: DueSelection,
): Promise<'done' | 'nothing' | Failed> {
  const claimed: ClaimedWork[] = [];
  const startedAt = performance.now();
  try {
    await context.database.transaction(async (tx) => {
      const work = await lockDueWork(tx, merchantId, selection, realNow());
      if (!work) return;
      // The lease is longer than the timeout of a call, so a claim that is still there when it expires is from a crash.
      const leasedUntil = nextRetryAt();
      claimed.push({ ...work, leasedUntil });
      if (needsProcessor(work)) await updateDueWorkToClaimed(tx, merchantId, work, leasedUntil);
      else await runLocally(tx, { merchantId, ids: context.ids }, work);
    });
    const [work] = claimed;
    if (!work) return 'nothing';
    if (needsProcessor(work)) await runWithProcessor(context, merchantId, work);
    return 'done';
  } catch (error) {
    const [work] = claimed;
    if (!work) throw error;
    if (unavailableReason(error) !== undefined) {
      if (needsProcessor(work)) void releaseClaimWhenPossible(context.database, merchantId, work);
      throw error;
    }
    return { work, error, tookMs: performance.now() - startedAt };
  }
}

function needsProcessor<Work extends DueWork>(work: Work): work is Work & { readonly kind: ProcessorKind } {
  return work.kind in PROCESSOR_HANDLERS;
}

async function runWithProcessor(
  context: WorkContext,
  merchantId: string,
  { leasedUntil, ...work }: ClaimedWork & { readonly kind: ProcessorKind },
): Promise<void> {
  const record = await PROCESSOR_HANDLERS[work.kind](
    { ...context, merchantId, leasedUntil },
    work.subjectId,
    work.dueAt,
  );
  await context.database.transaction(async (tx) => {
    await record?.(tx);
    await deleteDueWork(tx, merchantId, work);
  });
}

async function runLocally(tx: Tx, context: Parameters<LocalHandler>[1], work: DueWork): Promise<void> {
  const { merchantId } = context;
  const done = await LOCAL_HANDLERS[work.kind as LocalKind](tx, context, work.subjectId, work.dueAt);
  if (!done) return deleteDueWork(tx, merchantId, work);
  const overdueRunAt = instant(realNow() + POSTPONE_MS);
  await updateRecurringWork(tx, merchantId, { ...work, dueAt: done.next }, overdueRunAt);
}

/** Postpones failed work. If the worker is stopping, the next one can retry at once. */
async function postponeWork(
  database: Database,
  {
    merchantId,
    until,
    round,
    worker,
  }: {
    readonly merchantId: string;
    readonly until: Instant;
    readonly round: Round;
    readonly worker: WorkerRound | undefined;
  },
  { work, error, tookMs }: Failed,
): Promise<void> {
  const real = realNow();
  const isBusy = error instanceof SubjectBusy;
  const delayMs = worker?.signal.aborted ? 0 : isBusy ? BUSY_RETRY_MS : POSTPONE_MS;
  const runAt = instant(real + delayMs);
  round.postponed.push(work.subjectId);
  await database.statement((tx) => updateDueWorkToPostponed(tx, merchantId, work, runAt));
  if (isBusy) return;
  if (!(error instanceof ProcessorUnavailable)) {
    round.failures.push(error);
    return;
  }
  round.unansweredMs += tookMs;
  if (round.unansweredMs < MAX_UNANSWERED_MS || worker?.signal.aborted) return;
  const rest = { kinds: PROCESSOR_KINDS, until, real };
  await database.statement((tx) => updateKindsToPostponed(tx, merchantId, rest, runAt));
}
