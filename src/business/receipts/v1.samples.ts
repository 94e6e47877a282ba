/**
 * Receipts and a breakdown that have every field of v1. What is printed for them is the version of stored copies, so they never change
 * without a reason.
 */
import type { Quantity, Rate } from '../../base/decimal.js';
import { type Amount, amount, negate } from '../../base/money.js';
import {
  type Applied,
  type Breakdown,
  computeReceipt,
  type Receipt,
  type SurchargeInput,
  type TaxInput,
} from './model.js';

export const SAMPLE_CURRENCY = 'USD';

const ADDITIVE: TaxInput = { name: 'Sales tax', id: 'TAX1', rate: 88_750 as Rate, inclusion: 'ADDITIVE' };
const INCLUSIVE: TaxInput = { name: 'Ökosteuer "B"', id: 'TAX2', rate: 50_000 as Rate, inclusion: 'INCLUSIVE' };
const WITHOUT_ID: TaxInput = { name: 'Bag fee', rate: 10_000 as Rate, inclusion: 'ADDITIVE' };
const GRATUITY: SurchargeInput = { name: 'Gratuity', id: 'SURCHARGE1', kind: 'AUTO_GRATUITY', rate: 180_000 as Rate };
const PACKING: SurchargeInput = { name: 'Packing', kind: 'CUSTOM', amount: amount(50) };

/** A receipt with all lines and all fields, one without any field that can be absent, and one of nothing. */
export const SAMPLE_RECEIPTS: readonly Receipt[] = [
  computeReceipt({
    items: [
      {
        kind: 'ITEM',
        name: 'Flat white',
        quantity: 150_000 as Quantity,
        price: amount(450),
        variationName: 'Large',
        notes: 'No "foam",\n\tplease',
        detail: { categoryName: 'Coffee', sku: 'FW-1', itemId: 'ITEM1', itemVariationId: 'VARIATION1' },
        modifiers: [
          { name: 'Oat milk', optionId: 'OPTION1', price: amount(60) },
          { name: 'Hot', price: amount(0) },
        ],
        discounts: [{ name: 'Half', id: 'DISCOUNT1', rate: 500_000 as Rate, restricted: false }],
        taxes: [INCLUSIVE],
      },
      {
        ...{ kind: 'CUSTOM_AMOUNT', name: 'Custom Amount', quantity: 100_000 as Quantity, price: amount(999) },
        ...{ modifiers: [], discounts: [], taxes: [] },
      },
    ],
    discounts: [{ name: 'A dollar', amount: amount(100), restricted: true }],
    taxes: [ADDITIVE, WITHOUT_ID],
    surcharges: [GRATUITY, PACKING],
  }),
  computeReceipt({ items: [], discounts: [], taxes: [], surcharges: [] }),
];

const taken = <Line>(line: Line, cents: number): Applied<Line> => ({ ...line, applied: negate(amount(cents)) });
const minus = (cents: number): Amount => negate(amount(cents));

/** What a refund takes back of a receipt. */
export const SAMPLE_BREAKDOWN: Breakdown = {
  tip: minus(25),
  taxes: [taken(ADDITIVE, 8), taken(INCLUSIVE, 5)],
  additiveTax: minus(8),
  inclusiveTax: minus(5),
  tax: minus(13),
  discount: amount(10),
  surcharges: [taken(GRATUITY, 18), taken(PACKING, 5)],
  surcharge: minus(23),
};
