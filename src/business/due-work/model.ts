/** What can be left for later. */
import type { Instant } from '../../base/time.js';

export type DueKind =
  | 'VOID_PAYMENT'
  | 'FINISH_REFUND'
  /** Tells the processor that a payment was cancelled, or that a movement gives money of it back. */
  | 'RELEASE_HOLD'
  | 'GIVE_BACK'
  /** Nobody paid for an online order in time. */
  | 'EXPIRE_ORDER'
  /** Settles what a location is owed. It stands for ever: done, it waits for the next close (decision 0060). */
  | 'CLOSE_DAY';

export interface DueWork {
  readonly kind: DueKind;
  readonly subjectId: string;
  /** By the merchant's clock. */
  readonly dueAt: Instant;
}

/** These ask the processor: the work is taken for a while, and no lock is held until there is an answer. */
export const PROCESSOR_KINDS = [
  'VOID_PAYMENT',
  'FINISH_REFUND',
  'RELEASE_HOLD',
  'GIVE_BACK',
] as const satisfies DueKind[];

/**
 * Somebody else holds what the work is about. He may be waiting for the work's own row, so it is let go and taken up
 * again a little later.
 */
export class SubjectBusy extends Error {}
