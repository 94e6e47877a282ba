/** Receipts for tests: random ones for laws, and stored ones for rows that a test inserts itself. */
import fc from 'fast-check';
import { QUANTITY_OF_ONE, type Quantity, type Rate } from '../../src/base/decimal.js';
import { type Amount, amount } from '../../src/base/money.js';
import {
  computeReceipt,
  type DiscountInput,
  ITEM_KINDS,
  type ItemInput,
  MAX_LINES,
  type ReceiptInput,
  SURCHARGE_KINDS,
  type SurchargeInput,
  TAX_INCLUSIONS,
  type TaxInput,
} from '../../src/business/receipts/model.js';
import { storeReceipt } from '../../src/business/receipts/stored.js';

/** Small amounts, whose shares are fractions of a unit, and usual ones. */
const prices: fc.Arbitrary<Amount> = fc
  .oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 500_000 }))
  .map(amount);

/** Usual percentages, the limits, and unusual ones. */
const rates = fc
  .oneof(fc.constantFrom(0, 10_000, 85_000, 100_000, 500_000, 1_000_000), fc.integer({ min: 0, max: 1_000_000 }))
  .map((millionths) => millionths as Rate);

const quantities = fc
  .oneof(
    fc.integer({ min: 1, max: 9 }).map((pieces) => pieces * 100_000),
    fc.integer({ min: 1, max: 2_000_000 }),
  )
  .map((steps) => steps as Quantity);

const measures = fc.oneof(fc.record({ rate: rates }), fc.record({ amount: prices }));
// Few names, so that equal lines occur.
const names = fc.constantFrom('A', 'B');

const discounts: fc.Arbitrary<DiscountInput> = fc
  .tuple(fc.record({ name: names, restricted: fc.boolean() }), measures)
  .map(([words, measure]) => ({ ...words, ...measure }));

const taxes: fc.Arbitrary<TaxInput> = fc.record(
  { name: names, id: names, rate: rates, inclusion: fc.constantFrom(...TAX_INCLUSIONS) },
  { requiredKeys: ['name', 'rate', 'inclusion'] },
);

const surcharges: fc.Arbitrary<SurchargeInput> = fc
  .tuple(fc.record({ name: names, kind: fc.constantFrom(...SURCHARGE_KINDS) }), measures)
  .map(([words, measure]) => ({ ...words, ...measure }));

function few<T>(lines: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc.oneof(
    { arbitrary: fc.array(lines, { maxLength: 3 }), weight: 9 },
    { arbitrary: fc.array(lines, { maxLength: MAX_LINES }), weight: 1 },
  );
}

const items: fc.Arbitrary<ItemInput> = fc.record({
  kind: fc.constantFrom(...ITEM_KINDS),
  name: names,
  quantity: quantities,
  price: prices,
  modifiers: few(fc.record({ name: names, price: prices })),
  discounts: few(discounts),
  taxes: few(taxes),
});

export const anyReceiptInput: fc.Arbitrary<ReceiptInput> = fc.record({
  items: fc.array(items, { maxLength: 8 }),
  discounts: few(discounts),
  taxes: few(taxes),
  surcharges: few(surcharges),
});

/** A receipt of one custom amount in its stored form, for rows that a test inserts itself. */
export function storedReceipt(due: number): string {
  const item = { kind: 'CUSTOM_AMOUNT', name: 'Custom Amount', quantity: QUANTITY_OF_ONE, price: amount(due) } as const;
  const items = [{ ...item, modifiers: [], discounts: [], taxes: [] }];
  return storeReceipt(computeReceipt({ items, discounts: [], taxes: [], surcharges: [] }));
}
