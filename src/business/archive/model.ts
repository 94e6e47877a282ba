/** What moves to the archive, and why a sale stays (decision 0253). */
import type { Instant } from '../../base/time.js';

/** Why a sale from before the date stays in the tables in use: the first of these that is true. */
export const STAY_REASONS = {
  REFUNDABLE: 'less than a year old, so it can be refunded',
  IN_USE: 'in use by another transaction',
  OPEN: 'the sale is open',
  PAYMENT_UNDER_WAY: 'a payment is approved or its outcome is unknown',
  REFUND_UNDER_WAY: 'a refund is pending',
  DISPUTED: 'a payment is disputed',
  ORDER_OPEN: 'the order is pending or open',
  UNSETTLED: 'not all of the money was settled and paid out',
  DRAWER_OPEN: 'the cash drawer is not closed',
  NOT_REPORTED: 'the day is not in the stored reports',
  FLAGGED: 'the owner has not reviewed a flagged write of a register',
  NOT_DELIVERED: 'a webhook is not delivered',
  WORK_DUE: 'background work is left',
  CHANGED: 'something happened on or after the date, such as a refund',
} as const;

export type StayReason = keyof typeof STAY_REASONS;

/** Some sales of one merchant, and payments without a sale, which count as a sale with their id. */
export interface Batch {
  readonly merchantId: string;
  readonly saleIds: readonly string[];
  readonly paymentIds: readonly string[];
  /** On the clock of the merchant. */
  readonly now: Instant;
  /** Everything about a sale must have happened before. */
  readonly before: Instant;
}

/** How many sales have moved, and how many stay for each reason. */
export interface Tally {
  readonly moved: number;
  readonly stayed: Readonly<Partial<Record<StayReason, number>>>;
}

export const NOTHING: Tally = { moved: 0, stayed: {} };

export function addTallies(one: Tally, other: Tally): Tally {
  const stayed: Partial<Record<StayReason, number>> = { ...one.stayed };
  for (const [reason, count] of Object.entries(other.stayed) as [StayReason, number][]) {
    stayed[reason] = (stayed[reason] ?? 0) + count;
  }
  return { moved: one.moved + other.moved, stayed };
}
