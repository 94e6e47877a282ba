/** A write that a register kept while it was offline, and what the owner should know about writes (decisions 0155 and 0157). */
import type { Refusal } from '../base/errors.js';
import type { Amount } from '../base/money.js';

export const FLAG_CODES = [
  'EMPLOYEE_INACTIVE',
  'EMPLOYEE_NOT_AT_LOCATION',
  'PERMISSION_MISSING',
  'NOT_SIGNED',
  'NOT_SIGNED_IN_HERE',
  'PAID_OUT_OFFLINE',
  'BACKDATED',
  'PRICE_CHANGED',
  'DISCOUNT_RESTRICTED',
  'DISPUTED',
  'PRICE_LOWERED',
  'CUSTOM_AMOUNT',
  'PART_OF_ITEM',
  'PAID_TWICE',
  'CLOCK_CORRECTED',
] as const;

export type FlagCode = (typeof FLAG_CODES)[number];

export interface Flag {
  readonly code: FlagCode;
  /** A sentence for the owner. */
  readonly detail: string;
}

export interface KeptWrite {
  /** The id that the register chose, and the name of its operation. */
  readonly id: string;
  readonly operation: string;
  /** The flags that are known before the write is made. */
  readonly flags: readonly Flag[];
  /** Whether a missing permission is flagged instead of refused: the write has happened, and no card is still to be charged for it. */
  readonly isLenient: boolean;
  /** What proves that the employee did it: a signature with the key that only the passcode unlocks (decision 0206). */
  readonly isSigned: boolean;
  /** How much each card may pay that was kept for later. Absent: no limit applies. */
  readonly cardLimit?: Amount;
  /** Why the write is refused if it is new. A retry of a recorded write gets its response, whatever has changed since. */
  readonly refusal: Refusal | undefined;
}
