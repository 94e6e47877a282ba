/** What the merchant is owed: signed entries, never changed once written. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export interface Movement {
  readonly id: string;
  readonly locationId: string;
  readonly paymentId: string;
  readonly refundId: string | null;
  readonly kind: 'CHARGE' | 'REFUND' | 'REVERSAL';
  readonly currency: string;
  /** Before fees; what goes back to the buyer is negative. */
  readonly amount: Amount;
  /** The processor's and the application's fees: negative where they are taken. */
  readonly fee: Amount;
  readonly occurredAt: Instant;
}
