/** Closes days, fails settlements, and creates adjustments. */
import { realNow } from '../../base/clock.js';
import { notFound, Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change, StepResult } from '../../database/change.js';
import type { Database } from '../../database/database.js';
import { type AuditActor, auditChange } from '../../identity/audit.js';
import { EarlierWorkRunning } from '../due-work/model.js';
import { findWorkInProgress } from '../due-work/queries.js';
import { recordMovement } from '../movements/actions.js';
import type { Adjustment } from '../movements/model.js';
import { type AdjustmentAuthor, ID_LENGTH, nextUsefulClose, type Settlement, toFailed, visibleFrom } from './model.js';
import { type AdjustmentSource, findAdjustment, findCloseFacts, hasLocation, insertSettlement } from './queries.js';
import { adjustments, settlements } from './table.js';

/**
 * Due work (decision 0060): settles the movements of a location that occurred before the close. Returns the next close
 * at which there can be something to settle, and whether there is a settlement now.
 */
export async function closeDay(
  change: Change,
  locationId: string,
  closedAt: Instant,
  { ids }: { readonly ids: Ids },
): Promise<{ readonly next: Instant | undefined; readonly settles: StepResult<boolean> }> {
  // Work that was due before the close belongs to this settlement, even if another worker is still doing it.
  const real = realNow();
  const { sql, merchantId } = change;
  if (await findWorkInProgress(sql, merchantId, { before: closedAt, except: 'CLOSE_DAY', real })) {
    throw new EarlierWorkRunning('another worker is still doing work of this day');
  }
  const close = { locationId, closedAt };
  const settles = insertSettlement(change, {
    ...close,
    settlementId: ids.newId(ID_LENGTH),
    visibleAt: visibleFrom(closedAt),
  });
  const facts = await findCloseFacts(sql, merchantId, close);
  const next = facts && nextUsefulClose(closedAt, facts, real);
  return { next, settles };
}

/** The merchant whose balance changes, and the time on its clock. */
export interface SettlementContext {
  readonly database: Database;
  readonly merchantId: string;
  readonly ids: Ids;
  readonly now: Instant;
}

/** Records that the bank rejected a settlement. Its money goes into the next one (decision 0034). */
export async function failSettlement(context: SettlementContext, settlementId: string): Promise<Settlement> {
  return context.database.change(context.merchantId, (change) => moveSettlementToFailed(change, context, settlementId));
}

export async function moveSettlementToFailed(
  change: Change,
  { merchantId, ids, now }: Omit<SettlementContext, 'database'>,
  settlementId: string,
): Promise<Settlement> {
  const settlement = await change.read(settlements, { id: settlementId });
  if (!settlement) throw notFound('settlement', settlementId);
  const { failed, returned } = toFailed(ids, settlement, now);
  change.save(settlements, settlement, failed);
  recordMovement(change, returned);
  auditChange(change, { kind: 'SETTLEMENT_FAILED', merchantId, details: { settlement_id: settlementId } });
  return failed;
}

export interface NewAdjustment {
  /** The idempotency key. Keys of the owner and of the operator are separate. */
  readonly key: string;
  readonly madeBy: AdjustmentAuthor;
  readonly locationId: string;
  readonly currency: string;
  readonly amount: Amount;
  readonly reason: string;
}

export async function adjustBalance(
  { database, merchantId, ids, now, by }: SettlementContext & { readonly by?: AuditActor },
  { key, madeBy, locationId, currency, amount, reason }: NewAdjustment,
): Promise<Adjustment> {
  const source = { merchantId, madeBy, key };
  return database.change(merchantId, async (change) => {
    // If a concurrent request uses the key first, this is decided again.
    const earlier = await findAdjustment(change.sql, source);
    if (earlier?.locationId === locationId && earlier.amount === amount && earlier.reason === reason) return earlier;
    if (earlier) throw new Refusal('IDEMPOTENCY_KEY_REUSED', { field: 'idempotency_key' });
    if (!(await hasLocation(change.sql, merchantId, locationId))) {
      const detail = `Location ${locationId} does not exist.`;
      throw new Refusal('INVALID_VALUE', { field: 'location_id', detail });
    }
    const core = { id: ids.newId(ID_LENGTH), locationId, currency, amount, fee: ZERO, occurredAt: now };
    const adjustment: Adjustment = { ...core, kind: 'ADJUSTMENT', reason };
    insertAdjustment(change, source, adjustment);
    const details = {
      movement_id: core.id,
      location_id: locationId,
      amount: String(amount),
      currency,
      made_by: madeBy,
    };
    auditChange(change, { kind: 'ADJUSTMENT_CREATED', ...by, merchantId, details });
    return adjustment;
  });
}

/** The key refers to the movement, so the movement comes first. */
export function insertAdjustment(
  change: Change,
  { madeBy, key }: Pick<AdjustmentSource, 'madeBy' | 'key'>,
  adjustment: Adjustment,
): void {
  recordMovement(change, adjustment);
  change.insert(adjustments, { id: adjustment.id, madeBy, key });
}
