/** Holds: money of a disputed payment that is kept back from settlement, and the rules for placing one. Pure. */
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { PaymentMovement } from '../movements/model.js';
import type { Payment } from '../payments/model.js';

export const ID_LENGTH = 27;

export interface Hold {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly placedAt: Instant;
  /** Null: the hold is active. A payment has at most one active hold. */
  readonly releasedAt: Instant | null;
}

export const HOLD_STATES = ['HELD', 'RELEASED'] as const;
export type HoldState = (typeof HOLD_STATES)[number];

/** A hold with what the owner needs to find the sale. */
export interface Dispute extends Hold {
  readonly saleId: string;
  readonly locationId: string;
  readonly currency: string;
  readonly cardBrand: string | null;
  readonly last4: string | null;
}

/** What a dispute can take. Cash and other tenders never were at the processor, so no bank can take them back. */
export function holdableAmount({ status, sourceType, total, returned }: Payment): Amount {
  return status === 'COMPLETED' && sourceType === 'CARD' ? subtract(total, returned) : ZERO;
}

/** A buyer can dispute the captured amount that is not returned. */
export function requireHoldable(payment: Payment, wanted: Amount | undefined): Amount {
  const { id, status, sourceType, total, returned } = payment;
  if (sourceType !== 'CARD') {
    throw new Refusal('WRONG_STATE', {
      detail: `Payment ${id} was not made by card. Only card payments can be disputed.`,
    });
  }
  if (status !== 'COMPLETED') {
    throw new Refusal('WRONG_STATE', {
      detail: `Payment ${id} is ${status}. Only COMPLETED payments can be disputed.`,
    });
  }
  const left = subtract(total, returned);
  if (left === 0) throw new Refusal('WRONG_STATE', { detail: `Payment ${id} is already refunded in full.` });
  if (wanted !== undefined && wanted > left) {
    throw new Refusal('INVALID_VALUE', {
      field: 'amount_money.amount',
      detail: `The amount ${wanted} exceeds the remaining amount of payment ${id}, which is ${left}.`,
    });
  }
  return wanted ?? left;
}

/** The movement of a hold that is placed, raised or released. What it keeps back is negative. */
export function toHoldMovement(
  ids: Ids,
  { id: paymentId, locationId, currency }: Pick<Payment, 'id' | 'locationId' | 'currency'>,
  { amount, occurredAt }: Pick<PaymentMovement, 'amount' | 'occurredAt'>,
): PaymentMovement {
  const kind = amount < ZERO ? 'HOLD' : 'HOLD_RELEASE';
  const core = { id: ids.newId(ID_LENGTH), kind, paymentId, refundId: null, locationId, currency } as const;
  return { ...core, amount, fee: ZERO, occurredAt };
}
