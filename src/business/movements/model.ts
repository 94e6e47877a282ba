/** Defines movements: signed amounts that the merchant is owed. Only the settlement of a movement is set later. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export type MovementKind =
  | 'CHARGE'
  | 'REFUND'
  | 'REVERSAL'
  /** Keeps back the money of a disputed payment; HOLD_RELEASE releases it. */
  | 'HOLD'
  | 'HOLD_RELEASE'
  /** Created by the operator or the owner, with a reason. */
  | 'ADJUSTMENT'
  /** Returns the money of a failed settlement. */
  | 'RETURNED_PAYOUT';

interface MovementCore {
  readonly id: string;
  readonly locationId: string;
  readonly currency: string;
  /** Before fees. Negative for money that goes back to the buyer. */
  readonly amount: Amount;
  /** Fees of the processor and the application: negative when charged, positive when returned. */
  readonly fee: Amount;
  readonly occurredAt: Instant;
}

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
