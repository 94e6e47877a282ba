import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realIds } from '../../base/ids.js';
import { toJson } from '../../base/json.js';
import { type Amount, add, amount, ZERO } from '../../base/money.js';
import { DAY_MS, instant } from '../../base/time.js';
import type { Card } from '../../processor/contract.js';
import { toCardDetails } from './card-details.js';
import { appFeeLeft, type Payment, type PendingPayment, UNANSWERED, type VisibleStatus } from './model.js';
import { applyOutcome, chargeOf, declineOf, refuseSource, returnOf } from './outcomes.js';

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

const SHOWN_CARD = { cardBrand: CARD.brand, last4: CARD.last4, cardDetails: toJson(toCardDetails(CARD)) };

const PENDING: PendingPayment = {
  ...UNANSWERED,
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
  it('makes what is captured at once COMPLETED, with its fee', () => {
    expect(applyOutcome(PENDING, approvedWith(1000), { autocomplete: true, at: AT })).toEqual({
      ...PENDING,
      status: 'COMPLETED',
      updatedAt: AT,
      capturedAt: AT,
      fee: 59,
      ...SHOWN_CARD,
    });
  });

  it('makes what waits APPROVED until 7 days after it was made, without a fee', () => {
    expect(applyOutcome(PENDING, approvedWith(1000), { autocomplete: false, at: AT })).toEqual({
      ...PENDING,
      status: 'APPROVED',
      updatedAt: AT,
      delayedUntil: MADE_AT + 7 * DAY_MS,
      ...SHOWN_CARD,
    });
  });

  it('counts the tip into the total and into the fee', () => {
    const tipped = { ...PENDING, tip: amount(150), total: amount(1150) };
    const payment = applyOutcome(tipped, approvedWith(1150), { autocomplete: true, at: AT });
    expect(payment).toMatchObject({ amount: 1000, tip: 150, total: 1150, fee: 63 });
  });

  it('lowers the amount to what a gift card held', () => {
    const payment = applyOutcome(PENDING, approvedWith(500), { autocomplete: false, at: AT });
    expect(payment).toMatchObject({ status: 'APPROVED', amount: 500, total: 500 });
  });

  it.each([true, false])('makes a decline FAILED with its error, autocomplete %s', (autocomplete) => {
    const outcome = { kind: 'declined', code: 'CVV_FAILURE', card: CARD } as const;
    expect(applyOutcome(PENDING, outcome, { autocomplete, at: AT })).toEqual({
      ...PENDING,
      status: 'FAILED',
      updatedAt: AT,
      ...SHOWN_CARD,
      errors: [{ category: 'PAYMENT_METHOD_ERROR', code: 'CVV_FAILURE', detail: "Authorization error: 'CVV_FAILURE'" }],
    });
  });

  it('says what a gift card holds in digits, zero too', () => {
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

describe('declineOf', () => {
  it('is the first error with the others and the payment beside it', () => {
    const errors = [
      { category: 'PAYMENT_METHOD_ERROR', code: 'INSUFFICIENT_FUNDS', detail: 'no' },
      { category: 'PAYMENT_METHOD_ERROR', code: 'GIFT_CARD_AVAILABLE_AMOUNT', detail: '500' },
    ];
    const refusal = declineOf({ errors }, { payment: { id: 'pay-1' } });
    expect(refusal).toMatchObject({
      reason: 'INSUFFICIENT_FUNDS',
      message: 'no',
      beside: { payment: { id: 'pay-1' } },
    });
    expect(refusal.also).toMatchObject([{ reason: 'GIFT_CARD_AVAILABLE_AMOUNT', message: '500' }]);
  });

  it('is a mistake of ours for a payment that did not fail', () => {
    expect(() => declineOf(CAPTURED, {})).toThrow('a failed payment tells why');
  });
});

describe('refuseSource', () => {
  it.each([
    ['ALREADY_USED', 'CARD_TOKEN_USED', 'used'],
    ['UNKNOWN_SOURCE', 'NOT_FOUND', 'no such payment source'],
    ['CARD_NUMBER', 'INVALID_VALUE', 'Never send a card number. Send a card nonce (cnon:...)'],
    ['NOT_A_SOURCE', 'INVALID_VALUE', 'cnon:...'],
  ] as const)('%s is %s of source_id', (why, reason, sentence) => {
    const refusal = refuseSource({ kind: 'unusable', why });
    expect(refusal).toMatchObject({ reason, field: 'source_id' });
    expect(refusal.message).toContain(sentence);
  });
});

describe('chargeOf', () => {
  it('owes the merchant the total, less both fees, from the capture on', () => {
    expect(chargeOf(realIds, { ...CAPTURED, appFee: amount(100) })).toEqual({
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

  it.each<VisibleStatus>(['APPROVED', 'CANCELED', 'FAILED'])('owes nothing for a payment that is %s', (status) => {
    expect(chargeOf(realIds, { ...CAPTURED, status })).toBeUndefined();
  });
});

describe('returnOf', () => {
  const back = (part: number) => ({ part: amount(part), kind: 'REFUND', refundId: 'r-1', at: AT }) as const;

  it('takes the part from the merchant and brings the share of the fee back', () => {
    const { movement, returnedFee } = returnOf(realIds, CAPTURED, { ...back(500), appFeeLeft: null });
    expect(returnedFee).toBe(30);
    expect(movement).toMatchObject({ kind: 'REFUND', refundId: 'r-1', amount: -500, fee: 30, occurredAt: AT });
  });

  it('counts from what was given back before, so that the last part brings the rest', () => {
    const half = { ...CAPTURED, returned: amount(500) };
    expect(returnOf(realIds, half, { ...back(500), appFeeLeft: null }).returnedFee).toBe(29);
  });

  it("brings the application's share back in proportion, or just what it says", () => {
    const shared = { ...CAPTURED, appFee: amount(100) };
    const feeOf = (appFeeShare: Amount | null) =>
      returnOf(realIds, shared, { ...back(500), appFeeShare, appFeeLeft: amount(100) }).movement.fee;
    expect(feeOf(null)).toBe(30 + 50);
    expect(feeOf(ZERO)).toBe(30);
    expect(feeOf(amount(77))).toBe(30 + 77);
  });

  it('brings back no more than the application has left', () => {
    const shared = { ...CAPTURED, appFee: amount(100) };
    expect(returnOf(realIds, shared, { ...back(500), appFeeLeft: amount(20) }).movement.fee).toBe(30 + 20);
    expect(returnOf(realIds, shared, { ...back(500), appFeeLeft: ZERO }).movement.fee).toBe(30);
  });

  it('gives everything back exactly once, whatever parts there are and whatever shares are named', () => {
    const part = fc.record({ units: fc.integer({ min: 1, max: 5000 }), share: fc.option(fc.nat(6000)) });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), fc.nat(90), (parts, percent) => {
        const total = add(...parts.map(({ units }) => amount(units)));
        const appFee = amount(Math.floor((total * percent) / 100));
        let payment: Payment = { ...CAPTURED, amount: total, total, appFee };
        let [returnedFees, processorsPart] = [ZERO, ZERO];
        for (const { units, share } of parts) {
          const left = appFeeLeft(payment, { returnedFees, promised: ZERO });
          const appFeeShare = share === null ? null : amount(Math.min(share, units, left ?? 0));
          const { movement, returnedFee } = returnOf(realIds, payment, {
            ...back(units),
            appFeeShare,
            appFeeLeft: left,
          });
          payment = { ...payment, returned: add(payment.returned, amount(units)) };
          returnedFees = add(returnedFees, movement.fee);
          processorsPart = add(processorsPart, returnedFee);
          expect(movement.fee - returnedFee).toBeGreaterThanOrEqual(0);
          expect(returnedFees).toBeLessThanOrEqual(59 + appFee);
        }
        expect(processorsPart).toBe(59);
        if (parts.every(({ share }) => share === null)) expect(returnedFees).toBe(59 + appFee);
      }),
    );
  });
});

describe('appFeeLeft', () => {
  const half = { appFee: amount(100), fee: amount(59), total: amount(1000), returned: amount(500) };

  it('is what was taken, less what came back and what is promised', () => {
    expect(appFeeLeft(half, { returnedFees: amount(30 + 70), promised: amount(10) })).toBe(20);
    expect(appFeeLeft({ ...half, returned: ZERO }, { returnedFees: ZERO, promised: ZERO })).toBe(100);
  });

  it('is null where the application took nothing', () => {
    expect(appFeeLeft({ ...half, appFee: null }, { returnedFees: amount(30), promised: ZERO })).toBeNull();
  });
});
