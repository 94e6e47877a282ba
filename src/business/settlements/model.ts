/** Defines settlements: their states, their entries, and the time from which clients see them. */
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import { type Instant, instant } from '../../base/time.js';
import { nextHour } from '../../base/time-zones.js';
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
}

export const ID_LENGTH = 27;

/** The movement that puts the money of a failed settlement into the next one (decision 0034). */
export function toReturnedPayout(
  ids: Ids,
  { locationId, currency, total: amount }: Settlement,
  at: Instant,
): ReturnedPayout {
  const id = ids.newId(ID_LENGTH);
  return { id, kind: 'RETURNED_PAYOUT', locationId, currency, amount, fee: ZERO, occurredAt: at };
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

/** The first 22:00 in Los Angeles at or after the settlement was initiated (decision 0035). */
export function visibleFrom(initiatedAt: Instant): Instant {
  return nextHour(VISIBILITY_TIMEZONE, VISIBLE_FROM_HOUR, instant(initiatedAt - 1));
}

/** The author of an adjustment. Only the operator can increase what the merchant is owed (decision 0101). */
export type AdjustmentAuthor = 'OWNER' | 'OPERATOR';

/** The limit of one adjustment in minor units. It rejects amounts with accidental extra digits. */
export const MAX_ADJUSTMENT = 10_000_000;
export const MAX_ADJUSTMENT_KEY_LENGTH = 45;
