/** Receipts: cases computed by hand, and the identities that hold for every receipt. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyReceiptInput } from '../../../test/support/receipts.js';
import { parseQuantity, parseRate, QUANTITY_OF_ONE, RATE_OF_ONE } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import { type Amount, add, amount, MAX_AMOUNT, portion } from '../../base/money.js';
import {
  computeReceipt,
  type DiscountInput,
  type ItemInput,
  MAX_LINES,
  MAX_RECEIPT_ITEMS,
  type Receipt,
  type ReceiptInput,
  type SurchargeInput,
  type TaxInput,
} from './model.js';

function rate(text: string) {
  const read = parseRate(text);
  if (read === undefined) throw new Error(`not a rate: ${text}`);
  return read;
}

function quantity(text: string) {
  const read = parseQuantity(text);
  if (read === undefined) throw new Error(`not a quantity: ${text}`);
  return read;
}

function item(price: number, more: Partial<ItemInput> = {}): ItemInput {
  const words = { kind: 'ITEM', name: 'Latte', quantity: QUANTITY_OF_ONE } as const;
  return { ...words, price: amount(price), modifiers: [], discounts: [], taxes: [], ...more };
}

const percentOff = (text: string): DiscountInput => ({ name: 'Happy hour', restricted: false, rate: rate(text) });
const amountOff = (units: number): DiscountInput => ({ name: 'Coupon', restricted: false, amount: amount(units) });
const additive = (text: string): TaxInput => ({ name: 'Sales tax', rate: rate(text), inclusion: 'ADDITIVE' });
const inclusive = (text: string): TaxInput => ({ name: 'VAT', rate: rate(text), inclusion: 'INCLUSIVE' });

function sale(items: readonly ItemInput[], more: Partial<ReceiptInput> = {}): Receipt {
  return computeReceipt({ items, discounts: [], taxes: [], surcharges: [], ...more });
}

const each = <Key extends keyof Receipt['items'][number]>({ items }: Receipt, key: Key) => items.map((one) => one[key]);
const applied = (lines: readonly { readonly applied: Amount }[]) => lines.map((line) => line.applied);

describe('computeReceipt', () => {
  it('computes the published sample: two lattes with a modifier, a discount and a tax', () => {
    const receipt = sale(
      [item(500, { quantity: quantity('2'), modifiers: [{ name: 'Oat milk', price: amount(50), optionId: 'mod-1' }] })],
      { discounts: [{ ...amountOff(100), id: 'disc-1' }], taxes: [{ ...additive('0.09'), id: 'fee-1' }] },
    );
    expect(receipt).toMatchObject({ gross: 1100, discount: -100, net: 1000, additiveTax: 90, inclusiveTax: 0 });
    expect(receipt).toMatchObject({ tax: 90, surcharge: 0, due: 1090, surcharges: [] });
    expect(receipt.items).toEqual([
      {
        kind: 'ITEM',
        name: 'Latte',
        quantity: 200_000,
        price: 500,
        modifiers: [{ name: 'Oat milk', price: 50, optionId: 'mod-1', applied: 100 }],
        discounts: [{ name: 'Coupon', id: 'disc-1', restricted: false, amount: 100, applied: -100 }],
        taxes: [{ name: 'Sales tax', id: 'fee-1', rate: 90_000, inclusion: 'ADDITIVE', applied: 90 }],
        gross: 1100,
        discount: -100,
        net: 1000,
        additiveTax: 90,
        inclusiveTax: 0,
        total: 1090,
      },
    ]);
    expect(receipt.discounts).toEqual(receipt.items[0]?.discounts);
    expect(receipt.taxes).toEqual(receipt.items[0]?.taxes);
  });

  it('computes the other published sample: 450 - 45 = 405, and a tax of 24', () => {
    const receipt = sale([item(450)], { discounts: [percentOff('0.1')], taxes: [additive('0.06')] });
    expect(receipt).toMatchObject({ gross: 450, discount: -45, net: 405, tax: 24, due: 429 });
  });

  it('without items is the sum of the surcharges', () => {
    const surcharges: SurchargeInput[] = [{ name: 'Delivery', kind: 'CUSTOM', amount: amount(500) }];
    const receipt = sale([], { discounts: [amountOff(5)], taxes: [additive('0.1')], surcharges });
    expect(receipt).toMatchObject({ gross: 0, discount: 0, net: 0, tax: 0, surcharge: 500, due: 500 });
  });

  it('keeps the description of an item', () => {
    const words = { variationName: 'Large', notes: 'hot', detail: { sku: 'LAT-L' }, kind: 'CUSTOM_AMOUNT' } as const;
    expect(sale([item(1, words)]).items[0]).toMatchObject(words);
  });
});

describe('prices', () => {
  it.each([
    ['1', 500, 500],
    ['0.5', 501, 251], // 250.5 is rounded up
    ['0.333', 100, 33],
    ['2.5', 199, 498], // 497.5
    ['0.00001', 49_999, 0],
    ['0.00001', 50_000, 1],
    ['999999999', 0, 0],
  ])('%s times %i is %i', (times, price, gross) => {
    expect(sale([item(price, { quantity: quantity(times) })]).gross).toBe(gross);
  });

  it('multiply each modifier by the quantity, and round it separately', () => {
    const modifiers = [
      { name: 'Shot', price: amount(1) },
      { name: 'Syrup', price: amount(1) },
    ];
    const receipt = sale([item(3, { quantity: quantity('1.5'), modifiers })]);
    // 4.5 + 1.5 + 1.5 is 7.5, but the receipt shows 5, 2 and 2.
    expect(applied(receipt.items[0]?.modifiers ?? [])).toEqual([2, 2]);
    expect(receipt.gross).toBe(9);
  });
});

describe('discounts', () => {
  it.each<[string, DiscountInput[], number[]]>([
    ['each applies to the price that remains', [percentOff('0.5'), percentOff('0.5')], [-500, -250]],
    ['the order matters: amount, then rate', [amountOff(100), percentOff('0.1')], [-100, -90]],
    ['the order matters: rate, then amount', [percentOff('0.1'), amountOff(100)], [-100, -100]],
    ['an amount is capped by the remaining price', [amountOff(900), amountOff(900)], [-900, -100]],
    ['nothing remains after 100 %', [percentOff('1'), percentOff('1'), amountOff(1)], [-1000, 0, 0]],
    ['a half is rounded up', [percentOff('0.0005')], [-1]],
    ['less than a half is rounded down', [percentOff('0.000499')], [0]],
  ])('of an item: %s', (_, discounts, parts) => {
    const receipt = sale([item(1000, { discounts })]);
    expect(applied(receipt.items[0]?.discounts ?? [])).toEqual(parts);
    expect(receipt.net).toBe(1000 + parts.reduce((sum, part) => sum + part));
  });

  it.each<[string, number[], DiscountInput, number[]]>([
    ['a rate is rounded once, not item by item', [5, 5, 5, 5], percentOff('0.1'), [-1, 0, -1, 0]],
    ['an amount is allocated in proportion to prices', [300, 100], amountOff(100), [-75, -25]],
    ['each part is the difference of rounded running sums', [1, 1, 1], amountOff(2), [-1, 0, -1]],
    ['an amount is capped by the sum of the items', [30, 20], amountOff(1000), [-30, -20]],
    ['free items get no part', [0, 10, 0], amountOff(5), [0, -5, 0]],
    ['free items have no discount', [0, 0], amountOff(5), [0, 0]],
  ])('of the sale: %s', (_, prices, discount, parts) => {
    const receipt = sale(
      prices.map((price) => item(price)),
      { discounts: [discount] },
    );
    expect(each(receipt, 'discount')).toEqual(parts);
  });

  it('of the sale apply after the discounts of the items, to the remaining prices', () => {
    const receipt = sale([item(1000, { discounts: [percentOff('0.5')] }), item(500)], { discounts: [amountOff(100)] });
    expect(receipt.items.map(({ discounts }) => applied(discounts))).toEqual([[-500, -50], [-50]]);
    expect(each(receipt, 'net')).toEqual([450, 450]);
  });

  it('that are equal are merged into one line of the sale, others are not', () => {
    const receipt = sale([
      item(1000, { discounts: [percentOff('0.1'), amountOff(100)] }),
      item(500, { discounts: [percentOff('0.1'), { ...amountOff(100), restricted: true }] }),
    ]);
    expect(applied(receipt.discounts)).toEqual([-150, -100, -100]);
  });
});

describe('taxes', () => {
  it.each<[string, TaxInput[], number[], number]>([
    ['additive', [additive('0.085')], [85], 1085],
    ['several additive taxes are not compounded', [additive('0.1'), additive('0.05')], [100, 50], 1150],
    ['inclusive: 1000 is 110 % of 909', [inclusive('0.1')], [91], 1000],
    [
      'several inclusive taxes share the price: 1000 is 125 % of 800',
      [inclusive('0.2'), inclusive('0.05')],
      [160, 40],
      1000,
    ],
    ['an additive tax applies to the price before tax', [additive('0.1'), inclusive('0.25')], [80, 200], 1080],
    ['of 0 %', [additive('0'), inclusive('0')], [0, 0], 1000],
    ['of 100 %', [additive('1'), inclusive('1')], [500, 500], 1500],
  ])('%s', (_, taxes, parts, due) => {
    for (const receipt of [sale([item(1000, { taxes })]), sale([item(1000)], { taxes })]) {
      expect(applied(receipt.taxes)).toEqual(parts);
      expect(applied(receipt.items[0]?.taxes ?? [])).toEqual(parts);
      expect(receipt.due).toBe(due);
      expect(receipt.items[0]?.total).toBe(due);
    }
  });

  it('that are inclusive are not in gross and net sales: 5.00 with 8.5 % is 4.61 and 0.39 (decision 0054)', () => {
    const receipt = sale([item(500)], { taxes: [inclusive('0.085')] });
    const sums = { gross: 461, net: 461, discount: 0, inclusiveTax: 39, additiveTax: 0 };
    expect(receipt).toMatchObject({ ...sums, tax: 39, due: 500 });
    expect(receipt.items).toEqual([expect.objectContaining({ ...sums, total: 500 })]);
  });

  it('that are inclusive apply after discounts, and can be combined with additive taxes', () => {
    const receipt = sale([item(1000, { quantity: quantity('2'), modifiers: [{ name: 'Shot', price: amount(100) }] })], {
      discounts: [percentOff('0.5')],
      taxes: [inclusive('0.1'), additive('0.05')],
    });
    // 2200 - 1100 is 110 % of 1000. 5 % of 1000 are added.
    const sums = { gross: 2100, discount: -1100, net: 1000, inclusiveTax: 100, additiveTax: 50 };
    expect(receipt).toMatchObject({ ...sums, tax: 150, due: 1150 });
    expect(receipt.items).toEqual([expect.objectContaining({ ...sums, total: 1150 })]);
  });

  it('that are inclusive in a price of one unit do not exceed that unit', () => {
    const taxes = [inclusive('1'), inclusive('0.999999'), inclusive('0.5')];
    const receipt = sale([item(1), item(1), item(1), item(1)], { taxes });
    expect(Math.min(...each(receipt, 'gross'), ...each(receipt, 'net'))).toBe(0);
    expect(receipt.due).toBe(4);
  });

  it('apply after discounts', () => {
    expect(sale([item(1000)], { discounts: [percentOff('0.5')], taxes: [additive('0.1')] }).tax).toBe(50);
  });

  it('of the sale are rounded once and allocated, of an item are rounded for that item', () => {
    const [prices, tax] = [[5, 5, 5, 5], additive('0.1')];
    const ofSale = sale(
      prices.map((price) => item(price)),
      { taxes: [tax] },
    );
    expect([each(ofSale, 'additiveTax'), ofSale.additiveTax]).toEqual([[1, 0, 1, 0], 2]);
    const ofItems = sale(prices.map((price) => item(price, { taxes: [tax] })));
    expect([each(ofItems, 'additiveTax'), ofItems.additiveTax]).toEqual([[1, 1, 1, 1], 4]);
    expect(applied(ofItems.taxes)).toEqual([4]);
  });

  it('of the sale consider the inclusive taxes of each item: 300 is 150 % of 200, 110 is 110 % of 100', () => {
    const receipt = sale([item(300, { taxes: [inclusive('0.4')] }), item(110)], { taxes: [inclusive('0.1')] });
    expect(receipt.items.map(({ taxes }) => applied(taxes))).toEqual([[80, 20], [10]]);
    expect(receipt).toMatchObject({ inclusiveTax: 110, additiveTax: 0, tax: 110, net: 300, due: 410 });
  });

  it('with the same name but another id, rate or inclusion are separate lines', () => {
    const [tax, ...others] = [
      additive('0.1'),
      { ...additive('0.1'), id: 'fee-1' },
      additive('0.2'),
      { ...additive('0.1'), inclusion: 'INCLUSIVE' } as const,
    ];
    const receipt = sale([item(1100, { taxes: [tax] }), item(1100, { taxes: [tax, ...others] })]);
    // The second item has an inclusive tax of 10 %, so its price before tax is 1000.
    expect(applied(receipt.taxes)).toEqual([110 + 100, 100, 200, 100]);
  });
});

describe('surcharges', () => {
  it('are a rate of net sales or an amount, and are not taxed', () => {
    const surcharges: SurchargeInput[] = [
      { name: 'Service', kind: 'AUTO_GRATUITY', rate: rate('0.18') },
      { name: 'Delivery', kind: 'CUSTOM', amount: amount(250) },
    ];
    const receipt = sale([item(2000)], { discounts: [percentOff('0.5')], taxes: [additive('0.1')], surcharges });
    expect(receipt.surcharges).toEqual([
      { ...surcharges[0], applied: 180 },
      { ...surcharges[1], applied: 250 },
    ]);
    expect(receipt).toMatchObject({ net: 1000, tax: 100, surcharge: 430, due: 1530 });
  });
});

describe('a sale that is too large', () => {
  const MOST = Number.MAX_SAFE_INTEGER;
  const large = amount(MOST);
  const tooMuch = (units: number): SurchargeInput => ({ name: 'Delivery', kind: 'CUSTOM', amount: amount(units) });

  it.each<[string, ReceiptInput['items'], Partial<ReceiptInput>, string | undefined]>([
    ['an item', [item(1), item(MAX_AMOUNT + 1)], {}, 'itemizations'],
    ['many pieces', [item(MOST, { quantity: quantity('999999999.99999') })], {}, 'itemizations'],
    ['modifiers', [item(1, { modifiers: Array(MAX_LINES).fill({ name: 'Gold', price: large }) })], {}, 'itemizations'],
    [
      'an item and its modifier',
      [item(MAX_AMOUNT, { modifiers: [{ name: 'Shot', price: amount(1) }] })],
      {},
      'itemizations',
    ],
    ['all items', [item(MAX_AMOUNT), item(1)], {}, 'itemizations'],
    ['a surcharge', [], { surcharges: [tooMuch(MAX_AMOUNT + 1)] }, 'surcharges'],
    ['surcharges', [], { surcharges: [tooMuch(MOST), tooMuch(MOST)] }, 'surcharges'],
    ['taxes', [item(MAX_AMOUNT)], { taxes: [additive('0.1')] }, undefined],
    ['all together', [item(MAX_AMOUNT)], { surcharges: [tooMuch(1)] }, undefined],
  ])('is refused: %s', (_, items, more, field) => {
    const compute = () => sale(items, more);
    expect(compute).toThrow(Refusal);
    expect(compute).toThrow(expect.objectContaining({ reason: 'INVALID_VALUE', field }));
    expect(compute).toThrow(`The total of ${field ?? 'the sale'} must not exceed 99999999999.`);
  });

  it('is accepted with exactly the maximum amount', () => {
    expect(sale([item(MAX_AMOUNT)], { discounts: [amountOff(MOST)] }).due).toBe(0);
    expect(sale([item(MAX_AMOUNT)]).due).toBe(MAX_AMOUNT);
  });
});

function total(amounts: readonly Amount[]): Amount {
  return add(...amounts);
}

function expectIdentities(receipt: Receipt): void {
  const { items, gross, discount, net, additiveTax, inclusiveTax, tax, surcharge, due } = receipt;
  for (const one of items) {
    expect(one.net).toBe(one.gross + one.discount);
    expect(one.total).toBe(one.net + one.additiveTax + one.inclusiveTax);
    const pieces = portion(one.price, one.quantity, QUANTITY_OF_ONE);
    expect(one.gross).toBe(pieces + total(applied(one.modifiers)) - one.inclusiveTax);
    expect(one.discount).toBe(total(applied(one.discounts)));
    expect(one.additiveTax + one.inclusiveTax).toBe(total(applied(one.taxes)));
    expect(one.additiveTax).toBe(total(applied(one.taxes.filter(({ inclusion }) => inclusion === 'ADDITIVE'))));
    expect(Math.min(one.gross, one.net, ...applied(one.taxes), ...applied(one.modifiers))).toBeGreaterThanOrEqual(0);
    expect(Math.max(0, ...applied(one.discounts))).toBe(0);
  }
  expect(gross).toBe(total(each(receipt, 'gross')));
  expect(discount).toBe(total(each(receipt, 'discount')));
  expect(additiveTax).toBe(total(each(receipt, 'additiveTax')));
  expect(inclusiveTax).toBe(total(each(receipt, 'inclusiveTax')));
  expect(net).toBe(gross + discount);
  expect(tax).toBe(inclusiveTax + additiveTax);
  expect(due).toBe(net + tax + surcharge);
  expect(discount).toBe(total(applied(receipt.discounts)));
  expect(tax).toBe(total(applied(receipt.taxes)));
  expect(surcharge).toBe(total(applied(receipt.surcharges)));
  const kinds = receipt.taxes.map(({ name, id, rate, inclusion }) => JSON.stringify([name, id, rate, inclusion]));
  expect(new Set(kinds).size).toBe(kinds.length);
}

describe('every receipt', () => {
  it('satisfies the identities of v1: parts add up to items, items and lines to the sale, and all signs are correct', () => {
    fc.assert(fc.property(anyReceiptInput, (input) => expectIdentities(computeReceipt(input))));
  });

  it('has taxes of the sale, and of each item, within half a unit of the exact value', () => {
    fc.assert(
      fc.property(anyReceiptInput, (input) => {
        const receipt = computeReceipt(input);
        // Several inclusive taxes in a price of a few units can be reduced. Such receipts are skipped.
        fc.pre(!receipt.items.some(({ net, inclusiveTax }) => net === 0 && inclusiveTax > 0));
        const exact = receipt.items.map(({ net, inclusiveTax }, index) => {
          const all = [...(input.items[index]?.taxes ?? []), ...input.taxes];
          const rates = all.filter(({ inclusion }) => inclusion === 'INCLUSIVE').map((one) => one.rate / RATE_OF_ONE);
          return (net + inclusiveTax) / rates.reduce((sum, one) => sum + one, 1);
        });
        const base = exact.reduce((sum, one) => sum + one, 0);
        input.taxes.forEach((tax, at) => {
          // The taxes of the item come first, then the taxes of the sale.
          const parts = receipt.items.map(({ taxes }, index) => taxes[(input.items[index]?.taxes.length ?? 0) + at]);
          const sum = parts.reduce((subtotal, part) => subtotal + (part?.applied ?? Number.NaN), 0);
          expect(Math.abs(sum - (base * tax.rate) / RATE_OF_ONE)).toBeLessThanOrEqual(0.5 + 1e-6);
        });
        receipt.items.forEach(({ taxes }, index) => {
          input.items[index]?.taxes.forEach((tax, at) => {
            const distance = (taxes[at]?.applied ?? Number.NaN) - ((exact[index] ?? 0) * tax.rate) / RATE_OF_ONE;
            expect(Math.abs(distance)).toBeLessThanOrEqual(0.5 + 1e-6);
          });
        });
      }),
    );
  });

  it('of one item is the same with discounts and taxes of the item or of the sale', () => {
    fc.assert(
      fc.property(anyReceiptInput, fc.nat(500_000), ({ discounts, taxes }, price) => {
        const own = sale([item(price, { discounts, taxes })]);
        expect(sale([item(price)], { discounts, taxes })).toEqual(own);
      }),
    );
  });

  it('satisfies them for the largest possible sale', () => {
    const lines = <Line>(line: (index: number) => Line): Line[] =>
      Array.from({ length: MAX_LINES }, (_, at) => line(at));
    const discounts = lines((at) => ({ ...percentOff('0.01'), id: `d${at}` }));
    const ofItem = (index: number) =>
      item(100_000 + index, {
        modifiers: lines(() => ({ name: 'Shot', price: amount(33) })),
        discounts,
        taxes: lines((at) => inclusive(`0.0${1000 + index * 7 + at}`)),
      });
    const items = Array.from({ length: MAX_RECEIPT_ITEMS }, (_, index) => ofItem(index));
    const taxes = lines((at) => additive(`0.00${1000 + at}`));
    const surcharges = lines((): SurchargeInput => ({ name: 'Service', kind: 'AUTO_GRATUITY', rate: rate('0.01') }));
    expectIdentities(sale(items, { discounts, taxes, surcharges }));
  });
});
