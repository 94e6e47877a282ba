/** Defines due work: kinds of work that a worker does later. */
import type { Instant } from '../../base/time.js';

export const DUE_KINDS = [
  /** Voids an APPROVED payment that was neither completed nor canceled in time. */
  'EXPIRE_PAYMENT',
  /** Refunds the money of a PENDING refund at the processor. */
  'FINISH_REFUND',
  /** Asks the processor to void a payment that was canceled. */
  'SEND_VOID',
  /** Asks the processor to refund a payment that was reversed. */
  'SEND_REVERSAL',
  /** Expires an online order that was not paid in time. */
  'EXPIRE_ORDER',
  /** Settles the unsettled movements of a location. The row recurs: it moves on to the next close (decision 0060). */
  'CLOSE_DAY',
  /** Adds up the days of all locations for reports. The subject is the merchant. The row recurs (decision 0142). */
  'ROLL_UP_DAYS',
] as const;

export type DueKind = (typeof DUE_KINDS)[number];

export interface DueWork {
  readonly kind: DueKind;
  readonly subjectId: string;
  /** By the merchant's clock. */
  readonly dueAt: Instant;
}

/** Kinds that call the processor. The worker claims such work and holds no lock during the call. */
export const PROCESSOR_KINDS = [
  'EXPIRE_PAYMENT',
  'FINISH_REFUND',
  'SEND_VOID',
  'SEND_REVERSAL',
] as const satisfies DueKind[];

/** Another worker is still doing work that has to be done before this one. The worker tries again a little later. */
export class EarlierWorkRunning extends Error {}
