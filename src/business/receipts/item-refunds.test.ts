/** Refunds by item: a case computed by hand, and the property that all refunds together return everything exactly once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyReceiptInput } from '../../../test/support/receipts.js';
import { QUANTITY_OF_ONE, type Quantity, type Rate } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import { add, amount, negate, subtract, ZERO } from '../../base/money.js';
import { breakDown, type PaidTender } from './breakdown.js';
import {
  breakDownReturn,
  type ItemRefund,
  priceReturn,
  returnedByItem,
  returnedQuantities,
  withoutReturnedItems,
} from './item-refunds.js';
import { type Breakdown, computeReceipt, type ItemInput } from './model.js';

const quantity = (pieces: number): Quantity => (pieces * QUANTITY_OF_ONE) as Quantity;

function item(name: string, pieces: number, price: number, rate?: number): ItemInput {
  const taxes = [{ name: 'Tax', rate: (rate ?? 0) as Rate, inclusion: 'ADDITIVE' }] as const;
  return {
    ...{ kind: 'ITEM', name, quantity: quantity(pieces), price: amount(price), modifiers: [], discounts: [] },
    taxes: rate === undefined ? [] : taxes,
  };
}

/** Three coffees at 3.33 with 10 % tax and 10 % off, a cake at 5.00 with 10 % off, and a service charge of 1.00. */
const RECEIPT = computeReceipt({
  items: [item('Coffee', 3, 333, 100_000), item('Cake', 1, 500)],
  discounts: [{ name: 'Regulars', restricted: false, rate: 100_000 as Rate }],
  taxes: [],
  surcharges: [{ name: 'Service', kind: 'CUSTOM', amount: amount(100) }],
});

const tender = (id: string, units: number, tip = 0): PaidTender => ({
  ...{ id, amount: amount(units), tip: amount(tip), total: amount(units + tip) },
});

describe('priceReturn', () => {
  it('returns an item with its taxes and discounts, and in parts exactly the whole', () => {
    const [coffee] = RECEIPT.items;
    expect([coffee?.total, coffee?.discount, coffee?.additiveTax]).toEqual([989, -100, 90]);
    let earlier: ItemRefund[] = [];
    const amounts = [1, 1, 1].map((pieces) => {
      const priced = priceReturn(RECEIPT, earlier, [{ line: 0, quantity: quantity(pieces) }]);
      const [breakdown] = breakDownReturn(priced, [priced.amount]) as [Breakdown];
      earlier = [...earlier, { paymentId: 't', amount: priced.amount, breakdown }];
      return [priced.amount, breakdown.tax, breakdown.discount];
    });
    expect(amounts).toEqual([
      [330, -30, 33],
      [329, -30, 34],
      [330, -30, 33],
    ]);
    expect(returnedQuantities(RECEIPT, earlier)).toEqual([300_000, 0]);
    expect(() => priceReturn(RECEIPT, earlier, [{ line: 0, quantity: quantity(1) }])).toThrow(Refusal);
  });

  it.each([
    ['an unknown item', [{ line: 2, quantity: quantity(1) }]],
    ['an item twice', [0, 0].map((line) => ({ line, quantity: quantity(1) }))],
    ['more than was sold', [{ line: 1, quantity: quantity(2) }]],
  ])('refuses %s', (_, returned) => {
    expect(() => priceReturn(RECEIPT, [], returned)).toThrow(Refusal);
  });
});

describe('a refund of an amount after returned items', () => {
  it('contains the rest: surcharges, tips and the taxes of what was not returned', () => {
    const priced = priceReturn(RECEIPT, [], [{ line: 1, quantity: quantity(1) }]);
    const [breakdown] = breakDownReturn(priced, [priced.amount]) as [Breakdown];
    expect([priced.amount, breakdown.tax, breakdown.discount, breakdown.tip]).toEqual([450, 0, 50, 0]);
    const earlier = [{ paymentId: 't', amount: priced.amount, breakdown }];
    const tenders = [tender('t', RECEIPT.due, 200)];
    const rest = withoutReturnedItems({ receipt: RECEIPT, tenders }, earlier);
    const part = subtract(amount(RECEIPT.due + 200), priced.amount);
    expect(breakDown({ ...rest, tenderId: 't', before: ZERO, part })).toMatchObject({
      ...{ tip: -200, tax: -90, discount: 100, surcharge: -100 },
    });
  });
});

const portions = fc.array(fc.tuple(fc.nat({ max: 7 }), fc.double({ min: 0.01, max: 1, noNaN: true })), {
  maxLength: 8,
});

describe('any items, then any amounts', () => {
  it('return each tax, discount, surcharge and tip exactly once', () => {
    fc.assert(
      fc.property(
        anyReceiptInput,
        portions,
        fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { maxLength: 4 }),
        fc.nat({ max: 1000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (input, chosen, parts, tip, split) => {
          const receipt = computeReceipt(input);
          fc.pre(receipt.due > 0); // a free sale has no tender that could be refunded
          const first = amount(Math.floor(receipt.due * split));
          const tenders = [tender('a', first, tip), tender('b', subtract(receipt.due, first))];
          const earlier: ItemRefund[] = [];
          for (const [line, share] of chosen) {
            const left = (receipt.items[line]?.quantity ?? 0) - (returnedQuantities(receipt, earlier)[line] ?? 0);
            const wanted = Math.ceil(left * share) as Quantity;
            if (wanted > 0) earlier.push(...returnOf(receipt, tenders, earlier, { line, quantity: wanted }));
          }
          const rest = withoutReturnedItems({ receipt, tenders }, earlier);
          const breakdowns = earlier.map(({ breakdown }) => breakdown);
          for (const each of rest.tenders) {
            let before = ZERO;
            for (const share of [...parts, 1]) {
              const part = amount(Math.ceil((each.total - before) * share));
              if (part > 0) breakdowns.push(breakDown({ ...rest, tenderId: each.id, before, part }));
              before = add(before, part);
            }
          }
          const sum = (of: (breakdown: Breakdown) => number) => breakdowns.reduce((total, each) => total + of(each), 0);
          expect(sum(({ tax }) => tax)).toBe(amount(-receipt.tax));
          expect(sum(({ discount }) => discount)).toBe(negate(receipt.discount));
          expect(sum(({ surcharge }) => surcharge)).toBe(amount(-receipt.surcharge));
          expect(sum((each) => each.tip)).toBe(amount(-tip));
        },
      ),
    );
  });
});

/** Takes the price from the tenders in their order, as `allocateReturn` does. */
function returnOf(
  receipt: ReturnType<typeof computeReceipt>,
  tenders: readonly PaidTender[],
  earlier: readonly ItemRefund[],
  returned: { line: number; quantity: Quantity },
): ItemRefund[] {
  const priced = priceReturn(receipt, earlier, [returned]);
  let missing = priced.amount;
  const parts = tenders.flatMap(({ id, amount: paid }) => {
    const part = amount(Math.min(missing, subtract(paid, returnedByItem(earlier, id))));
    missing = subtract(missing, part);
    return part > 0 ? [{ id, part }] : [];
  });
  const breakdowns = breakDownReturn(
    priced,
    parts.map(({ part }) => part),
  );
  return parts.map(({ id, part }, index) => ({
    ...{ paymentId: id, amount: part, breakdown: breakdowns[index] as Breakdown },
  }));
}
