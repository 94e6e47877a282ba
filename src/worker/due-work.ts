/**
 * Does the due work of one merchant, oldest first. Each work happens at its due time by the merchant's clock (decision
 * 0041).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import type { Ids } from '../base/ids.js';
import { type Instant, instant, SECOND_MS } from '../base/time.js';
import { type DueKind, type DueWork, EarlierWorkRunning, PROCESSOR_KINDS } from '../business/due-work/model.js';
import {
  type DueSelection,
  deleteDueWork,
  hasDueWork,
  readDueWork,
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
import { finishRefund } from '../business/refunds/finishing.js';
import { rollUpDays } from '../business/reports/actions.js';
import { closeDay } from '../business/settlements/actions.js';
import type { Change, StepResult } from '../database/change.js';
import type { Database } from '../database/database.js';
import { unavailableReason } from '../database/unavailable.js';
import { type Processor, ProcessorUnavailable } from '../processor/contract.js';
import { releaseClaimWhenPossible } from './release-leases.js';

export interface WorkContext {
  readonly database: Database;
  readonly processor: Processor;
  readonly ids: Ids;
  readonly onWork?: OnWork | undefined;
}

/** Called for every work that was done, and that failed and is tried again. */
export type OnWork = (kind: DueKind, outcome: 'done' | 'postponed', created?: 'settlement') => void;

type ProcessorKind = (typeof PROCESSOR_KINDS)[number];
type LocalKind = Exclude<DueKind, ProcessorKind>;

/** Calls the processor, and returns a function that records the outcome. */
type ProcessorHandler = (context: ProcessorWorkContext, subjectId: string, at: Instant) => Promise<OutcomeWriter>;

const PROCESSOR_HANDLERS: Readonly<Record<ProcessorKind, ProcessorHandler>> = {
  EXPIRE_PAYMENT: expirePayment,
  FINISH_REFUND: finishRefund,
  SEND_VOID: sendVoidToProcessor,
  SEND_REVERSAL: sendReversalToProcessor,
};

/** Decides in the change that removes the row. If it returns a next time, the work recurs: the row is kept for that time. */
type LocalHandler = (
  change: Change,
  subjectId: string,
  at: Instant,
  context: { readonly ids: Ids },
) => Promise<void> | Promise<LocalOutcome | undefined>;

interface LocalOutcome {
  readonly next: Instant | undefined;
  /** Whether there is a settlement, once the change is committed. */
  readonly settles?: StepResult<boolean>;
}

const LOCAL_HANDLERS: Readonly<Record<LocalKind, LocalHandler>> = {
  EXPIRE_ORDER: expireOrder,
  CLOSE_DAY: closeDay,
  ROLL_UP_DAYS: rollUpDays,
};

const POLL_INTERVAL_MS = 20;
const POSTPONE_MS = 30 * SECOND_MS;
/** A worker does not wait for earlier work of another worker: it retries after this time. */
const BUSY_RETRY_MS = SECOND_MS;
/** After this total time without responses of the processor, a round skips work that calls it. */
const MAX_UNANSWERED_MS = 5 * SECOND_MS;

/** The state of one call of `runDueWork`. */
interface Round {
  /** In order. The background worker does not need it. */
  readonly done: DueWork[];
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
 * first unexpected error is thrown after all other work is done. An unavailable database ends the round at once. Without `worker` it
 * returns what it did.
 */
export async function runDueWork(
  context: WorkContext,
  merchantId: string,
  until: Instant,
  worker?: WorkerRound,
): Promise<readonly DueWork[]> {
  const { database } = context;
  const round: Round = { done: [], postponed: [], failures: [], unansweredMs: 0 };
  while (!worker?.signal.aborted) {
    const exceptKinds = round.unansweredMs < MAX_UNANSWERED_MS ? [] : PROCESSOR_KINDS;
    const selection = { until, except: round.postponed, exceptKinds };
    const outcome = await runOldest(context, merchantId, selection);
    if (typeof outcome === 'object' && 'done' in outcome) {
      if (!worker) round.done.push(outcome.done);
      continue;
    }
    if (outcome === 'nothing') {
      if (worker || !(await hasDueWork(database.sql, merchantId, selection, realNow()))) break;
    } else if (!(outcome.error instanceof EarlierWorkRunning) || worker) {
      if (!(outcome.error instanceof EarlierWorkRunning)) context.onWork?.(outcome.work.kind, 'postponed');
      await postponeWork(database, { merchantId, until, round, worker }, outcome);
      continue;
    }
    await sleep(POLL_INTERVAL_MS);
  }
  if (round.failures.length > 0) throw round.failures[0];
  return round.done;
}

interface Done {
  readonly done: DueWork;
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
): Promise<Done | 'nothing' | Failed> {
  let work: ClaimedWork | undefined;
  let settles: StepResult<boolean> | undefined;
  const startedAt = performance.now();
  try {
    // If another worker is faster, this is decided again, with the next work.
    work = await context.database.change(merchantId, async (change) => {
      const oldest = await readDueWork(change, selection, realNow());
      // The lease is longer than the timeout of a call, so a claim that is still there when it expires is from a crash.
      work = oldest && { ...oldest, leasedUntil: nextRetryAt() };
      if (!work) return undefined;
      if (needsProcessor(work)) updateDueWorkToClaimed(change, work, work.leasedUntil);
      else settles = await runLocally(change, context, work);
      return work;
    });
    if (!work) return 'nothing';
    if (needsProcessor(work)) await runWithProcessor(context, merchantId, work);
    context.onWork?.(work.kind, 'done', settles?.value ? 'settlement' : undefined);
    return { done: work };
  } catch (error) {
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
  await context.database.change(merchantId, async (change) => {
    await record?.(change);
    deleteDueWork(change, work);
  });
}

async function runLocally(
  change: Change,
  context: WorkContext,
  work: DueWork,
): Promise<StepResult<boolean> | undefined> {
  const done = await LOCAL_HANDLERS[work.kind as LocalKind](change, work.subjectId, work.dueAt, context);
  if (done?.next === undefined) {
    deleteDueWork(change, work);
  } else {
    const overdueRunAt = instant(realNow() + POSTPONE_MS);
    updateRecurringWork(change, { ...work, dueAt: done.next }, overdueRunAt);
  }
  return done?.settles;
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
  const isBusy = error instanceof EarlierWorkRunning;
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
