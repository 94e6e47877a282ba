/** Breakdowns: cases computed by hand, and the property that all refunds together return each line exactly once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyReceiptInput } from '../../../test/support/receipts.js';
import type { Rate } from '../../base/decimal.js';
import { type Amount, add, amount, negate, subtract, ZERO } from '../../base/money.js';
import { breakDown, nullIfEmpty, type PaidTender } from './breakdown.js';
import { type Breakdown, computeReceipt, type Receipt } from './model.js';

type Lines = Pick<Receipt, 'due' | 'taxes' | 'discount' | 'surcharges'>;

/** A price of 1000 with a discount of 100, additive tax of 90, inclusive tax of 45 and surcharges of 110: 1100 in total. */
const SALE: Lines = {
  due: amount(1100),
  taxes: [
    { name: 'Sales tax', id: 'fee-1', rate: 100_000 as Rate, inclusion: 'ADDITIVE', applied: amount(90) },
    { name: 'VAT', rate: 52_632 as Rate, inclusion: 'INCLUSIVE', applied: amount(45) },
  ],
  discount: amount(-100),
  surcharges: [
    { name: 'Delivery', kind: 'CUSTOM', amount: amount(60), applied: amount(60) },
    { name: 'Service', kind: 'AUTO_GRATUITY', rate: 55_556 as Rate, applied: amount(50) },
  ],
};

function tender(id: string, units: number, tip: number | null = null): PaidTender {
  return { id, amount: amount(units), tip: tip === null ? null : amount(tip), total: amount(units + (tip ?? 0)) };
}

function refund(
  tenders: readonly PaidTender[],
  tenderId: string,
  [before, part]: readonly [number, number],
): Breakdown {
  return breakDown({ receipt: SALE, tenders, tenderId, before: amount(before), part: amount(part) });
}

/** Tip, the two taxes, discount and the two surcharges. */
function figures({ tip, taxes, discount, surcharges }: Breakdown): number[] {
  return [tip, ...taxes.map(({ applied }) => applied), discount, ...surcharges.map(({ applied }) => applied)];
}

describe('breakDown', () => {
  it('of a full refund is the receipt with inverted signs', () => {
    const whole = refund([tender('t', 1100, 150)], 't', [0, 1250]);
    expect(whole).toEqual({
      tip: -150,
      taxes: [
        { ...SALE.taxes[0], applied: -90 },
        { ...SALE.taxes[1], applied: -45 },
      ],
      additiveTax: -90,
      inclusiveTax: -45,
      tax: -135,
      discount: 100,
      surcharges: [
        { ...SALE.surcharges[0], applied: -60 },
        { ...SALE.surcharges[1], applied: -50 },
      ],
      surcharge: -110,
    });
  });

  it.each<[string, readonly PaidTender[], string, readonly [number, number], number[]]>([
    ['a half', [tender('t', 1100)], 't', [0, 550], [0, -45, -23, 50, -30, -25]],
    ['the other half', [tender('t', 1100)], 't', [550, 550], [0, -45, -22, 50, -30, -25]],
    ['a half, including the tip', [tender('t', 1100, 100)], 't', [0, 600], [-50, -45, -23, 50, -30, -25]],
    ['the first of two tenders', [tender('a', 550), tender('b', 550, 100)], 'a', [0, 550], [0, -45, -23, 50, -30, -25]],
    ['the second', [tender('a', 550), tender('b', 550, 100)], 'b', [0, 650], [-100, -45, -22, 50, -30, -25]],
    ['a half of the second', [tender('a', 550), tender('b', 550, 110)], 'b', [0, 330], [-55, -23, -11, 25, -15, -13]],
    ['its other half', [tender('a', 550), tender('b', 550, 110)], 'b', [330, 330], [-55, -22, -11, 25, -15, -12]],
    ['a single unit', [tender('t', 1100)], 't', [0, 1], [0, 0, 0, 0, 0, 0]],
    ['nothing', [tender('t', 1100, 10)], 't', [500, 0], [0, 0, 0, 0, 0, 0]],
    ['a tender with a tip only', [tender('a', 1100), tender('b', 0, 50)], 'b', [0, 20], [-20, 0, 0, 0, 0, 0]],
  ])('of %s', (_, tenders, id, stretch, expected) => {
    expect(figures(refund(tenders, id, stretch))).toEqual(expected);
  });

  it('of a free sale has the tip only', () => {
    const free = { due: ZERO, taxes: [], discount: amount(-500), surcharges: [] };
    const tenders = [tender('t', 0, 80)];
    const breakdown = breakDown({ receipt: free, tenders, tenderId: 't', before: ZERO, part: amount(80) });
    expect(breakdown).toMatchObject({ tip: -80, tax: 0, discount: 0, surcharge: 0 });
  });

  it('is unchanged by nullIfEmpty, unless every sum and every line is zero', () => {
    const whole = refund([tender('t', 1100)], 't', [0, 550]);
    expect(nullIfEmpty(whole)).toBe(whole);
    expect(nullIfEmpty(refund([tender('t', 1100, 10)], 't', [500, 0]))).toBe(null);
    const onlyLine = { ...refund([tender('t', 1100)], 't', [0, 0]), taxes: whole.taxes };
    expect(nullIfEmpty(onlyLine)).toBe(onlyLine);
  });

  it('throws for a tender that is not of the sale', () => {
    expect(() => refund([tender('a', 1100)], 'b', [0, 1])).toThrow(RangeError);
  });
});

/** A sale, its tenders, and a sequence of refunds that ends with a full refund of every tender. */
const refundedSale = fc
  .record({
    receipt: anyReceiptInput.map(computeReceipt).filter(({ due }) => due > 0),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
    tips: fc.array(fc.option(fc.oneof(fc.nat(5), fc.nat(100_000))), { minLength: 5, maxLength: 5 }),
    parts: fc.array(fc.tuple(fc.nat(4), fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 25 }),
  })
  .map(({ receipt, cuts, tips, parts }) => {
    const ends = [...cuts.map((cut) => Math.floor(cut * receipt.due)), receipt.due].sort((one, other) => one - other);
    const tenders = ends.map((end, index) => tender(`t${index}`, end - (ends[index - 1] ?? 0), tips[index]));
    return { receipt, tenders, steps: stepsOf(tenders, parts) };
  });

interface Step {
  readonly tenderId: string;
  readonly before: Amount;
  readonly part: Amount;
}

/** Refunds breakdowns shares of the remaining amounts of tenders, and finally the remaining amount of every tender. */
function stepsOf(tenders: readonly PaidTender[], parts: readonly (readonly [number, number])[]): Step[] {
  const refunded = new Map<string, Amount>();
  const all = [...parts, ...tenders.map((_, index) => [index, 1] as const)];
  return all.flatMap(([index, share]) => {
    const chosen = tenders[index % tenders.length];
    if (!chosen) return [];
    const before = refunded.get(chosen.id) ?? ZERO;
    const part = amount(Math.ceil(subtract(chosen.total, before) * share));
    refunded.set(chosen.id, add(before, part));
    return [{ tenderId: chosen.id, before, part }];
  });
}

/** The sum of one line over all refunds. */
function sumOver(breakdowns: readonly Breakdown[], pick: (one: Breakdown) => Amount | undefined): Amount {
  return add(...breakdowns.map((one) => pick(one) ?? amount(Number.NaN)));
}

describe('all refunds of a sale', () => {
  it('return each line exactly once, for any tenders, parts and order', () => {
    fc.assert(
      fc.property(refundedSale, ({ receipt, tenders, steps }) => {
        const breakdowns = steps.map((step) => breakDown({ receipt, tenders, ...step }));
        receipt.taxes.forEach(({ applied }, at) => {
          expect(sumOver(breakdowns, ({ taxes }) => taxes[at]?.applied)).toBe(negate(applied));
        });
        receipt.surcharges.forEach(({ applied }, at) => {
          expect(sumOver(breakdowns, ({ surcharges }) => surcharges[at]?.applied)).toBe(negate(applied));
        });
        expect(sumOver(breakdowns, ({ discount }) => discount)).toBe(negate(receipt.discount));
        expect(sumOver(breakdowns, ({ tip }) => tip)).toBe(negate(add(...tenders.map(({ tip }) => tip ?? ZERO))));
        for (const total of ['tax', 'additiveTax', 'inclusiveTax', 'surcharge'] as const) {
          expect(sumOver(breakdowns, (one) => one[total])).toBe(negate(receipt[total]));
        }
      }),
    );
  });

  it('return the tip of a tender with that tender', () => {
    fc.assert(
      fc.property(refundedSale, ({ receipt, tenders, steps }) => {
        for (const { id, tip } of tenders) {
          const own = steps.filter(({ tenderId }) => tenderId === id);
          const breakdowns = own.map((step) => breakDown({ receipt, tenders, ...step }));
          expect(sumOver(breakdowns, (one) => one.tip)).toBe(negate(tip ?? ZERO));
        }
      }),
    );
  });

  it('are each consistent: totals are sums of lines, signs are correct, and no line exceeds the refund', () => {
    fc.assert(
      fc.property(refundedSale, ({ receipt, tenders, steps }) => {
        for (const step of steps) {
          const breakdown = breakDown({ receipt, tenders, ...step });
          const sumOf = (inclusion: string) =>
            add(...breakdown.taxes.filter((tax) => tax.inclusion === inclusion).map(({ applied }) => applied));
          expect(breakdown.additiveTax).toBe(sumOf('ADDITIVE'));
          expect(breakdown.inclusiveTax).toBe(sumOf('INCLUSIVE'));
          expect(breakdown.tax).toBe(breakdown.additiveTax + breakdown.inclusiveTax);
          expect(breakdown.surcharge).toBe(add(...breakdown.surcharges.map(({ applied }) => applied)));
          const lines = [...breakdown.taxes, ...breakdown.surcharges].map(({ applied }) => applied);
          expect(Math.max(breakdown.tip, ...lines)).toBeLessThanOrEqual(0);
          expect(breakdown.discount).toBeGreaterThanOrEqual(0);
          for (const line of lines) expect(step.part + breakdown.tip + line).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
