/** Applies what a processor reports by events to our records: disputes and failed refunds (decision 0187). */
import { isDeepStrictEqual } from 'node:util';
import { nowOn, realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import type { Database } from '../../database/database.js';
import type { ReportedChange, ReportedEvent } from '../../processor/contract.js';
import { insertTrouble, type ReportedTrouble } from '../../processor/trouble-queries.js';
import { applyDispute } from '../holds/actions.js';
import { findClock } from '../merchants/queries.js';
import { failRefund } from '../refunds/finishing.js';

/** What an event has changed, for the log. */
export interface AppliedEvent {
  readonly outcome: string;
  /** What needs the attention of the operator. Undefined: nothing. */
  readonly trouble?: ReportedTrouble | undefined;
  /** Whether another event has reported it before. */
  readonly isKnown?: boolean;
  readonly merchantId?: string;
  readonly paymentId?: string;
}

interface ApplyContext {
  readonly database: Database;
  readonly ids: Ids;
}

/** If the state changes more often than this while one event is applied, the events of those changes do the rest. */
const MAX_ROUNDS = 5;

/**
 * Reads the state again after it was applied: another event of the same dispute may have applied an older state meanwhile, and the newest
 * state must win.
 */
export async function applyEvent(context: ApplyContext, event: ReportedEvent): Promise<AppliedEvent> {
  let changes = await event.read();
  const [about] = changes;
  if (!about) return { outcome: 'not ours' };
  let applied = await applyChanges(context, changes);
  for (let round = 1; round < MAX_ROUNDS; round++) {
    const next = await event.read();
    if (next.length === 0 || isDeepStrictEqual(changes, next)) break;
    changes = next;
    applied = await applyChanges(context, changes);
  }
  const { trouble } = applied;
  const isKnown = trouble && !(await context.database.statement((tx) => insertTrouble(tx, trouble, realNow())));
  return { ...applied, ...(isKnown && { isKnown }), merchantId: about.merchantId, paymentId: about.paymentId };
}

async function applyChanges(context: ApplyContext, changes: readonly ReportedChange[]): Promise<AppliedEvent> {
  const all: AppliedEvent[] = [];
  for (const each of changes) all.push(await applyChange(context, each));
  const outcome = all.map((each) => each.outcome).join(', ');
  return { outcome, trouble: all.find(({ trouble }) => trouble)?.trouble };
}

async function applyChange({ database, ids }: ApplyContext, change: ReportedChange): Promise<AppliedEvent> {
  const { kind, merchantId, paymentId } = change;
  const clock = await findClock(database.sql, merchantId);
  const trouble = { merchantId, kind, subject: change.kind === 'dispute' ? change.id : change.key };
  if (!clock) return { outcome: 'unknown merchant', trouble };
  const now = nowOn(clock);
  if (change.kind === 'dispute') {
    const outcome = await applyDispute({ database, ids, merchantId, paymentId, now }, change);
    const isTrouble = outcome === 'unknown payment' || outcome === 'nothing to hold';
    return { outcome: `dispute: ${outcome}`, trouble: isTrouble ? trouble : undefined };
  }
  if (!change.hasFailed) return { outcome: 'refund: unchanged' };
  const before = await failRefund({ database, ids, merchantId, at: now }, { paymentId, key: change.key });
  // The worker may be about to record that the refund is completed. The processor reports the failure again.
  if (before === 'PENDING') throw new Refusal('TEMPORARY_ERROR');
  // No refund has this key. It may be that of a reversal, which cannot be taken back, because its payment is canceled.
  if (before === undefined) return { outcome: 'refund: no such refund to fail', trouble };
  return { outcome: before === 'COMPLETED' ? 'refund: failed' : 'refund: unchanged' };
}
