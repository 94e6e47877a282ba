/** How the register finds items by what is typed. */
import { describe, expect, it } from 'vitest';
import type { Catalogue } from '../core/catalogue.js';
import { findItems } from './grid.js';

const price_money = { amount: 450, currency: 'USD' };

const CATALOGUE = {
  categories: [{ id: 'drinks', name: 'Drinks' }],
  items: [
    ['Flat white', 'drinks', '400638133393'],
    ['Café au lait', 'drinks', '500100'],
    ['Banana bread', undefined, 'BREAD-1'],
  ].map(([name, category_id, sku]) => ({
    id: name,
    name,
    category_id,
    variations: [{ id: `${name} 1`, name: 'Regular', sku, price_money }],
    modifier_list_ids: [],
    tax_ids: [],
  })),
  modifier_lists: [],
  discounts: [],
  taxes: [],
} as unknown as Catalogue;

const found = (search: string, category?: string) => findItems(CATALOGUE, search, category).map(({ name }) => name);

describe('findItems', () => {
  it('shows a category, or everything', () => {
    expect(found('')).toHaveLength(3);
    expect(found('', 'drinks')).toEqual(['Flat white', 'Café au lait']);
  });

  it('finds the beginnings of words, without accents and capitals', () => {
    expect(found('cafe')).toEqual(['Café au lait']);
    expect(found('WH fl')).toEqual(['Flat white']);
    expect(found('at')).toEqual([]);
    expect(found('drinks lait')).toEqual(['Café au lait']);
  });

  it('finds a part of a code', () => {
    expect(found('8133')).toEqual(['Flat white']);
    expect(found('bread-1')).toEqual(['Banana bread']);
  });
});
