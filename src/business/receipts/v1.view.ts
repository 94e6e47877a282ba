/**
 * Receipts and breakdowns in v1: their schemas, and what prints them as JSON text. No objects are built, because a page has up to two hundred
 * receipts of several kilobytes each (decision 0261).
 */
import { printV1Money, V1Money } from '../../api/money.js';
import { about, choice, model, optional, Type } from '../../api/wire.js';
import { printRate, printV1Quantity } from '../../base/decimal.js';
import { ZERO } from '../../base/money.js';
import {
  type Applied,
  type Breakdown,
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

const V1PaymentTax = model('V1PaymentTax', {
  name: about('The name of the tax.', Type.String()),
  applied_money: about('The amount of the tax.', V1Money),
  rate: about('The rate as a decimal number, for example `0.08875`.', Type.String()),
  inclusion_type: about('Whether the tax is added to the price or included in it.', choice(TAX_INCLUSIONS)),
  fee_id: about('The id of the tax in the catalogue.', optional(Type.String())),
});

const V1PaymentSurcharge = model('V1PaymentSurcharge', {
  name: about('The name of the surcharge.', Type.String()),
  applied_money: about('The amount of the surcharge.', V1Money),
  rate: about('The rate as a decimal number, if it is not an amount.', optional(Type.String())),
  amount_money: about('The fixed amount, if it is not a rate.', optional(V1Money)),
  type: about('The kind of surcharge.', choice(SURCHARGE_KINDS)),
  taxable: about('Whether taxes apply to the surcharge.', Type.Boolean()),
  taxes: about('The taxes on the surcharge.', Type.Array(V1PaymentTax)),
  surcharge_id: about('The id of the surcharge.', optional(Type.String())),
});

const V1PaymentDiscount = model('V1PaymentDiscount', {
  name: about('The name of the discount.', Type.String()),
  applied_money: about('The amount of the discount. Zero or negative.', V1Money),
  discount_id: about('The id of the discount in the catalogue.', optional(Type.String())),
});

const V1PaymentModifier = model('V1PaymentModifier', {
  name: about('The name of the modifier.', Type.String()),
  applied_money: about('What the modifier adds to the price.', V1Money),
  modifier_option_id: about('The id of the option in the catalogue.', optional(Type.String())),
});

export const V1PaymentItemization = model('V1PaymentItemization', {
  name: about('The name of the item.', Type.String()),
  quantity: about('How much of it was sold, with eight decimals: `1.50000000`.', Type.String()),
  itemization_type: about(
    'The kind of line: an item of the catalogue, a custom amount, or a gift card.',
    choice(ITEM_KINDS),
  ),
  item_detail: about(
    'What the catalogue said of the item at that time.',
    model('V1PaymentItemDetail', {
      category_name: about('The category of the item.', Type.String()),
      sku: about('The stock keeping unit of the item.', Type.String()),
      item_id: about('The id of the item in the catalogue.', optional(Type.String())),
      item_variation_id: about('The id of the variation in the catalogue.', optional(Type.String())),
    }),
  ),
  notes: about('A note about the line.', optional(Type.String())),
  item_variation_name: about('The name of the variation.', optional(Type.String())),
  single_quantity_money: about('The price of one.', V1Money),
  gross_sales_money: about(
    'Price times quantity with modifiers, before discounts, without the taxes that the price includes.',
    V1Money,
  ),
  discount_money: about('The sum of the discounts of the line. Zero or negative.', V1Money),
  net_sales_money: about('Gross sales with discounts.', V1Money),
  total_money: about('What the buyer pays for the line: net sales with taxes.', V1Money),
  taxes: about('The taxes of the line.', Type.Array(V1PaymentTax)),
  discounts: about('The discounts of the line.', Type.Array(V1PaymentDiscount)),
  modifiers: about('The modifiers of the line.', Type.Array(V1PaymentModifier)),
});

/** The members of a V1Payment that never change after the sale is rung up. */
export const RECEIPT_FIELDS = {
  inclusive_tax_money: about('The sum of the taxes that prices include.', V1Money),
  additive_tax_money: about('The sum of the taxes that are added to prices.', V1Money),
  tax_money: about('The sum of all taxes.', V1Money),
  discount_money: about('The sum of all discounts. Zero or negative.', V1Money),
  gross_sales_money: about('The gross sales of all lines.', V1Money),
  net_sales_money: about('Gross sales with discounts.', V1Money),
  surcharge_money: about('The sum of all surcharges.', V1Money),
  swedish_rounding_money: about('What rounding to the smallest coin added. Always zero here.', V1Money),
  inclusive_tax: about('The taxes that prices include.', Type.Array(V1PaymentTax)),
  additive_tax: about('The taxes that are added to prices.', Type.Array(V1PaymentTax)),
  surcharges: about('The surcharges of the sale.', Type.Array(V1PaymentSurcharge)),
  itemizations: about('What was sold.', Type.Array(V1PaymentItemization)),
};

/** The members of a V1Refund that never change after the refund is created. */
export const BREAKDOWN_FIELDS = {
  refunded_tax_money: about('The refunded part of all taxes. Zero or negative.', V1Money),
  refunded_additive_tax_money: about('The refunded part of the taxes that were added to prices.', V1Money),
  refunded_additive_tax: about('The refunded part of each tax that was added to prices.', Type.Array(V1PaymentTax)),
  refunded_inclusive_tax_money: about('The refunded part of the taxes that prices included.', V1Money),
  refunded_inclusive_tax: about('The refunded part of each tax that prices included.', Type.Array(V1PaymentTax)),
  refunded_tip_money: about('The refunded part of the tip. Zero or negative.', V1Money),
  refunded_discount_money: about('The part of the discounts that the refund takes back.', V1Money),
  refunded_surcharge_money: about('The refunded part of the surcharges. Zero or negative.', V1Money),
  refunded_surcharges: about('The refunded part of each surcharge.', Type.Array(V1PaymentSurcharge)),
};

/** An object with the members `RECEIPT_FIELDS`. */
export function printReceipt(receipt: Receipt, currency: string): string {
  return (
    `{"inclusive_tax_money":${printV1Money(receipt.inclusiveTax, currency)}` +
    `,"additive_tax_money":${printV1Money(receipt.additiveTax, currency)}` +
    `,"tax_money":${printV1Money(receipt.tax, currency)}` +
    `,"discount_money":${printV1Money(receipt.discount, currency)}` +
    `,"gross_sales_money":${printV1Money(receipt.gross, currency)}` +
    `,"net_sales_money":${printV1Money(receipt.net, currency)}` +
    `,"surcharge_money":${printV1Money(receipt.surcharge, currency)}` +
    `,"swedish_rounding_money":${printV1Money(ZERO, currency)}` +
    `,"inclusive_tax":${printTaxes(receipt.taxes, 'INCLUSIVE', currency)}` +
    `,"additive_tax":${printTaxes(receipt.taxes, 'ADDITIVE', currency)}` +
    `,"surcharges":${printSurcharges(receipt.surcharges, currency)}` +
    `,"itemizations":${printAll(receipt.items, printItem, currency)}}`
  );
}

const NO_BREAKDOWN: Breakdown = {
  tip: ZERO,
  taxes: [],
  additiveTax: ZERO,
  inclusiveTax: ZERO,
  tax: ZERO,
  discount: ZERO,
  surcharges: [],
  surcharge: ZERO,
};

/** The members `BREAKDOWN_FIELDS` without braces, because a refund has other members before and after them. */
export function printBreakdownMembers(stored: Breakdown | null, currency: string): string {
  const breakdown = stored ?? NO_BREAKDOWN;
  return (
    `"refunded_tax_money":${printV1Money(breakdown.tax, currency)}` +
    `,"refunded_additive_tax_money":${printV1Money(breakdown.additiveTax, currency)}` +
    `,"refunded_additive_tax":${printTaxes(breakdown.taxes, 'ADDITIVE', currency)}` +
    `,"refunded_inclusive_tax_money":${printV1Money(breakdown.inclusiveTax, currency)}` +
    `,"refunded_inclusive_tax":${printTaxes(breakdown.taxes, 'INCLUSIVE', currency)}` +
    `,"refunded_tip_money":${printV1Money(breakdown.tip, currency)}` +
    `,"refunded_discount_money":${printV1Money(breakdown.discount, currency)}` +
    `,"refunded_surcharge_money":${printV1Money(breakdown.surcharge, currency)}` +
    `,"refunded_surcharges":${printSurcharges(breakdown.surcharges, currency)}`
  );
}

function printAll<Line>(
  lines: readonly Line[],
  print: (line: Line, currency: string) => string,
  currency: string,
): string {
  return `[${lines.map((line) => print(line, currency)).join()}]`;
}

function printTaxes(taxes: readonly Applied<TaxInput>[], inclusion: TaxInput['inclusion'], currency: string): string {
  const matching = taxes.filter((tax) => tax.inclusion === inclusion);
  return printAll(matching, printTax, currency);
}

function printTax(tax: Applied<TaxInput>, currency: string): string {
  return (
    `{"name":${JSON.stringify(tax.name)},"applied_money":${printV1Money(tax.applied, currency)}` +
    `,"rate":"${printRate(tax.rate)}","inclusion_type":"${tax.inclusion}"${printId('fee_id', tax.id)}}`
  );
}

function printSurcharges(lines: readonly Applied<SurchargeInput>[], currency: string): string {
  return printAll(lines, printSurcharge, currency);
}

function printSurcharge(line: Applied<SurchargeInput>, currency: string): string {
  const measure =
    'rate' in line ? `"rate":"${printRate(line.rate)}"` : `"amount_money":${printV1Money(line.amount, currency)}`;
  return (
    `{"name":${JSON.stringify(line.name)},"applied_money":${printV1Money(line.applied, currency)},${measure}` +
    `,"type":"${line.kind}","taxable":false,"taxes":[]${printId('surcharge_id', line.id)}}`
  );
}

function printItem(item: ReceiptItem, currency: string): string {
  const { detail, notes, variationName } = item;
  return (
    `{"name":${JSON.stringify(item.name)},"quantity":"${printV1Quantity(item.quantity)}"` +
    // Always printed, also for a custom amount: clients read the sku without checking for item_detail (decision 0054).
    `,"itemization_type":"${item.kind}","item_detail":{"category_name":${JSON.stringify(detail?.categoryName ?? '')}` +
    `,"sku":${JSON.stringify(detail?.sku ?? '')}${printId('item_id', detail?.itemId)}` +
    `${printId('item_variation_id', detail?.itemVariationId)}}` +
    (notes ? `,"notes":${JSON.stringify(notes)}` : '') +
    (variationName === undefined ? '' : `,"item_variation_name":${JSON.stringify(variationName)}`) +
    `,"single_quantity_money":${printV1Money(item.price, currency)}` +
    `,"gross_sales_money":${printV1Money(item.gross, currency)}` +
    `,"discount_money":${printV1Money(item.discount, currency)}` +
    `,"net_sales_money":${printV1Money(item.net, currency)}` +
    `,"total_money":${printV1Money(item.total, currency)}` +
    `,"taxes":${printAll(item.taxes, printTax, currency)}` +
    `,"discounts":${printAll(item.discounts, printDiscount, currency)}` +
    `,"modifiers":${printAll(item.modifiers, printModifier, currency)}}`
  );
}

function printDiscount({ name, id, applied }: Applied<DiscountInput>, currency: string): string {
  return `{"name":${JSON.stringify(name)},"applied_money":${printV1Money(applied, currency)}${printId('discount_id', id)}}`;
}

function printModifier({ name, optionId, applied }: Applied<ModifierInput>, currency: string): string {
  const id = printId('modifier_option_id', optionId);
  return `{"name":${JSON.stringify(name)},"applied_money":${printV1Money(applied, currency)}${id}}`;
}

/** A member that is omitted without an id. */
function printId(name: string, id: string | undefined): string {
  return id === undefined ? '' : `,"${name}":${JSON.stringify(id)}`;
}
