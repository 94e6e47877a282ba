/** Dashboard operations on the parts of the catalogue that items share: categories, modifier lists, discounts and taxes. */
import {
  CategoryBody,
  DiscountBody,
  fromCategoryBody,
  fromDiscountBody,
  fromModifierListBody,
  fromTaxBody,
  ModifierListBody,
  TaxBody,
} from './edits.view.js';
import { partOperations } from './part-operations.js';
import { findModifierList } from './queries.js';
import { categories, discounts, modifierLists, taxes } from './table.js';
import {
  CategoryView,
  DiscountView,
  ModifierListView,
  TaxView,
  toCategoryView,
  toDiscountView,
  toModifierListView,
  toTaxView,
} from './view.js';

export const dashboardCataloguePartOperations = [
  ...partOperations({
    title: 'Category',
    path: 'categories',
    member: 'category',
    summaries: {
      create: 'Adds a category to the catalogue.',
      replace: 'Replaces a category, unless it has changed since the given version.',
      delete: 'Deletes a category. Items of it stay, without a category.',
    },
    table: categories,
    body: CategoryBody,
    view: CategoryView,
    examples: { create: { name: 'Coffee' }, replace: { name: 'Hot coffee' } },
    read: fromCategoryBody,
    show: toCategoryView,
  }),

  ...partOperations({
    title: 'ModifierList',
    path: 'modifier-lists',
    member: 'modifier_list',
    summaries: {
      create: 'Adds a modifier list with its options to the catalogue.',
      replace: 'Replaces a modifier list with its options, unless it has changed since the given version.',
      delete: 'Deletes a modifier list. Items lose it.',
    },
    table: modifierLists,
    body: ModifierListBody,
    view: ModifierListView,
    examples: {
      create: {
        name: 'Milk',
        max_selected: 1,
        options: [{ name: 'Oat milk', price_money: { amount: 50, currency: 'USD' } }],
      },
      replace: {
        name: 'Milk',
        max_selected: 1,
        options: [
          { name: 'Oat milk', price_money: { amount: 60, currency: 'USD' } },
          { name: 'Soy milk', price_money: { amount: 40, currency: 'USD' } },
        ],
      },
    },
    find: findModifierList,
    read: fromModifierListBody,
    show: toModifierListView,
  }),

  ...partOperations({
    title: 'Discount',
    path: 'discounts',
    member: 'discount',
    summaries: {
      create: 'Adds a discount to the catalogue.',
      replace: 'Replaces a discount, unless it has changed since the given version.',
      delete: 'Deletes a discount. Sales keep it.',
    },
    table: discounts,
    body: DiscountBody,
    view: DiscountView,
    examples: {
      create: { name: 'Happy hour', rate: '0.1', restricted: false },
      replace: { name: 'Happy hour', rate: '0.15', restricted: true },
    },
    read: fromDiscountBody,
    show: toDiscountView,
  }),

  ...partOperations({
    title: 'Tax',
    path: 'taxes',
    member: 'tax',
    summaries: {
      create: 'Adds a tax to the catalogue.',
      replace: 'Replaces a tax, unless it has changed since the given version.',
      delete: 'Deletes a tax. Sales keep it.',
    },
    table: taxes,
    body: TaxBody,
    view: TaxView,
    examples: {
      create: { name: 'Sales tax', rate: '0.085', inclusion_type: 'ADDITIVE', applies_to_all: false },
      replace: { name: 'Sales tax', rate: '0.08625', inclusion_type: 'ADDITIVE', applies_to_all: true },
    },
    read: fromTaxBody,
    show: toTaxView,
  }),
];
