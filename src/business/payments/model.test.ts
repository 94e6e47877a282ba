import { describe, expect, it } from 'vitest';
import { Refusal } from '../../base/errors.js';
import { amount, ZERO } from '../../base/money.js';
import {
  chargedFees,
  minimumCharge,
  PAYMENT_STATUSES,
  PAYMENT_TRANSITIONS,
  processingFee,
  refundable,
  requireAppFee,
  wrongState,
} from './model.js';

/** The state table of contract 3 and decisions 0024 and 0028, repeated here independently of the code. */
const TABLE = [
  ['APPROVED', 'COMPLETE', 'COMPLETED'],
  ['APPROVED', 'CANCEL', 'CANCELED'],
  ['APPROVED', 'EXPIRE', 'CANCELED'],
  ['APPROVED', 'CANCEL_BY_KEY', 'CANCELED'],
  ['COMPLETED', 'COMPLETE', 'refused'],
  ['COMPLETED', 'CANCEL', 'refused'],
  ['COMPLETED', 'EXPIRE', 'nothing'],
  ['COMPLETED', 'CANCEL_BY_KEY', 'CANCELED'],
  ['CANCELED', 'COMPLETE', 'refused'],
  ['CANCELED', 'CANCEL', 'refused'],
  ['CANCELED', 'EXPIRE', 'nothing'],
  ['CANCELED', 'CANCEL_BY_KEY', 'nothing'],
  ['FAILED', 'COMPLETE', 'refused'],
  ['FAILED', 'CANCEL', 'refused'],
  ['FAILED', 'EXPIRE', 'nothing'],
  ['FAILED', 'CANCEL_BY_KEY', 'nothing'],
] as const;

function refusalOf(work: () => void): Refusal | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return undefined;
}

describe('PAYMENT_TRANSITIONS', () => {
  it.each(TABLE)('%s and %s: %s', (status, action, next) => {
    expect(PAYMENT_TRANSITIONS[status][action]).toBe(next);
  });

  it('has no other state and no other action', () => {
    const cells = Object.entries(PAYMENT_TRANSITIONS).flatMap(([status, row]) =>
      Object.entries(row).map(([action, next]) => [status, action, next]),
    );
    expect(cells.toSorted()).toEqual(TABLE.map((cell) => [...cell]).toSorted());
    expect(Object.keys(PAYMENT_TRANSITIONS)).toEqual([...PAYMENT_STATUSES]);
  });
});

describe('wrongState', () => {
  it('names the payment, its state and the action', () => {
    const refusal = wrongState({ id: 'pay-1', status: 'CANCELED' }, 'COMPLETE');
    expect(refusal.reason).toBe('WRONG_STATE');
    expect(refusal.message).toBe('Payment pay-1 is CANCELED, so complete is not possible.');
  });
});

describe('processingFee', () => {
  it.each([
    [0, 30],
    [1, 30],
    [17, 30], // 0.493
    [18, 31], // 0.522
    [200, 36], // the published sample: 5.8
    [499, 44], // 14.471
    [500, 45], // 14.5 is rounded up
    [1000, 59], // the published sample
    [1500, 74], // 43.5 is rounded up
    [99_999_999_999, 2_900_000_030],
  ])('of %d is %d: 2.9 % and 30, half up', (total, fee) => {
    expect(processingFee({ total: amount(total), entryMethod: null })).toBe(fee);
  });

  it.each([
    ['SWIPED', 1000, 36],
    ['SWIPED', 1250, 43], // 32.5 is rounded up
    ['MANUAL', 1000, 50],
    ['MANUAL', 100, 19], // 3.5 is rounded up
  ] as const)('of a card that was %s, of %d, is %d (decision 0030)', (entryMethod, total, fee) => {
    expect(processingFee({ total: amount(total), entryMethod })).toBe(fee);
  });
});

describe('minimumCharge', () => {
  it.each([
    ['USD', 1],
    ['CAD', 1],
    ['EUR', 1],
    ['AUD', 100],
    ['GBP', 100],
    ['JPY', 100],
  ])('in %s is %d', (currency, least) => {
    expect(minimumCharge(currency)).toBe(least);
  });
});

describe('requireAppFee', () => {
  it.each([
    [900, 1000],
    [0, 1],
    [4, 5], // 90 % is 4.5
    [0, 0],
    [89_999_999_999, 99_999_999_999],
  ])('accepts %d of %d', (fee, total) => {
    expect(refusalOf(() => requireAppFee(amount(fee), amount(total)))).toBeUndefined();
  });

  it.each([
    [901, 1000, '900'],
    [1000, 1000, '900'],
    [1, 1, '0'],
    [5, 5, '4'],
    [14, 15, '13'],
    [90_000_000_000, 99_999_999_999, '89999999999'],
  ])('refuses %d of %d as more than 90 %, and names the maximum %s', (fee, total, most) => {
    const refusal = refusalOf(() => requireAppFee(amount(fee), amount(total)));
    expect(refusal?.reason).toBe('INVALID_FEES');
    expect(refusal?.field).toBe('app_fee_money.amount');
    expect(refusal?.message).toMatch(new RegExp(`\\b${most}\\b`));
  });

  it('accepts a payment without an application fee', () => {
    expect(refusalOf(() => requireAppFee(null, ZERO))).toBeUndefined();
  });
});

describe('refundable', () => {
  it('is the amount that no refund has reserved', () => {
    expect(refundable({ total: amount(1000), refunded: amount(400), exchanged: ZERO })).toBe(600);
    expect(refundable({ total: amount(1000), refunded: amount(1000), exchanged: ZERO })).toBe(0);
  });
});

describe('chargedFees', () => {
  it('is the negative sum of the processing fee and the application fee', () => {
    expect(chargedFees({ fee: amount(59), appFee: amount(100) })).toBe(-159);
    expect(chargedFees({ fee: amount(59), appFee: null })).toBe(-59);
    expect(chargedFees({ fee: null, appFee: null })).toBe(0);
  });
});
