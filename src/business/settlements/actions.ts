/** Closes days, and changes what a merchant is owed where no buyer does. */
import { realNow } from '../../base/clock.js';
import { notFound, Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import { type Instant, latest } from '../../base/time.js';
import type { Database, Tx } from '../../database/database.js';
import { type AuditActor, changeAudited } from '../../identity/audit.js';
import { SubjectBusy } from '../due-work/model.js';
import { findWorkInOtherHands } from '../due-work/queries.js';
import { nextClose } from '../merchants/model.js';
import type { Adjustment } from '../movements/model.js';
import { type AdjustmentMaker, ID_LENGTH, nextStatus, returnedBy, type Settlement, visibleFrom } from './model.js';
import {
  findAdjustment,
  findSettlement,
  insertAdjustment,
  insertSettlement,
  moveSettlementToFailed,
} from './queries.js';

/**
 * Due work (decision 0060): what a location is owed from before its close becomes a settlement. Tells the next close at
 * which there can be anything to do: days on which nothing can happen are passed over in one step.
 */
export async function closeDay(
  tx: Tx,
  { merchantId, ids }: { readonly merchantId: string; readonly ids: Ids },
  locationId: string,
  closedAt: Instant,
): Promise<{ readonly next: Instant } | undefined> {
  // What was due before the close belongs into it, also where another worker is just doing it.
  const real = realNow();
  if (await findWorkInOtherHands(tx, merchantId, { before: closedAt, except: 'CLOSE_DAY', real })) {
    throw new SubjectBusy('work of this day is in other hands');
  }
  const settlementId = ids.newId(ID_LENGTH);
  const close = { merchantId, locationId, closedAt, settlementId, visibleAt: visibleFrom(closedAt), real };
  const closed = await insertSettlement(tx, close);
  if (!closed) return undefined;
  const next = nextClose(closed.timezone, latest(closedAt, closed.quietUntil));
  return next === undefined ? undefined : { next };
}

/** Whose books, and what time it is there. */
export interface Books {
  readonly database: Database;
  readonly merchantId: string;
  readonly ids: Ids;
  readonly now: Instant;
}

/** The bank did not take it: its money waits for the next one (decision 0034). */
export async function failSettlement(books: Books, settlementId: string): Promise<Settlement> {
  const { database, merchantId, ids, now } = books;
  const settlement = await findSettlement(database.sql, merchantId, settlementId);
  if (!settlement) throw notFound('settlement', settlementId);
  nextStatus(settlement.status, 'FAIL');
  const returned = returnedBy(ids, settlement, now);
  const failed = await database.statement((tx) => moveSettlementToFailed(tx, merchantId, settlementId, returned));
  // Another was faster, and a failed one stays so.
  if (!failed) return failSettlement(books, settlementId);
  return failed;
}

export interface NewAdjustment {
  /** The same key again, by whom it was used, makes no second one. */
  readonly key: string;
  readonly madeBy: AdjustmentMaker;
  readonly locationId: string;
  readonly currency: string;
  readonly amount: Amount;
  readonly reason: string;
}

export async function adjustBalance(
  { database, merchantId, ids, now, by }: Books & { readonly by?: AuditActor },
  { key, madeBy, locationId, currency, amount, reason }: NewAdjustment,
): Promise<Adjustment> {
  const core = { id: ids.newId(ID_LENGTH), locationId, currency, amount, fee: ZERO, occurredAt: now };
  const adjustment: Adjustment = { ...core, kind: 'ADJUSTMENT', reason };
  const source = { merchantId, madeBy, key };
  const details = { movement_id: core.id, location_id: locationId, amount: String(amount), currency, made_by: madeBy };
  const entry = { kind: 'ADJUSTMENT_CREATED', ...by, merchantId, details } as const;
  const isNew = await changeAudited(database, entry, (tx) => insertAdjustment(tx, source, adjustment));
  if (isNew) return adjustment;
  const known = await findAdjustment(database.sql, source);
  if (known?.locationId === locationId && known.amount === amount && known.reason === reason) return known;
  throw known
    ? new Refusal('IDEMPOTENCY_KEY_REUSED', { field: 'idempotency_key' })
    : new Refusal('INVALID_VALUE', { field: 'location_id', detail: `There is no location ${locationId}.` });
}
