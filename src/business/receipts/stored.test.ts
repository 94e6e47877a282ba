/** The stored form: reading returns what was stored, and version 1 never changes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyReceiptInput } from '../../../test/support/receipts.js';
import { FULL_RECEIPT } from '../../../test/support/sales.js';
import type { Quantity } from '../../base/decimal.js';
import { amount, subtract } from '../../base/money.js';
import { breakDown } from './breakdown.js';
import { identifyLines } from './line-ids.js';
import { type Breakdown, computeReceipt } from './model.js';
import {
  fromStoredBreakdown,
  fromStoredReceipt,
  type StoredBreakdown,
  type StoredReceipt,
  storeBreakdown,
  storeReceipt,
} from './stored.js';

const RECEIPT = computeReceipt(FULL_RECEIPT);

/** The breakdown of a full refund of a sale with one tender and a tip. */
function breakDownAll(receipt: typeof RECEIPT): Breakdown {
  const total = amount(receipt.due + 100);
  const tender = { id: 'tender', amount: receipt.due, tip: subtract(total, receipt.due), total };
  return breakDown({ receipt, tenders: [tender], tenderId: 'tender', before: amount(0), part: total });
}

describe('a receipt', () => {
  it('is read as it was stored, with sent ids and with derived ids', () => {
    fc.assert(
      fc.property(anyReceiptInput, fc.boolean(), (input, isIdentified) => {
        const receipt = computeReceipt(isIdentified ? identifyLines(input, 'merchant') : input);
        expect(fromStoredReceipt(storeReceipt(receipt))).toEqual(receipt);
      }),
    );
    expect(fromStoredReceipt(storeReceipt(RECEIPT))).toEqual(RECEIPT);
  });

  it('of version 1 has this JSON: integers in minor units, millionths and hundred-thousandths, and no currency', () => {
    const vat = { name: 'VAT', id: 'tax-1', rate: 50_000, inclusion: 'INCLUSIVE', applied: 57 };
    const salesTax = { name: 'Sales tax', id: 'tax-2', rate: 85_000, inclusion: 'ADDITIVE', applied: 97 };
    const happyHour = { name: 'Happy hour', id: 'discount-1', restricted: false, rate: 100_000, applied: -138 };
    const off = { name: 'Off', restricted: false, amount: 37, applied: -37 };
    expect(JSON.parse(storeReceipt(RECEIPT))).toEqual({
      version: 1,
      items: [
        {
          kind: 'ITEM',
          name: 'Latte',
          variationName: 'Large',
          notes: 'Hot',
          quantity: 250_000,
          price: 500,
          detail: { categoryName: 'Drinks', sku: 'LAT-L', itemId: 'item-1', itemVariationId: 'variation-1' },
          modifiers: [{ name: 'Oat milk', optionId: 'option-1', price: 50, applied: 125 }],
          discounts: [happyHour, off],
          taxes: [vat, salesTax],
          gross: 1318,
          discount: -175,
          net: 1143,
          additiveTax: 97,
          inclusiveTax: 57,
          total: 1297,
        },
      ],
      discounts: [happyHour, off],
      taxes: [vat, salesTax],
      surcharges: [
        { name: 'Service', id: 'surcharge-1', kind: 'AUTO_GRATUITY', rate: 180_000, applied: 216 },
        { name: 'Delivery', kind: 'CUSTOM', amount: 60, applied: 60 },
      ],
      gross: 1318,
      discount: -175,
      net: 1143,
      additiveTax: 97,
      inclusiveTax: 57,
      tax: 154,
      surcharge: 276,
      due: 1573,
    });
  });

  it.each(['{"version":2,"items":[]}', '{"items":[]}', '{"version":"1"}', 'null', '[]', '1'])(
    'that is %s is refused, because its version is unknown',
    (text) => {
      expect(() => fromStoredReceipt(text as StoredReceipt)).toThrow(
        /stored receipt has version .* reads version 1 only/,
      );
    },
  );
});

describe('a breakdown', () => {
  it('is read as it was stored', () => {
    fc.assert(
      fc.property(anyReceiptInput, (input) => {
        const breakdown = breakDownAll(computeReceipt(input));
        const stored = JSON.parse(JSON.stringify(storeBreakdown(breakdown)));
        expect(fromStoredBreakdown(stored)).toEqual(breakdown);
      }),
    );
  });

  it('of version 1 has this JSON', () => {
    expect(storeBreakdown(breakDownAll(RECEIPT))).toEqual({
      version: 1,
      tip: -100,
      taxes: [
        { name: 'VAT', id: 'tax-1', rate: 50_000, inclusion: 'INCLUSIVE', applied: -57 },
        { name: 'Sales tax', id: 'tax-2', rate: 85_000, inclusion: 'ADDITIVE', applied: -97 },
      ],
      additiveTax: -97,
      inclusiveTax: -57,
      tax: -154,
      discount: 175,
      surcharges: [
        { name: 'Service', id: 'surcharge-1', kind: 'AUTO_GRATUITY', rate: 180_000, applied: -216 },
        { name: 'Delivery', kind: 'CUSTOM', amount: 60, applied: -60 },
      ],
      surcharge: -276,
    });
  });

  it('with items has version 2, and is read back', () => {
    const items = [{ line: 1, quantity: 150_000 as Quantity, amount: amount(1234), tax: amount(34) }];
    const stored = storeBreakdown({ ...breakDownAll(RECEIPT), items });
    expect(stored).toMatchObject({ version: 2, items: [{ line: 1, quantity: 150_000, amount: 1234, tax: 34 }] });
    expect(fromStoredBreakdown(stored)).toEqual({ ...breakDownAll(RECEIPT), items });
  });

  it.each([{ version: 3, tip: 0 }, { tip: 0 }])('that is %j is refused, because its version is unknown', (stored) => {
    expect(() => fromStoredBreakdown(stored as unknown as StoredBreakdown)).toThrow(/stored breakdown has version/);
  });
});
