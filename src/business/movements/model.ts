/** What the merchant is owed: signed entries, never changed once written but for the settlement that takes them. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export type MovementKind =
  | 'CHARGE'
  | 'REFUND'
  | 'REVERSAL'
  /** Money of a payment that its buyer disputes is kept back, and is free again. */
  | 'HOLD'
  | 'HOLD_RELEASE'
  /** Somebody says so, with a reason. */
  | 'ADJUSTMENT'
  /** The money of a settlement that failed. */
  | 'RETURNED_PAYOUT';

interface MovementCore {
  readonly id: string;
  readonly locationId: string;
  readonly currency: string;
  /** Before fees; what goes back to the buyer is negative. */
  readonly amount: Amount;
  /** The processor's and the application's fees: negative where they are taken. */
  readonly fee: Amount;
  readonly occurredAt: Instant;
}

/** Of a payment. */
export interface PaymentMovement extends MovementCore {
  readonly kind: 'CHARGE' | 'REFUND' | 'REVERSAL' | 'HOLD' | 'HOLD_RELEASE';
  readonly paymentId: string;
  readonly refundId: string | null;
}

export interface Adjustment extends MovementCore {
  readonly kind: 'ADJUSTMENT';
  readonly reason: string;
}

export interface ReturnedPayout extends MovementCore {
  readonly kind: 'RETURNED_PAYOUT';
}

export type Movement = PaymentMovement | Adjustment | ReturnedPayout;
