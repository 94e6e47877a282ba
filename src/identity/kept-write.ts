/** A write that a register kept while it was offline, and what the owner should know about it (decision 0155). */
import type { Refusal } from '../base/errors.js';
import type { Amount } from '../base/money.js';

export const FLAG_CODES = [
  'EMPLOYEE_INACTIVE',
  'EMPLOYEE_NOT_AT_LOCATION',
  'PERMISSION_MISSING',
  'NOT_SIGNED_IN_HERE',
  'PRICE_CHANGED',
  'DISCOUNT_RESTRICTED',
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
  /** What is known before the write is made. */
  readonly flags: readonly Flag[];
  /** Whether it is flagged instead of refused for a permission: it has happened, and no card has yet to pay for it. */
  readonly isLenient: boolean;
  /** How much each card may pay that was kept for later. Absent: no limit applies. */
  readonly cardLimit?: Amount;
  /** Why the write is refused if it is new. One that was made before is found, whatever has changed since. */
  readonly refusal: Refusal | undefined;
}
