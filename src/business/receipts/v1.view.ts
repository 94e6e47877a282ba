/** What a receipt fixes of a payment as the first generation shows it: kept in these words, and copied out when read. */
import { toV1Money, V1Money } from '../../api/money.js';
import { choice, model, optional, type Static, Type } from '../../api/wire.js';
import { parseRate, printRate, quantityAsNumber, RATE_OF_ONE, type Rate } from '../../base/decimal.js';
import { type JsonText, toJson } from '../../base/json.js';
import { type Amount, amount, ZERO } from '../../base/money.js';
import {
  type Applied,
  type DiscountInput,
  ITEM_KINDS,
  type ModifierInput,
  type Receipt,
  type ReceiptItem,
  SURCHARGE_KINDS,
  type SurchargeInput,
  TAX_INCLUSIONS,
  type TaxInput,
} from './model.js';

export const V1PaymentTax = model('V1PaymentTax', {
  name: Type.String(),
  applied_money: V1Money,
  rate: Type.String(),
  inclusion_type: choice(TAX_INCLUSIONS),
  fee_id: optional(Type.String()),
});

export const V1PaymentSurcharge = model('V1PaymentSurcharge', {
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

/** The members of a V1Payment that stay as they are once it is rung up. */
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

const ReceiptWords = Type.Object(RECEIPT_FIELDS);
export type ReceiptWords = Static<typeof ReceiptWords>;

export function printReceipt(receipt: Receipt, currency: string): JsonText<ReceiptWords> {
  const money = (value: Amount) => toV1Money(value, currency);
  const taxes = (inclusion: TaxInput['inclusion']) =>
    receipt.taxes.filter((tax) => tax.inclusion === inclusion).map((tax) => toV1Tax(tax, currency));
  return toJson({
    inclusive_tax_money: money(receipt.inclusiveTax),
    additive_tax_money: money(receipt.additiveTax),
    tax_money: money(receipt.tax),
    discount_money: money(receipt.discount),
    gross_sales_money: money(receipt.gross),
    net_sales_money: money(receipt.net),
    surcharge_money: money(receipt.surcharge),
    swedish_rounding_money: money(ZERO),
    inclusive_tax: taxes('INCLUSIVE'),
    additive_tax: taxes('ADDITIVE'),
    surcharges: receipt.surcharges.map((surcharge) => toV1Surcharge(surcharge, currency)),
    itemizations: receipt.items.map((item) => toItemization(item, currency)),
  });
}

export function toV1Tax(tax: Applied<TaxInput>, currency: string): Static<typeof V1PaymentTax> {
  return {
    name: tax.name,
    applied_money: toV1Money(tax.applied, currency),
    rate: printRate(tax.rate),
    inclusion_type: tax.inclusion,
    ...(tax.id !== undefined && { fee_id: tax.id }),
  };
}

export function toV1Surcharge(line: Applied<SurchargeInput>, currency: string): Static<typeof V1PaymentSurcharge> {
  return {
    name: line.name,
    applied_money: toV1Money(line.applied, currency),
    ...('rate' in line ? { rate: printRate(line.rate) } : { amount_money: toV1Money(line.amount, currency) }),
    type: line.kind,
    taxable: false,
    taxes: [],
    ...(line.id !== undefined && { surcharge_id: line.id }),
  };
}

function toItemization(item: ReceiptItem, currency: string): Static<typeof V1PaymentItemization> {
  const money = (value: Amount) => toV1Money(value, currency);
  const { detail } = item;
  return {
    name: item.name,
    quantity: quantityAsNumber(item.quantity),
    itemization_type: item.kind,
    // Clients read its sku unasked, of a custom amount too (decision 0054).
    item_detail: {
      category_name: detail?.categoryName ?? '',
      sku: detail?.sku ?? '',
      ...(detail?.itemId !== undefined && { item_id: detail.itemId }),
      ...(detail?.itemVariationId !== undefined && { item_variation_id: detail.itemVariationId }),
    },
    ...(item.notes && { notes: item.notes }),
    ...(item.variationName !== undefined && { item_variation_name: item.variationName }),
    single_quantity_money: money(item.price),
    gross_sales_money: money(item.gross),
    discount_money: money(item.discount),
    net_sales_money: money(item.net),
    total_money: money(item.total),
    taxes: item.taxes.map((tax) => toV1Tax(tax, currency)),
    discounts: item.discounts.map((discount) => toDiscount(discount, currency)),
    modifiers: item.modifiers.map((modifier) => toModifier(modifier, currency)),
  };
}

function toDiscount({ name, id, applied }: Applied<DiscountInput>, currency: string) {
  return { name, applied_money: toV1Money(applied, currency), ...(id !== undefined && { discount_id: id }) };
}

function toModifier({ name, optionId, applied }: Applied<ModifierInput>, currency: string) {
  return {
    name,
    applied_money: toV1Money(applied, currency),
    ...(optionId !== undefined && { modifier_option_id: optionId }),
  };
}

/** The lines that a refund gives its share of, read back. */
export type RefundableLines = Pick<Receipt, 'taxes' | 'discount' | 'surcharges'>;

export function readLines(receipt: JsonText<ReceiptWords>): RefundableLines {
  const words = JSON.parse(receipt) as ReceiptWords;
  return {
    discount: amount(words.discount_money.amount),
    taxes: [...words.inclusive_tax, ...words.additive_tax].map((tax) => ({
      name: tax.name,
      rate: readRate(tax.rate),
      inclusion: tax.inclusion_type,
      applied: amount(tax.applied_money.amount),
      ...(tax.fee_id !== undefined && { id: tax.fee_id }),
    })),
    surcharges: words.surcharges.map((line) => ({
      name: line.name,
      kind: line.type,
      applied: amount(line.applied_money.amount),
      ...(line.rate === undefined
        ? { amount: amount(line.amount_money?.amount ?? line.applied_money.amount) }
        : { rate: readRate(line.rate) }),
      ...(line.surcharge_id !== undefined && { id: line.surcharge_id }),
    })),
  };
}

/** Printed by us, so it can be read. */
function readRate(text: string): Rate {
  return parseRate(text) ?? RATE_OF_ONE;
}
