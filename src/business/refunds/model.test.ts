import { describe, expect, it } from 'vitest';
import { Refusal } from '../../base/errors.js';
import { toJson } from '../../base/json.js';
import { amount } from '../../base/money.js';
import { instant, parseTime } from '../../base/time.js';
import {
  type DisputablePayment,
  PENDING_DEFAULTS,
  refundedOrExchanged,
  type VisibleStatus,
} from '../payments/model.js';
import {
  allocateToTenders,
  oneYearWindow,
  REFUND_DELAY_MS,
  REFUND_STATUSES,
  requireAppFeeShare,
  requireExchangeable,
  requireRefundable,
  resolveTenderIds,
  sixtyDayWindow,
  toRemainingParts,
} from './model.js';

const time = (text: string) => parseTime(text) ?? instant(0);
const MADE_AT = time('2020-02-26T10:00:00.154Z');
const SOON = time('2020-02-26T11:00:00Z');

const PAYMENT: DisputablePayment = {
  ...PENDING_DEFAULTS,
  id: 'pay-1',
  saleId: 'pay-1',
  locationId: 'L1',
  channel: 'API',
  applicationId: 'app-1',
  status: 'COMPLETED',
  sourceType: 'CARD',
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
  capturedAt: MADE_AT,
  currency: 'USD',
  amount: amount(1000),
  tip: amount(150),
  total: amount(1150),
  fee: amount(63),
  details: toJson({ order_id: 'order-1' }),
  dispute: null,
};

function refusalOf(work: () => void): Refusal | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  return undefined;
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `pay-1_${index}`);
const tryTo = (change: Partial<DisputablePayment>, units: number, now = SOON) =>
  refusalOf(() => {
    const payment = { ...PAYMENT, ...change };
    requireRefundable(payment, amount(units), {
      now,
      window: oneYearWindow(payment.createdAt),
      field: 'amount_money.amount',
    });
  });

describe('REFUND_STATUSES', () => {
  it('are the four of decision 0029', () => {
    expect(REFUND_STATUSES).toEqual(['PENDING', 'COMPLETED', 'REJECTED', 'FAILED']);
  });
});

describe('REFUND_DELAY_MS', () => {
  it('is a few seconds (decision 0029)', () => {
    expect(REFUND_DELAY_MS).toBe(3000);
  });
});

describe('requireRefundable', () => {
  it.each([
    ['the total including the tip', {}, 1150],
    ['a part', {}, 1],
    ['the remaining amount', { refunded: amount(1000), refundIds: ids(1) }, 150],
    ['a twentieth refund', { refunded: amount(19), refundIds: ids(19) }, 1],
  ] as const)('accepts %s', (_, change, units) => {
    expect(tryTo(change, units)).toBeUndefined();
  });

  it.each<VisibleStatus>(['APPROVED', 'CANCELED', 'FAILED'])('refuses a %s payment, and names its status', (status) => {
    const refusal = tryTo({ status }, 1);
    expect(refusal).toMatchObject({ reason: 'PAYMENT_NOT_REFUNDABLE', field: 'payment_id' });
    expect(refusal?.message).toContain(`pay-1 is ${status}`);
  });

  it('refuses more than the remaining amount, and names that amount', () => {
    const refusal = tryTo({ refunded: amount(400), refundIds: ids(1) }, 751);
    expect(refusal).toMatchObject({ reason: 'REFUND_AMOUNT_INVALID', field: 'amount_money.amount' });
    expect(refusal?.message).toContain('750');
  });

  it('refuses a twenty-first refund', () => {
    const refusal = tryTo({ refunded: amount(20), refundIds: ids(20) }, 1);
    expect(refusal).toMatchObject({ reason: 'PAYMENT_NOT_REFUNDABLE', field: 'payment_id' });
    expect(refusal?.message).toContain('20 refunds');
  });

  it('refuses a refund after one that failed', () => {
    const refusal = tryTo({ refundsBlocked: true, refundIds: ids(1) }, 1);
    expect(refusal).toMatchObject({ reason: 'PAYMENT_NOT_REFUNDABLE', field: 'payment_id' });
    expect(refusal?.message).toContain('failed');
  });

  it.each([
    ['2020-02-26T10:00:00.154Z', '2021-02-26T10:00:00.154Z'],
    ['2020-02-29T12:00:00.000Z', '2021-03-01T12:00:00.000Z'],
    ['2019-03-01T00:00:00.000Z', '2020-03-01T00:00:00.000Z'],
  ])('accepts a payment of %s until %s, and refuses it one millisecond later', (made, end) => {
    expect(tryTo({ createdAt: time(made) }, 1, time(end))).toBeUndefined();
    const refusal = tryTo({ createdAt: time(made) }, 1, instant(time(end) + 1));
    expect(refusal).toMatchObject({ reason: 'PAYMENT_NOT_REFUNDABLE', field: 'payment_id' });
    expect(refusal?.message).toContain('more than a year old');
  });

  it('checks the state first, then a failed refund, the age, the number, and the amount last', () => {
    const worst: Partial<DisputablePayment> = { refundsBlocked: true, refundIds: ids(20), refunded: amount(1150) };
    const late = time('2022-01-01');
    expect(tryTo({ ...worst, status: 'CANCELED' }, 2000, late)?.message).toContain('CANCELED');
    expect(tryTo(worst, 2000, late)?.message).toContain('failed');
    expect(tryTo({ ...worst, refundsBlocked: false }, 2000, late)?.message).toContain('year');
    expect(tryTo({ ...worst, refundsBlocked: false }, 2000)?.message).toContain('20 refunds');
    expect(tryTo({ refunded: amount(1150), refundIds: ids(19) }, 2000)?.reason).toBe('REFUND_AMOUNT_INVALID');
  });
});

describe('sixtyDayWindow', () => {
  it('ends after exactly 60 days (contract 4.2 rule 4)', () => {
    expect(sixtyDayWindow(MADE_AT)).toEqual({ until: time('2020-04-26T10:00:00.154Z'), length: '60 days' });
  });
});

describe('requireExchangeable', () => {
  const tryTo = (change: Partial<DisputablePayment>, units: number) =>
    refusalOf(() => requireExchangeable({ ...PAYMENT, ...change }, amount(units), 'amount_money'));

  it('accepts a payment after a failed refund or after the maximum number of refunds', () => {
    expect(tryTo({ refundsBlocked: true, refundIds: ids(20) }, 1150)).toBeUndefined();
  });

  it('refuses a disputed payment, and nobody can overrule that', () => {
    const dispute = { id: 'dispute-1', amount: amount(1), placedAt: MADE_AT };
    expect(tryTo({ dispute }, 1)).toMatchObject({ reason: 'PAYMENT_NOT_REFUNDABLE' });
  });

  it('refuses more than the amount that is neither refunded nor exchanged', () => {
    const partlyRefunded = { refunded: amount(400), exchanged: amount(300) };
    expect(tryTo(partlyRefunded, 450)).toBeUndefined();
    expect(tryTo(partlyRefunded, 451)).toMatchObject({ reason: 'REFUND_AMOUNT_INVALID', field: 'amount_money' });
  });

  it.each<VisibleStatus>(['APPROVED', 'CANCELED', 'FAILED'])('refuses a payment that is %s', (status) => {
    expect(tryTo({ status }, 1)).toMatchObject({ reason: 'PAYMENT_NOT_REFUNDABLE' });
  });
});

describe('parts of several tenders', () => {
  const left = (units: number): DisputablePayment => ({
    ...PAYMENT,
    id: `left-${units}`,
    refunded: amount(1150 - units),
  });
  const shown = (parts: ReturnType<typeof allocateToTenders>) => parts.map(({ payment, part }) => [payment.id, part]);

  it('are the remaining amounts, without tenders that are refunded in full', () => {
    expect(shown(toRemainingParts([left(300), left(0), left(50)]))).toEqual([
      ['left-300', 300],
      ['left-50', 50],
    ]);
    expect(toRemainingParts([left(0)])).toEqual([]);
  });

  it.each([
    [100, [['left-300', 100]]],
    [300, [['left-300', 300]]],
    [
      301,
      [
        ['left-300', 300],
        ['left-50', 1],
      ],
    ],
    [
      350,
      [
        ['left-300', 300],
        ['left-50', 50],
      ],
    ],
    // Too much: the excess is in the last part, whose check refuses it.
    [
      351,
      [
        ['left-300', 300],
        ['left-50', 51],
      ],
    ],
  ])('are taken from the tenders in their order: %d', (wanted, expected) => {
    expect(shown(allocateToTenders([left(300), left(0), left(50)], amount(wanted)))).toEqual(expected);
  });

  it('begin after the amounts that are refunded or exchanged', () => {
    expect(refundedOrExchanged({ refunded: amount(30), exchanged: amount(12) })).toBe(42);
  });
});

describe('resolveTenderIds', () => {
  const SPLIT = { id: 'sale', tenders: [{ id: 'first' }, { id: 'second' }] };

  it.each([
    ['sale', 'NAMED', ['first', 'second']],
    ['sale', 'SALE', ['first', 'second']],
    ['first', 'NAMED', ['first']],
    ['first', 'SALE', ['first', 'second']],
    ['second', 'NAMED', ['second']],
    ['second', 'SALE', ['first', 'second']],
  ] as const)('by %s with %s are %j (decision 0014)', (id, refundScope, expected) => {
    expect(resolveTenderIds(SPLIT, id, refundScope)).toEqual(expected);
  });

  it('of a sale with one tender are that tender, for the id of the sale and of the tender', () => {
    const single = { id: 'sale', tenders: [{ id: 'only' }] };
    for (const id of ['sale', 'only']) {
      for (const refundScope of ['NAMED', 'SALE'] as const) {
        expect(resolveTenderIds(single, id, refundScope)).toEqual(['only']);
      }
    }
  });
});

describe('requireAppFeeShare', () => {
  const tryShare = (share: number, units: number, left: number | null) =>
    refusalOf(() =>
      requireAppFeeShare(amount(share), { amount: amount(units), left: left === null ? null : amount(left) }),
    );

  it.each([
    ['nothing', 0, 500, 100],
    ['the remaining fee', 100, 500, 100],
    ['the refunded amount', 50, 50, 100],
  ])('accepts %s', (_, share, units, left) => {
    expect(tryShare(share, units, left)).toBeUndefined();
  });

  it.each([
    ['more than the remaining fee', 101, 500, 100],
    ['more than the refunded amount', 51, 50, 100],
    ['any share without an application fee', 0, 500, null],
  ])('refuses %s', (_, share, units, left) => {
    expect(tryShare(share, units, left)).toMatchObject({ reason: 'INVALID_FEES', field: 'app_fee_money.amount' });
  });
});
