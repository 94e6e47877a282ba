/** The cart of a register costs to the cent what the server computes for the sale that it sends. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../src/base/money.js';
import { computeReceipt } from '../../src/business/receipts/model.js';
import { fromSaleBody } from '../../src/business/tills/register.view.js';
import {
  addCustomAmount,
  addDiscount,
  addItem,
  addReturn,
  type Cart,
  emptyCart,
  removeDiscount,
  setLabel,
  setNote,
  setQuantity,
} from '../../web/register/core/cart.js';
import { toSaleBody } from '../../web/register/core/sale-body.js';
import { totalsOf } from '../../web/register/core/totals.js';
import { repetitions } from '../support/long.js';
import { openBusiness, type Register } from '../support/people.js';
import { startTestServer, type TestServer } from '../support/server.js';

const price = fc.integer({ min: 0, max: 250_000 });
const rate = fc.integer({ min: 0, max: 1_000_000 }).map((steps) => (steps / 1_000_000).toFixed(6));
const name = fc.constantFrom('Loaf', 'Coffee', 'Tea', 'Soup');
const quantity = fc.oneof(
  fc.integer({ min: 1, max: 50 }).map(String),
  fc.integer({ min: 1, max: 999_999 }).map((steps) => (steps / 100_000).toFixed(5)),
);
const tax = fc.record({
  id: fc.uuid(),
  name,
  rate: fc.integer({ min: 0, max: 400_000 }).map((steps) => (steps / 1_000_000).toFixed(6)),
  inclusion: fc.constantFrom('ADDITIVE' as const, 'INCLUSIVE' as const),
});
const discount = fc.oneof(
  fc.record({ name, rate, restricted: fc.boolean() }),
  fc.record({ name, amount: price.map(amount), restricted: fc.boolean() }),
);
const line = fc.record({
  key: fc.uuid(),
  kind: fc.constant('ITEM' as const),
  itemId: fc.uuid(),
  name,
  price: price.map(amount),
  quantity,
  modifiers: fc.array(fc.record({ name, price: price.map(amount) }), { maxLength: 3 }),
  discounts: fc.array(discount, { maxLength: 2 }),
  taxes: fc.array(tax, { maxLength: 3 }),
});
const carts: fc.Arbitrary<Cart> = fc.record({
  id: fc.uuid(),
  lines: fc.array(line, { minLength: 1, maxLength: 8 }),
  discounts: fc.array(discount, { maxLength: 3 }),
  returns: fc.constant([]),
});

const CATALOGUE = {
  categories: [{ id: 'bread', name: 'Bread' }],
  taxes: [
    { id: 'vat', name: 'VAT', rate: '0.25', inclusion_type: 'INCLUSIVE' as const },
    { id: 'city', name: 'City', rate: '0.01', inclusion_type: 'ADDITIVE' as const },
  ],
};
const money = (cents: number) => ({ amount: cents, currency: 'USD' });
const LOAF = {
  id: 'loaf',
  name: 'Loaf',
  category_id: 'bread',
  variations: [
    { id: 'small', name: 'Small', price_money: money(450) },
    { id: 'large', name: 'Large', sku: '4006381333931', price_money: money(790) },
  ],
  modifier_list_ids: [],
  tax_ids: ['vat'],
  version: 1,
};
const [SMALL, LARGE] = LOAF.variations as [(typeof LOAF.variations)[number], (typeof LOAF.variations)[number]];

describe('the totals of a cart', () => {
  it('are those that the server computes from what is sent', () => {
    const attendant = { permissions: new Set() } as never;
    fc.assert(
      fc.property(carts, (cart) => {
        const { receipt, total } = totalsOf(cart);
        const read = fromSaleBody(toSaleBody(cart) as never, { currency: 'USD', attendant });
        const expected = computeReceipt(read.receipt);
        expect(total).toBe(expected.due);
        expect(read.expectedDue).toBe(expected.due);
        const sums = ({ gross, discount, net, tax, inclusiveTax }: typeof expected) => [
          gross,
          discount,
          net,
          tax,
          inclusiveTax,
        ];
        expect(receipt && sums(receipt)).toEqual(sums(expected));
        expect(receipt?.items.map((item) => item.total)).toEqual(expected.items.map((item) => item.total));
      }),
      { seed: 20_200_226, numRuns: 300 },
    );
  });

  describe('at the server', () => {
    let server: TestServer;
    let register: Register;
    beforeAll(async () => {
      server = await startTestServer();
      ({ register } = await openBusiness(server, {}, { role: { is_owner: true } }));
    });
    afterAll(() => server.stop());

    it('are accepted, and a sale with another total is refused', async () => {
      for (const cart of fc.sample(carts, { seed: 20_200_226, numRuns: repetitions({ usual: 12, long: 25 }) })) {
        const body = toSaleBody(cart, [{ type: 'CASH' }]) as unknown as Record<string, unknown>;
        const answer = await register.write('/api/register/sales', body);
        expect([answer.status, answer.body.sale?.total_money.amount]).toEqual([200, totalsOf(cart).total]);
        const other = { ...body, id: crypto.randomUUID(), total_money: { amount: totalsOf(cart).total + 1 } };
        expect((await register.write('/api/register/sales', other)).status).toBe(400);
      }
    });
  });
});

describe('a cart', () => {
  it('adds up the quantities of equal choices, and keeps different choices separate', () => {
    const large = addItem(emptyCart(), { item: LOAF, variation: LARGE }, CATALOGUE);
    const twice = addItem(large, { item: LOAF, variation: LARGE, quantity: '0.25' }, CATALOGUE);
    const sliced = { name: 'Sliced', price: amount(50) };
    const three = addItem(twice, { item: LOAF, variation: LARGE, modifiers: [sliced] }, CATALOGUE);
    const all = addItem(three, { item: LOAF, variation: SMALL }, CATALOGUE);
    expect(all.lines.map(({ variationName, quantity }) => [variationName, quantity])).toEqual([
      ['Large', '1.25'],
      ['Large', '1'],
      ['Small', '1'],
    ]);
    expect(all.lines[0]).toMatchObject({ categoryName: 'Bread', sku: '4006381333931', taxes: [{ id: 'vat' }] });
    expect(large.lines).toHaveLength(1);
  });

  it('changes quantity, note, label and discounts', () => {
    let cart = addItem(emptyCart(), { item: LOAF, variation: SMALL }, CATALOGUE);
    const key = cart.lines[0]?.key ?? '';
    cart = setNote(setLabel(setQuantity(cart, key, '3'), 'Table 4'), key, 'no seeds');
    cart = addDiscount(
      addDiscount(cart, { name: 'Ten', rate: '0.1', restricted: false }),
      { name: 'One', amount: amount(100), restricted: false },
      key,
    );
    expect(toSaleBody(cart)).toMatchObject({
      label: 'Table 4',
      itemizations: [{ quantity: '3', notes: 'no seeds', discounts: [{ name: 'One', amount_money: { amount: 100 } }] }],
      discounts: [{ name: 'Ten', rate: '0.1' }],
      total_money: { amount: 1125 },
    });
    expect(totalsOf(removeDiscount(removeDiscount(cart, 0), 0, key)).total).toBe(1350);
    expect(setQuantity(cart, key, '0').lines).toEqual([]);
  });

  it('is paid in part by returned goods', () => {
    const cart = addCustomAmount(emptyCart(), { name: 'Repair', amount: amount(1000) });
    const exchange = addReturn(cart, { paymentId: 'p', amount: amount(400), reason: 'too small' });
    expect(totalsOf(exchange)).toMatchObject({ total: 1000, returned: 400, due: 600 });
    expect(totalsOf(emptyCart())).toMatchObject({ receipt: undefined, total: 0, due: 0 });
  });
});
