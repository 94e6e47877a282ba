/** Adds ids to lines without one, because clients group sales by these ids and expect them always (decision 0054). */
import { printRate } from '../../base/decimal.js';
import { deriveUuid } from '../../base/ids.js';
import {
  type DiscountInput,
  type ItemInput,
  type ModifierInput,
  ONLY_VARIATION,
  type ReceiptInput,
  type TaxInput,
} from './model.js';

/** Derives ids from an owner, usually a merchant, and the content of a line, so that equal lines have equal ids. */
export function lineIds(owner: string) {
  return {
    ofItem: (name: string): string => deriveUuid(owner, 'item', name),
    ofVariation: (itemId: string, name: string): string => deriveUuid(owner, 'variation', itemId, name),
    ofTax: ({ name, rate, inclusion }: Omit<TaxInput, 'id'>): string =>
      deriveUuid(owner, 'tax', name, printRate(rate), inclusion),
    ofDiscount: (name: string): string => deriveUuid(owner, 'discount', name),
    ofOption: (name: string): string => deriveUuid(owner, 'modifier', name),
  };
}

type LineIds = ReturnType<typeof lineIds>;

/** Keeps ids that were sent. */
export function identifyLines(receipt: ReceiptInput, owner: string): ReceiptInput {
  const ids = lineIds(owner);
  const withTaxId = (tax: TaxInput): TaxInput => ({ ...tax, id: tax.id ?? ids.ofTax(tax) });
  const withDiscountId = (line: DiscountInput): DiscountInput => ({
    ...line,
    id: line.id ?? ids.ofDiscount(line.name),
  });
  const withOptionId = (line: ModifierInput): ModifierInput => ({
    ...line,
    optionId: line.optionId ?? ids.ofOption(line.name),
  });
  return {
    ...receipt,
    items: receipt.items.map((item) => ({
      ...(item.kind === 'ITEM' ? withItemIds(item, ids) : item),
      modifiers: item.modifiers.map(withOptionId),
      discounts: item.discounts.map(withDiscountId),
      taxes: item.taxes.map(withTaxId),
    })),
    discounts: receipt.discounts.map(withDiscountId),
    taxes: receipt.taxes.map(withTaxId),
  };
}

function withItemIds(item: ItemInput, ids: LineIds): ItemInput {
  const variationName = item.variationName || ONLY_VARIATION;
  const itemId = item.detail?.itemId ?? ids.ofItem(item.name);
  const itemVariationId = item.detail?.itemVariationId ?? ids.ofVariation(itemId, variationName);
  return { ...item, variationName, detail: { ...item.detail, itemId, itemVariationId } };
}
