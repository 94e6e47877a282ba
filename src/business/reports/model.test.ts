import { describe, expect, it } from 'vitest';
import { amount } from '../../base/money.js';
import { type Instant, instant, MINUTE_MS, parseTime } from '../../base/time.js';
import { addUp } from '../figures/model.js';
import { REPORT_SALES, REPORT_TENDERS } from '../figures/report.js';
import { addSums, averageSale, isLate, planRollUp, type RollUpFacts, toCounted } from './model.js';

const at = (text: string): Instant => parseTime(text) ?? instant(0);

describe('toCounted', () => {
  it('subtracts the shares of refunds, so that all figures add up', () => {
    const sums = {
      ...addSums([]),
      ...{ count: 3, gross: amount(3000), discount: amount(-200), tax: amount(280), tip: amount(100), fee: amount(90) },
      ...{ collected: amount(3180), refundCount: 1, refunded: amount(600), refundedTax: amount(50) },
      ...{ refundedTip: amount(20), refundedFee: amount(10) },
    };
    const counted = toCounted(sums);
    expect(averageSale(sums)).toBe(933);
    expect(counted).toMatchObject({
      ...{ gross_sales: 3000, discounts: -200, returns: -530, taxes: 230, tips: 80, refunds: -600 },
      ...{ paid: 3180, fees: -80 },
    });
    expect(addUp(REPORT_SALES, counted)).toMatchObject({ net_sales: 2270, collected: 2580, kept: 2500 });
    expect(addUp(REPORT_TENDERS, counted)).toMatchObject({ collected: 2580, kept: 2500 });
  });
});

describe('planRollUp', () => {
  const NOON = at('2020-02-26T17:00:00Z');
  const facts: RollUpFacts = {
    clock: { offsetMs: 0, frozenAt: null },
    clockMovedAt: null,
    locations: [{ timezone: 'America/New_York' }, { timezone: 'Australia/Sydney' }],
    salesPerDay: 0,
  };
  const planAt = (known: RollUpFacts, now: Instant) => planRollUp(known, { real: now, dueAt: now });

  it('covers everything up to five minutes ago, and is next due after the next midnight of a location', () => {
    const { until, next } = planAt(facts, NOON);
    expect(until).toBe(NOON - 5 * MINUTE_MS);
    expect(next).toBe(at('2020-02-27T05:05:00Z'));
    const later = planAt(facts, at('2020-02-27T05:05:00Z'));
    expect(later).toEqual({ until: at('2020-02-27T05:00:00Z'), next: at('2020-02-27T13:05:00Z') });
  });

  it('waits while requests from before a move of the clock may still commit', () => {
    const moved = { ...facts, clockMovedAt: instant(NOON - MINUTE_MS) };
    expect(planAt(moved, NOON)).toEqual({ until: undefined, next: NOON + 5 * MINUTE_MS });
    expect(planAt({ ...facts, clockMovedAt: instant(NOON - 5 * MINUTE_MS) }, NOON).until).toBeDefined();
  });

  it('is never due again at the same time, even if the clock is before it', () => {
    const dueAt = at('2020-02-27T05:05:00Z');
    const { until, next } = planRollUp(facts, { real: NOON, dueAt });
    expect([until, next]).toEqual([NOON - 5 * MINUTE_MS, at('2020-02-27T13:05:00Z')]);
  });

  it('is due every quarter of an hour for busy merchants', () => {
    expect(planAt({ ...facts, salesPerDay: 200 }, NOON).next).toBe(NOON + 15 * MINUTE_MS);
    expect(planAt({ ...facts, salesPerDay: 200 }, at('2020-02-27T04:58:00Z')).next).toBe(at('2020-02-27T05:05:00Z'));
  });
});

it('a sale is late if it is more than a minute old', () => {
  const now = at('2020-02-26T00:00:30Z');
  expect(isLate(at('2020-02-25T23:59:30Z'), now)).toBe(false);
  expect(isLate(at('2020-02-25T23:59:29Z'), now)).toBe(true);
});
