/** Adds ids to lines without one, because clients group sales by these ids and expect them always (decision 0054). */
import { printRate } from '../../base/decimal.js';
import { deriveUuid } from '../../base/ids.js';
import type { DiscountInput, ItemInput, ModifierInput, ReceiptInput, TaxInput } from './model.js';

/** The name of the only variation of an item. */
const ONLY_VARIATION = 'Regular';

/** Derives each id from the merchant and the content of the line, so that equal lines have equal ids. Keeps ids that were sent. */
export function identifyLines(receipt: ReceiptInput, merchantId: string): ReceiptInput {
  const idOf = (...parts: readonly string[]): string => deriveUuid(merchantId, ...parts);
  const withTaxId = (tax: TaxInput): TaxInput => ({
    ...tax,
    id: tax.id ?? idOf('tax', tax.name, printRate(tax.rate), tax.inclusion),
  });
  const withDiscountId = (line: DiscountInput): DiscountInput => ({
    ...line,
    id: line.id ?? idOf('discount', line.name),
  });
  const withOptionId = (line: ModifierInput): ModifierInput => ({
    ...line,
    optionId: line.optionId ?? idOf('modifier', line.name),
  });
  return {
    ...receipt,
    items: receipt.items.map((item) => ({
      ...(item.kind === 'ITEM' ? withItemIds(item, idOf) : item),
      modifiers: item.modifiers.map(withOptionId),
      discounts: item.discounts.map(withDiscountId),
      taxes: item.taxes.map(withTaxId),
    })),
    discounts: receipt.discounts.map(withDiscountId),
    taxes: receipt.taxes.map(withTaxId),
  };
}

function withItemIds(item: ItemInput, idOf: (...parts: readonly string[]) => string): ItemInput {
  const variationName = item.variationName || ONLY_VARIATION;
  const itemId = item.detail?.itemId ?? idOf('item', item.name);
  const itemVariationId = item.detail?.itemVariationId ?? idOf('variation', itemId, variationName);
  return { ...item, variationName, detail: { ...item.detail, itemId, itemVariationId } };
}
