import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realIds } from '../../base/ids.js';
import { toJson } from '../../base/json.js';
import { type Amount, add, amount, ZERO } from '../../base/money.js';
import { DAY_MS, instant } from '../../base/time.js';
import type { Card } from '../../processor/contract.js';
import { withCard, withDeclinedCard } from './details.js';
import { type Payment, PENDING_DEFAULTS, type PendingPayment, remainingAppFee, type VisibleStatus } from './model.js';
import { applyOutcome, toChargeMovement, toDeclineRefusal, toRefundMovement, toSourceRefusal } from './outcomes.js';

const MADE_AT = instant(1_582_711_200_000);
const AT = instant(MADE_AT + 250);

const CARD: Card = {
  brand: 'VISA',
  last4: '5858',
  expMonth: 12,
  expYear: 2032,
  fingerprint: 'sq-1-x',
  type: 'CREDIT',
  prepaidType: 'NOT_PREPAID',
  bin: '453275',
  entryMethod: 'KEYED',
  cvvStatus: 'CVV_ACCEPTED',
  avsStatus: 'AVS_ACCEPTED',
};

const DECLINED_CARD = { cardBrand: CARD.brand, last4: CARD.last4, cardDetails: withDeclinedCard(null, CARD, null) };
const SHOWN_CARD = { cardBrand: CARD.brand, last4: CARD.last4, cardDetails: withCard(null, CARD, null) };

const PENDING: PendingPayment = {
  ...PENDING_DEFAULTS,
  id: 'pay-1',
  saleId: 'pay-1',
  locationId: 'L1',
  channel: 'API',
  applicationId: 'app-1',
  sourceType: 'CARD',
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
  currency: 'USD',
  amount: amount(1000),
  total: amount(1000),
  details: toJson({ order_id: 'order-1' }),
};

const CAPTURED: Payment = { ...PENDING, status: 'COMPLETED', capturedAt: AT, fee: amount(59), ...SHOWN_CARD };

const approvedWith = (units: number) => ({ kind: 'approved', amount: amount(units), card: CARD }) as const;

describe('applyOutcome', () => {
  it('is COMPLETED, with a fee, when autocomplete is true', () => {
    expect(applyOutcome(PENDING, approvedWith(1000), { autocomplete: true, at: AT })).toEqual({
      ...PENDING,
      status: 'COMPLETED',
      updatedAt: AT,
      capturedAt: AT,
      fee: 59,
      ...SHOWN_CARD,
    });
  });

  it('is APPROVED until 7 days after creation, without a fee, when autocomplete is false', () => {
    expect(applyOutcome(PENDING, approvedWith(1000), { autocomplete: false, at: AT })).toEqual({
      ...PENDING,
      status: 'APPROVED',
      updatedAt: AT,
      delayedUntil: MADE_AT + 7 * DAY_MS,
      ...SHOWN_CARD,
    });
  });

  it('includes the tip in the total and in the fee', () => {
    const tipped = { ...PENDING, tip: amount(150), total: amount(1150) };
    const payment = applyOutcome(tipped, approvedWith(1150), { autocomplete: true, at: AT });
    expect(payment).toMatchObject({ amount: 1000, tip: 150, total: 1150, fee: 63 });
  });

  it('reduces the amount to the balance of a gift card', () => {
    const payment = applyOutcome(PENDING, approvedWith(500), { autocomplete: false, at: AT });
    expect(payment).toMatchObject({ status: 'APPROVED', amount: 500, total: 500 });
  });

  it.each([true, false])('is FAILED with an error after a decline, autocomplete %s', (autocomplete) => {
    const outcome = { kind: 'declined', code: 'CVV_FAILURE', card: CARD } as const;
    expect(applyOutcome(PENDING, outcome, { autocomplete, at: AT })).toEqual({
      ...PENDING,
      status: 'FAILED',
      updatedAt: AT,
      ...DECLINED_CARD,
      errors: [{ category: 'PAYMENT_METHOD_ERROR', code: 'CVV_FAILURE', detail: "Authorization error: 'CVV_FAILURE'" }],
    });
  });

  it('shows the balance of a gift card in digits, even if it is zero', () => {
    const outcome = { kind: 'declined', code: 'INSUFFICIENT_FUNDS', availableAmount: ZERO, card: CARD } as const;
    expect(applyOutcome(PENDING, outcome, { autocomplete: true, at: AT }).errors).toEqual([
      {
        category: 'PAYMENT_METHOD_ERROR',
        code: 'INSUFFICIENT_FUNDS',
        detail: "Authorization error: 'INSUFFICIENT_FUNDS'",
      },
      { category: 'PAYMENT_METHOD_ERROR', code: 'GIFT_CARD_AVAILABLE_AMOUNT', detail: '0' },
    ]);
  });
});

describe('toDeclineRefusal', () => {
  it('is the first error, with the other errors and the payment', () => {
    const errors = [
      { category: 'PAYMENT_METHOD_ERROR', code: 'INSUFFICIENT_FUNDS', detail: 'no' },
      { category: 'PAYMENT_METHOD_ERROR', code: 'GIFT_CARD_AVAILABLE_AMOUNT', detail: '500' },
    ];
    const refusal = toDeclineRefusal({ errors }, { payment: { id: 'pay-1' } });
    expect(refusal).toMatchObject({
      reason: 'INSUFFICIENT_FUNDS',
      message: 'no',
      beside: { payment: { id: 'pay-1' } },
    });
    expect(refusal.also).toMatchObject([{ reason: 'GIFT_CARD_AVAILABLE_AMOUNT', message: '500' }]);
  });

  it('throws an internal error for a payment that did not fail', () => {
    expect(() => toDeclineRefusal(CAPTURED, {})).toThrow('a failed payment must have errors');
  });
});

describe('toSourceRefusal', () => {
  it.each([
    ['ALREADY_USED', 'CARD_TOKEN_USED', 'used'],
    ['UNKNOWN_SOURCE', 'NOT_FOUND', 'no such payment source'],
    ['CARD_NUMBER', 'INVALID_VALUE', 'Never send a card number. Send a card nonce (cnon:...)'],
    ['NOT_A_SOURCE', 'INVALID_VALUE', 'cnon:...'],
  ] as const)('%s is %s of source_id', (why, reason, sentence) => {
    const refusal = toSourceRefusal({ kind: 'unusable', why });
    expect(refusal).toMatchObject({ reason, field: 'source_id' });
    expect(refusal.message).toContain(sentence);
  });
});

describe('toChargeMovement', () => {
  it('has the total and both fees, dated at the capture', () => {
    expect(toChargeMovement(realIds, { ...CAPTURED, appFee: amount(100) })).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{27}$/),
      locationId: 'L1',
      paymentId: 'pay-1',
      refundId: null,
      kind: 'CHARGE',
      currency: 'USD',
      amount: 1000,
      fee: -159,
      occurredAt: AT,
    });
  });

  it.each<VisibleStatus>(['APPROVED', 'CANCELED', 'FAILED'])('is undefined for a payment that is %s', (status) => {
    expect(toChargeMovement(realIds, { ...CAPTURED, status })).toBeUndefined();
  });
});

describe('toRefundMovement', () => {
  const back = (part: number) => ({ part: amount(part), kind: 'REFUND', refundId: 'r-1', at: AT }) as const;

  it('has the negative part and its share of the fee', () => {
    const { movement, returnedFee } = toRefundMovement(realIds, CAPTURED, { ...back(500), remainingAppFee: null });
    expect(returnedFee).toBe(30);
    expect(movement).toMatchObject({ kind: 'REFUND', refundId: 'r-1', amount: -500, fee: 30, occurredAt: AT });
  });

  it('returns the rest of the fee with the last part', () => {
    const half = { ...CAPTURED, returned: amount(500) };
    expect(toRefundMovement(realIds, half, { ...back(500), remainingAppFee: null }).returnedFee).toBe(29);
  });

  it("returns the application's proportional share, or exactly the share that it names", () => {
    const shared = { ...CAPTURED, appFee: amount(100) };
    const feeOf = (appFeeShare: Amount | null) =>
      toRefundMovement(realIds, shared, { ...back(500), appFeeShare, remainingAppFee: amount(100) }).movement.fee;
    expect(feeOf(null)).toBe(30 + 50);
    expect(feeOf(ZERO)).toBe(30);
    expect(feeOf(amount(77))).toBe(30 + 77);
  });

  it('returns no more than the remaining application fee', () => {
    const shared = { ...CAPTURED, appFee: amount(100) };
    expect(toRefundMovement(realIds, shared, { ...back(500), remainingAppFee: amount(20) }).movement.fee).toBe(30 + 20);
    expect(toRefundMovement(realIds, shared, { ...back(500), remainingAppFee: ZERO }).movement.fee).toBe(30);
  });

  it('returns each fee exactly once, for any parts and any named shares', () => {
    const part = fc.record({ units: fc.integer({ min: 1, max: 5000 }), share: fc.option(fc.nat(6000)) });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), fc.nat(90), (parts, percent) => {
        const total = add(...parts.map(({ units }) => amount(units)));
        const appFee = amount(Math.floor((total * percent) / 100));
        let payment: Payment = { ...CAPTURED, amount: total, total, appFee };
        let [returnedFees, returnedProcessingFee] = [ZERO, ZERO];
        for (const { units, share } of parts) {
          const left = remainingAppFee(payment, { returnedFees, promised: ZERO });
          const appFeeShare = share === null ? null : amount(Math.min(share, units, left ?? 0));
          const { movement, returnedFee } = toRefundMovement(realIds, payment, {
            ...back(units),
            appFeeShare,
            remainingAppFee: left,
          });
          payment = { ...payment, returned: add(payment.returned, amount(units)) };
          returnedFees = add(returnedFees, movement.fee);
          returnedProcessingFee = add(returnedProcessingFee, returnedFee);
          expect(movement.fee - returnedFee).toBeGreaterThanOrEqual(0);
          expect(returnedFees).toBeLessThanOrEqual(59 + appFee);
        }
        expect(returnedProcessingFee).toBe(59);
        if (parts.every(({ share }) => share === null)) expect(returnedFees).toBe(59 + appFee);
      }),
    );
  });
});

describe('remainingAppFee', () => {
  const half = { appFee: amount(100), fee: amount(59), total: amount(1000), returned: amount(500) };

  it('is the application fee minus the returned and the promised shares', () => {
    expect(remainingAppFee(half, { returnedFees: amount(30 + 70), promised: amount(10) })).toBe(20);
    expect(remainingAppFee({ ...half, returned: ZERO }, { returnedFees: ZERO, promised: ZERO })).toBe(100);
  });

  it('is null without an application fee', () => {
    expect(remainingAppFee({ ...half, appFee: null }, { returnedFees: amount(30), promised: ZERO })).toBeNull();
  });
});
