/** Defines the tables of the catalogue. */
import { Table } from '../../database/table.js';
import type { Category, Discount, Item, ModifierList, Tax } from './model.js';

/** The version of the whole catalogue. Every change of it updates this row, so that changes of one merchant are decided one after the other. */
export const catalogues = new Table<{ readonly version: number }>('catalogues', {
  key: [],
  columns: { version: 'value' },
});

export const categories = new Table<Category>('categories', {
  key: ['id'],
  columns: { id: { column: 'category_id', as: 'value' }, name: 'value', version: 'value' },
  deletes: true,
});

export const taxes = new Table<Tax>('taxes', {
  key: ['id'],
  columns: {
    id: { column: 'tax_id', as: 'value' },
    name: 'value',
    rate: 'value',
    inclusion: 'value',
    locationIds: 'value',
    appliesToAll: 'value',
    version: 'value',
  },
  deletes: true,
});

export const modifierLists = new Table<ModifierList>('modifier_lists', {
  key: ['id'],
  columns: {
    id: { column: 'modifier_list_id', as: 'value' },
    name: 'value',
    least: 'value',
    most: 'value',
    options: 'json',
    version: 'value',
  },
  deletes: true,
});

export const discounts = new Table<Discount>('discounts', {
  key: ['id'],
  columns: {
    id: { column: 'discount_id', as: 'value' },
    name: 'value',
    rate: 'value',
    amount: 'value',
    restricted: 'value',
    version: 'value',
  },
  deletes: true,
});

export const items = new Table<Item>('items', {
  key: ['id'],
  columns: {
    id: { column: 'item_id', as: 'value' },
    name: 'value',
    description: 'value',
    categoryId: 'value',
    pictureId: 'value',
    locationIds: 'value',
    online: 'value',
    archived: 'value',
    variations: 'json',
    modifierListIds: 'value',
    taxIds: 'value',
    version: 'value',
    createdAt: 'time',
    updatedAt: 'time',
  },
  deletes: true,
});
