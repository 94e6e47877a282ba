/** What a settlement is, what may become of it, and when it is seen. */
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import { type Instant, instant } from '../../base/time.js';
import { nextHour } from '../../base/time-zones.js';
import type { MovementKind, ReturnedPayout } from '../movements/model.js';

export const SETTLEMENT_STATUSES = ['SENT', 'FAILED'] as const;
export type SettlementStatus = (typeof SETTLEMENT_STATUSES)[number];
export type SettlementAction = 'FAIL';

/** Whether a bank took it is never known, only that it did not (contract 3). */
export const SETTLEMENT_TRANSITIONS: Readonly<
  Record<SettlementStatus, Readonly<Record<SettlementAction, SettlementStatus | { readonly refused: string }>>>
> = {
  SENT: { FAIL: 'FAILED' },
  FAILED: { FAIL: { refused: 'The settlement has failed already.' } },
};

/** The status that an action leads to, or a refusal. */
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
  /** Positive: paid to the merchant; negative: taken from it; never zero. */
  readonly total: Amount;
  readonly initiatedAt: Instant;
}

export const ID_LENGTH = 27;

/** The money of a settlement that failed waits for the next one (decision 0034). */
export function returnedBy(ids: Ids, { locationId, currency, total: amount }: Settlement, at: Instant): ReturnedPayout {
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

const SHOWN_IN = 'America/Los_Angeles';
const SHOWN_FROM_HOUR = 22;

/** Decision 0035: the first 22:00 in Los Angeles at or after it was initiated. */
export function visibleFrom(initiatedAt: Instant): Instant {
  return nextHour(SHOWN_IN, SHOWN_FROM_HOUR, instant(initiatedAt - 1));
}

/** Who adjusts what a merchant is owed: the owner gives money up, the operator also gives some (decision 0101). */
export type AdjustmentMaker = 'OWNER' | 'OPERATOR';

/** Of one adjustment, in minor units: large enough for what happens, small enough that a slip of the hand is refused. */
export const MOST_ADJUSTED = 10_000_000;
export const LONGEST_ADJUSTMENT_KEY = 45;
