/**
 * Prints receipts as JSON text in the format of `v1.view.ts`. It builds no objects, because a page has up to two hundred
 * receipts of several kilobytes each.
 */
import { printV1Money } from '../../api/money.js';
import { printRate, printV1Quantity } from '../../base/decimal.js';
import { ZERO } from '../../base/money.js';
import type {
  Applied,
  Breakdown,
  DiscountInput,
  ModifierInput,
  Receipt,
  ReceiptItem,
  SurchargeInput,
  TaxInput,
} from './model.js';

/**
 * The version of the printed copy that each sale stores. With copies, a page of two hundred receipts takes 16 ms of CPU time;
 * reading and printing the stored receipts would take 28 ms. Increase the version with every change of the printed text:
 * a receipt whose copy has another version is printed when it is read.
 */
export const V1_COPY_VERSION = 2;

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
