/** Defines settlements: their states, their entries, and the time from which clients see them. */
import { type Clock, nowOn } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import { DAY_MS, type Instant, instant, latest } from '../../base/time.js';
import { nextHour } from '../../base/time-zones.js';
import { nextClose } from '../merchants/model.js';
import type { MovementKind, ReturnedPayout } from '../movements/model.js';

export const SETTLEMENT_STATUSES = ['SENT', 'FAILED'] as const;
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];
export type SettlementAction = 'FAIL';

/** Banks report only failures, so there is no status for a settlement that arrived (contract 3). */
export const SETTLEMENT_TRANSITIONS: Readonly<
  Record<SettlementStatus, Readonly<Record<SettlementAction, SettlementStatus | { readonly refused: string }>>>
> = {
  SENT: { FAIL: 'FAILED' },
  FAILED: { FAIL: { refused: 'The settlement has failed already.' } },
};

/** Returns the status after an action. Throws a refusal if the status does not permit the action. */
export function nextStatus(status: SettlementStatus, action: SettlementAction): SettlementStatus {
  const next = SETTLEMENT_TRANSITIONS[status][action];
  if (typeof next === 'object') throw new Refusal('WRONG_STATE', { detail: next.refused });
  return next;
}

export interface Settlement {
  readonly id: string;
  readonly locationId: string;
  readonly bankAccountId: string;
  readonly status: SettlementStatus;
  readonly currency: string;
  /** Positive if paid to the merchant, negative if taken from it, never zero. */
  readonly total: Amount;
  readonly initiatedAt: Instant;
  /** Hidden from clients until then. */
  readonly visibleAt: Instant;
  /** For a failed settlement, also the movement that returned its money. */
  readonly failedAt: Instant | null;
  readonly returnedMovementId: string | null;
}

export const ID_LENGTH = 27;

/** The settlement after the bank rejected it, and the movement that puts its money into the next one (decision 0034). */
export function toFailed(
  ids: Ids,
  settlement: Settlement,
  at: Instant,
): { readonly failed: Settlement; readonly returned: ReturnedPayout } {
  const { locationId, currency, total: amount } = settlement;
  const status = nextStatus(settlement.status, 'FAIL');
  const id = ids.newId(ID_LENGTH);
  return {
    failed: { ...settlement, status, failedAt: at, returnedMovementId: id },
    returned: { id, kind: 'RETURNED_PAYOUT', locationId, currency, amount, fee: ZERO, occurredAt: at },
  };
}

/** A movement as a part of its settlement. */
export interface SettlementEntry {
  readonly kind: MovementKind;
  readonly paymentId: string | null;
  readonly amount: Amount;
  readonly fee: Amount;
}

const VISIBILITY_TIMEZONE = 'America/Los_Angeles';
const VISIBLE_FROM_HOUR = 22;

/** From a close to the next 22:00 is at most a day, and an hour more if the clocks change. */
export const MAX_HIDDEN_MS = 2 * DAY_MS;

/** The first 22:00 in Los Angeles at or after the settlement was initiated (decision 0035). */
export function visibleFrom(initiatedAt: Instant): Instant {
  return nextHour(VISIBILITY_TIMEZONE, VISIBLE_FROM_HOUR, instant(initiatedAt - 1));
}

/** What the next close of a location depends on. */
export interface CloseFacts {
  readonly timezone: string;
  readonly clock: Clock;
  /** The first due work that can cause movements. */
  readonly nextWorkAt: Instant | null;
  /** The first movement that is left to a later close. */
  readonly nextMovementAt: Instant | null;
}

/**
 * The next close after a close at which there can be something to settle, so that days on which nothing can happen are skipped in one
 * step. Undefined if it would be after the last supported time.
 */
export function nextUsefulClose(
  closedAt: Instant,
  { timezone, clock, nextWorkAt, nextMovementAt }: CloseFacts,
  real: Instant,
): Instant | undefined {
  const nextEvents = [nowOn(clock, real), nextWorkAt, nextMovementAt].filter((at) => at !== null);
  return nextClose(timezone, latest(closedAt, instant(Math.min(...nextEvents))));
}

/** The author of an adjustment. Only the operator can increase what the merchant is owed (decision 0101). */
export type AdjustmentAuthor = 'OWNER' | 'OPERATOR';

/** The limit of one adjustment in minor units. It rejects amounts with accidental extra digits. */
export const MAX_ADJUSTMENT = 10_000_000;
export const MAX_ADJUSTMENT_KEY_LENGTH = 45;
