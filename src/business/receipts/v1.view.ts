/** The v1 schemas of receipts and breakdowns. `v1.print.ts` prints them. */
import { V1Money } from '../../api/money.js';
import { choice, model, optional, Type } from '../../api/wire.js';
import { ITEM_KINDS, SURCHARGE_KINDS, TAX_INCLUSIONS } from './model.js';

const V1PaymentTax = model('V1PaymentTax', {
  name: Type.String(),
  applied_money: V1Money,
  rate: Type.String(),
  inclusion_type: choice(TAX_INCLUSIONS),
  fee_id: optional(Type.String()),
});

const V1PaymentSurcharge = model('V1PaymentSurcharge', {
  name: Type.String(),
  applied_money: V1Money,
  rate: optional(Type.String()),
  amount_money: optional(V1Money),
  type: choice(SURCHARGE_KINDS),
  taxable: Type.Boolean(),
  taxes: Type.Array(V1PaymentTax),
  surcharge_id: optional(Type.String()),
});

const V1PaymentDiscount = model('V1PaymentDiscount', {
  name: Type.String(),
  applied_money: V1Money,
  discount_id: optional(Type.String()),
});

const V1PaymentModifier = model('V1PaymentModifier', {
  name: Type.String(),
  applied_money: V1Money,
  modifier_option_id: optional(Type.String()),
});

export const V1PaymentItemization = model('V1PaymentItemization', {
  name: Type.String(),
  quantity: Type.Number(),
  itemization_type: choice(ITEM_KINDS),
  item_detail: model('V1PaymentItemDetail', {
    category_name: Type.String(),
    sku: Type.String(),
    item_id: optional(Type.String()),
    item_variation_id: optional(Type.String()),
  }),
  notes: optional(Type.String()),
  item_variation_name: optional(Type.String()),
  single_quantity_money: V1Money,
  gross_sales_money: V1Money,
  discount_money: V1Money,
  net_sales_money: V1Money,
  total_money: V1Money,
  taxes: Type.Array(V1PaymentTax),
  discounts: Type.Array(V1PaymentDiscount),
  modifiers: Type.Array(V1PaymentModifier),
});

/** The members of a V1Payment that never change after the sale is rung up. */
export const RECEIPT_FIELDS = {
  inclusive_tax_money: V1Money,
  additive_tax_money: V1Money,
  tax_money: V1Money,
  discount_money: V1Money,
  gross_sales_money: V1Money,
  net_sales_money: V1Money,
  surcharge_money: V1Money,
  swedish_rounding_money: V1Money,
  inclusive_tax: Type.Array(V1PaymentTax),
  additive_tax: Type.Array(V1PaymentTax),
  surcharges: Type.Array(V1PaymentSurcharge),
  itemizations: Type.Array(V1PaymentItemization),
};

/** The members of a V1Refund that never change after the refund is created. */
export const BREAKDOWN_FIELDS = {
  refunded_tax_money: V1Money,
  refunded_additive_tax_money: V1Money,
  refunded_additive_tax: Type.Array(V1PaymentTax),
  refunded_inclusive_tax_money: V1Money,
  refunded_inclusive_tax: Type.Array(V1PaymentTax),
  refunded_tip_money: V1Money,
  refunded_discount_money: V1Money,
  refunded_surcharge_money: V1Money,
  refunded_surcharges: Type.Array(V1PaymentSurcharge),
};
