/** Dashboard operations on the parts of the catalogue that items share: categories, modifier lists, discounts and taxes. */
import { operation } from '../../api/operation.js';
import { about, Nothing, Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { newRecord, nextVersion, removeRecord, requireSeen } from './actions.js';
import {
  CategoryBody,
  DiscountBody,
  fromCategoryBody,
  fromDiscountBody,
  fromModifierListBody,
  fromTaxBody,
  ModifierListBody,
  SEEN,
  TaxBody,
} from './edits.view.js';
import {
  deleteCategory,
  deleteDiscount,
  deleteModifierList,
  deleteTax,
  findModifierList,
  updateCategory,
  updateDiscount,
  updateModifierList,
  updateTax,
} from './queries.js';
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

const CATALOGUE = '/api/dashboard/catalogue';

const CategoryResponse = Type.Object({ category: about('The category after the change.', CategoryView) });

const categoryOperations = [
  operation({
    surface: 'dashboard',
    name: 'createCategory',
    method: 'POST',
    path: `${CATALOGUE}/categories`,
    permission: 'OWNER',
    summary: 'Adds a category to the catalogue.',
    body: CategoryBody,
    example: { body: { name: 'Coffee' } },
    response: CategoryResponse,
    addsNoWork: true,
    async handle(context, { body }) {
      const category = fromCategoryBody(body, newRecord(context));
      await context.database.statement((tx) => updateCategory(tx, context.merchant.id, category));
      return { category: toCategoryView(category) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateCategory',
    method: 'PUT',
    path: `${CATALOGUE}/categories/{category_id}`,
    permission: 'OWNER',
    summary: 'Replaces a category, unless it has changed since the given version.',
    body: Type.Object({ ...CategoryBody.properties, ...SEEN }),
    example: { body: { name: 'Hot coffee', version: 1 } },
    response: CategoryResponse,
    addsNoWork: true,
    async handle(context, { params: { category_id }, body }) {
      const category = fromCategoryBody(body, nextVersion(category_id, body.version));
      await context.database.statement((tx) => updateCategory(tx, context.merchant.id, category));
      return { category: toCategoryView(category) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteCategory',
    method: 'DELETE',
    path: `${CATALOGUE}/categories/{category_id}`,
    permission: 'OWNER',
    summary: 'Deletes a category. Items of it stay, without a category.',
    response: Nothing,
    addsNoWork: true,
    handle: (context, { params: { category_id } }) => removeRecord(context, category_id, deleteCategory),
  }),
];

const DiscountResponse = Type.Object({ discount: about('The discount after the change.', DiscountView) });

const discountOperations = [
  operation({
    surface: 'dashboard',
    name: 'createDiscount',
    method: 'POST',
    path: `${CATALOGUE}/discounts`,
    permission: 'OWNER',
    summary: 'Adds a discount to the catalogue.',
    body: DiscountBody,
    example: { body: { name: 'Happy hour', rate: '0.1', restricted: false } },
    response: DiscountResponse,
    addsNoWork: true,
    async handle(context, { body }) {
      const discount = fromDiscountBody(body, newRecord(context), context);
      await context.database.statement((tx) => updateDiscount(tx, context.merchant.id, discount));
      return { discount: toDiscountView(discount, context.merchant.currency) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateDiscount',
    method: 'PUT',
    path: `${CATALOGUE}/discounts/{discount_id}`,
    permission: 'OWNER',
    summary: 'Replaces a discount, unless it has changed since the given version.',
    body: Type.Object({ ...DiscountBody.properties, ...SEEN }),
    example: { body: { name: 'Happy hour', rate: '0.15', restricted: true, version: 1 } },
    response: DiscountResponse,
    addsNoWork: true,
    async handle(context, { params: { discount_id }, body }) {
      const discount = fromDiscountBody(body, nextVersion(discount_id, body.version), context);
      await context.database.statement((tx) => updateDiscount(tx, context.merchant.id, discount));
      return { discount: toDiscountView(discount, context.merchant.currency) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteDiscount',
    method: 'DELETE',
    path: `${CATALOGUE}/discounts/{discount_id}`,
    permission: 'OWNER',
    summary: 'Deletes a discount. Sales keep it.',
    response: Nothing,
    addsNoWork: true,
    handle: (context, { params: { discount_id } }) => removeRecord(context, discount_id, deleteDiscount),
  }),
];

const TaxResponse = Type.Object({ tax: about('The tax after the change.', TaxView) });

const taxOperations = [
  operation({
    surface: 'dashboard',
    name: 'createTax',
    method: 'POST',
    path: `${CATALOGUE}/taxes`,
    permission: 'OWNER',
    summary: 'Adds a tax to the catalogue.',
    body: TaxBody,
    example: { body: { name: 'Sales tax', rate: '0.085', inclusion_type: 'ADDITIVE', applies_to_all: false } },
    response: TaxResponse,
    addsNoWork: true,
    async handle(context, { body }) {
      const tax = fromTaxBody(body, newRecord(context), context);
      await context.database.statement((tx) => updateTax(tx, context.merchant.id, tax));
      return { tax: toTaxView(tax) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateTax',
    method: 'PUT',
    path: `${CATALOGUE}/taxes/{tax_id}`,
    permission: 'OWNER',
    summary: 'Replaces a tax, unless it has changed since the given version.',
    body: Type.Object({ ...TaxBody.properties, ...SEEN }),
    example: {
      body: { name: 'Sales tax', rate: '0.08625', inclusion_type: 'ADDITIVE', applies_to_all: true, version: 1 },
    },
    response: TaxResponse,
    addsNoWork: true,
    async handle(context, { params: { tax_id }, body }) {
      const tax = fromTaxBody(body, nextVersion(tax_id, body.version), context);
      await context.database.statement((tx) => updateTax(tx, context.merchant.id, tax));
      return { tax: toTaxView(tax) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteTax',
    method: 'DELETE',
    path: `${CATALOGUE}/taxes/{tax_id}`,
    permission: 'OWNER',
    summary: 'Deletes a tax. Sales keep it.',
    response: Nothing,
    addsNoWork: true,
    handle: (context, { params: { tax_id } }) => removeRecord(context, tax_id, deleteTax),
  }),
];

const ModifierListResponse = Type.Object({
  modifier_list: about('The modifier list after the change.', ModifierListView),
});

const modifierListOperations = [
  operation({
    surface: 'dashboard',
    name: 'createModifierList',
    method: 'POST',
    path: `${CATALOGUE}/modifier-lists`,
    permission: 'OWNER',
    summary: 'Adds a modifier list with its options to the catalogue.',
    body: ModifierListBody,
    example: {
      body: {
        name: 'Milk',
        max_selected: 1,
        options: [{ name: 'Oat milk', price_money: { amount: 50, currency: 'USD' } }],
      },
    },
    response: ModifierListResponse,
    addsNoWork: true,
    async handle(context, { body }) {
      const list = fromModifierListBody(body, newRecord(context), context);
      await context.database.statement((tx) => updateModifierList(tx, context.merchant.id, list));
      return { modifier_list: toModifierListView(list, context.merchant.currency) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateModifierList',
    method: 'PUT',
    path: `${CATALOGUE}/modifier-lists/{modifier_list_id}`,
    permission: 'OWNER',
    summary: 'Replaces a modifier list with its options, unless it has changed since the given version.',
    body: Type.Object({ ...ModifierListBody.properties, ...SEEN }),
    example: {
      body: {
        name: 'Milk',
        max_selected: 1,
        options: [
          { name: 'Oat milk', price_money: { amount: 60, currency: 'USD' } },
          { name: 'Soy milk', price_money: { amount: 40, currency: 'USD' } },
        ],
        version: 1,
      },
    },
    response: ModifierListResponse,
    addsNoWork: true,
    async handle(context, { params: { modifier_list_id }, body }) {
      const { database, merchant } = context;
      const known = await findModifierList(database.sql, merchant.id, modifier_list_id);
      if (!known) throw notFound('modifier list', modifier_list_id);
      requireSeen(known, body.version);
      const list = fromModifierListBody(body, { ...known, ...nextVersion(known.id, body.version) }, context);
      await database.statement((tx) => updateModifierList(tx, merchant.id, list));
      return { modifier_list: toModifierListView(list, merchant.currency) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'deleteModifierList',
    method: 'DELETE',
    path: `${CATALOGUE}/modifier-lists/{modifier_list_id}`,
    permission: 'OWNER',
    summary: 'Deletes a modifier list. Items lose it.',
    response: Nothing,
    addsNoWork: true,
    handle: (context, { params: { modifier_list_id } }) => removeRecord(context, modifier_list_id, deleteModifierList),
  }),
];

export const dashboardCataloguePartOperations = [
  ...categoryOperations,
  ...modifierListOperations,
  ...discountOperations,
  ...taxOperations,
];
