/** What refunds give back of each line: cases counted by hand, and the law that all refunds give each line once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyReceiptInput } from '../../../test/support/receipts.js';
import type { Rate } from '../../base/decimal.js';
import { type Amount, add, amount, negate, subtract, ZERO } from '../../base/money.js';
import { breakDown, type PaidTender, unlessEmpty } from './breakdown.js';
import { type Breakdown, computeReceipt, type Receipt } from './model.js';

type Lines = Pick<Receipt, 'due' | 'taxes' | 'discount' | 'surcharges'>;

/** 1000 - 100 of discount, with 90 of additive tax, 45 of inclusive tax and 110 of surcharges: 1100 in all. */
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
  it('of a sale that is refunded in full is the sale with its signs turned', () => {
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
    ['a half, the tip with it', [tender('t', 1100, 100)], 't', [0, 600], [-50, -45, -23, 50, -30, -25]],
    ['the first of two tenders', [tender('a', 550), tender('b', 550, 100)], 'a', [0, 550], [0, -45, -23, 50, -30, -25]],
    ['the second', [tender('a', 550), tender('b', 550, 100)], 'b', [0, 650], [-100, -45, -22, 50, -30, -25]],
    ['a half of the second', [tender('a', 550), tender('b', 550, 110)], 'b', [0, 330], [-55, -23, -11, 25, -15, -13]],
    ['its other half', [tender('a', 550), tender('b', 550, 110)], 'b', [330, 330], [-55, -22, -11, 25, -15, -12]],
    ['a single unit', [tender('t', 1100)], 't', [0, 1], [0, 0, 0, 0, 0, 0]],
    ['nothing', [tender('t', 1100, 10)], 't', [500, 0], [0, 0, 0, 0, 0, 0]],
    ['a tender of nothing but a tip', [tender('a', 1100), tender('b', 0, 50)], 'b', [0, 20], [-20, 0, 0, 0, 0, 0]],
  ])('of %s', (_, tenders, id, stretch, expected) => {
    expect(figures(refund(tenders, id, stretch))).toEqual(expected);
  });

  it('of a sale that was free gives back the tip alone', () => {
    const free = { due: ZERO, taxes: [], discount: amount(-500), surcharges: [] };
    const tenders = [tender('t', 0, 80)];
    const given = breakDown({ receipt: free, tenders, tenderId: 't', before: ZERO, part: amount(80) });
    expect(given).toMatchObject({ tip: -80, tax: 0, discount: 0, surcharge: 0 });
  });

  it('is kept as it is, unless every sum and every line of it is zero', () => {
    const whole = refund([tender('t', 1100)], 't', [0, 550]);
    expect(unlessEmpty(whole)).toBe(whole);
    expect(unlessEmpty(refund([tender('t', 1100, 10)], 't', [500, 0]))).toBe(null);
    const onlyLine = { ...refund([tender('t', 1100)], 't', [0, 0]), taxes: whole.taxes };
    expect(unlessEmpty(onlyLine)).toBe(onlyLine);
  });

  it('knows the tenders of the sale only', () => {
    expect(() => refund([tender('a', 1100)], 'b', [0, 1])).toThrow(RangeError);
  });
});

/** A sale, how it was paid, and in which order its tenders are refunded by which parts, until nothing is left. */
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

/** A share of what is left of some tender, again and again, and at last what is left of all. */
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

/** One line, over all refunds. */
function sumOver(given: readonly Breakdown[], pick: (one: Breakdown) => Amount | undefined): Amount {
  return add(...given.map((one) => pick(one) ?? amount(Number.NaN)));
}

describe('all refunds of a sale', () => {
  it('give back each line once, whatever the tenders, the parts and their order', () => {
    fc.assert(
      fc.property(refundedSale, ({ receipt, tenders, steps }) => {
        const given = steps.map((step) => breakDown({ receipt, tenders, ...step }));
        receipt.taxes.forEach(({ applied }, at) => {
          expect(sumOver(given, ({ taxes }) => taxes[at]?.applied)).toBe(negate(applied));
        });
        receipt.surcharges.forEach(({ applied }, at) => {
          expect(sumOver(given, ({ surcharges }) => surcharges[at]?.applied)).toBe(negate(applied));
        });
        expect(sumOver(given, ({ discount }) => discount)).toBe(negate(receipt.discount));
        expect(sumOver(given, ({ tip }) => tip)).toBe(negate(add(...tenders.map(({ tip }) => tip ?? ZERO))));
        for (const total of ['tax', 'additiveTax', 'inclusiveTax', 'surcharge'] as const) {
          expect(sumOver(given, (one) => one[total])).toBe(negate(receipt[total]));
        }
      }),
    );
  });

  it('give back the tips of a tender with that tender', () => {
    fc.assert(
      fc.property(refundedSale, ({ receipt, tenders, steps }) => {
        for (const { id, tip } of tenders) {
          const own = steps.filter(({ tenderId }) => tenderId === id);
          const given = own.map((step) => breakDown({ receipt, tenders, ...step }));
          expect(sumOver(given, (one) => one.tip)).toBe(negate(tip ?? ZERO));
        }
      }),
    );
  });

  it('are each consistent: totals are the sums of their lines, no sign is turned, no line is given beyond the refund', () => {
    fc.assert(
      fc.property(refundedSale, ({ receipt, tenders, steps }) => {
        for (const step of steps) {
          const given = breakDown({ receipt, tenders, ...step });
          const sumOf = (inclusion: string) =>
            add(...given.taxes.filter((tax) => tax.inclusion === inclusion).map(({ applied }) => applied));
          expect(given.additiveTax).toBe(sumOf('ADDITIVE'));
          expect(given.inclusiveTax).toBe(sumOf('INCLUSIVE'));
          expect(given.tax).toBe(given.additiveTax + given.inclusiveTax);
          expect(given.surcharge).toBe(add(...given.surcharges.map(({ applied }) => applied)));
          const lines = [...given.taxes, ...given.surcharges].map(({ applied }) => applied);
          expect(Math.max(given.tip, ...lines)).toBeLessThanOrEqual(0);
          expect(given.discount).toBeGreaterThanOrEqual(0);
          for (const line of lines) expect(step.part + given.tip + line).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
