/** What a hold is: money of a payment that is kept back while its buyer disputes it, and when one can be placed. */
import { Refusal } from '../../base/errors.js';
import { type Amount, subtract } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Payment } from '../payments/model.js';

export interface Hold {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly placedAt: Instant;
  /** Null: in force. A payment has one of those at most. */
  readonly releasedAt: Instant | null;
}

/** What a buyer can dispute: what was taken and has not gone back. */
export function requireHoldable(payment: Payment, wanted: Amount | undefined): Amount {
  const { id, status, total, returned } = payment;
  if (status !== 'COMPLETED') {
    throw new Refusal('WRONG_STATE', { detail: `Payment ${id} is ${status}; only COMPLETED ones can be disputed.` });
  }
  const left = subtract(total, returned);
  if (left === 0) throw new Refusal('WRONG_STATE', { detail: `All of payment ${id} went back to its buyer already.` });
  if (wanted !== undefined && wanted > left) {
    throw new Refusal('INVALID_VALUE', {
      field: 'amount_money.amount',
      detail: `The amount ${wanted} is more than what is left of payment ${id}: ${left}.`,
    });
  }
  return wanted ?? left;
}
