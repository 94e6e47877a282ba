/** How a request names the items that are returned: on the dashboard, and at a register. */
import { about, type Static, Type, wholeNumber } from '../../api/wire.js';
import { parseQuantity } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import type { ReturnedItem } from '../receipts/item-refunds.js';
import { MAX_RECEIPT_ITEMS } from '../receipts/model.js';

/** `line` is the place of the item in the receipt, from 0. */
export const ReturnedItems = Type.Array(
  Type.Object({
    line: about('The number of the line in the sale, from 0.', wholeNumber(0, MAX_RECEIPT_ITEMS - 1)),
    quantity: about(
      'How much of it, for example `1.5`.',
      Type.String({ pattern: '^\\d{1,9}(?:\\.\\d{1,5})?$', examples: ['1.5'] }),
    ),
  }),
  { maxItems: MAX_RECEIPT_ITEMS },
);

export function fromReturnedItems(items: Static<typeof ReturnedItems> | undefined): readonly ReturnedItem[] {
  if (!items || items.length === 0) throw missingForRefund('items');
  return items.map(({ line, quantity: typed }, index) => {
    const quantity = parseQuantity(typed);
    if (quantity !== undefined) return { line, quantity };
    throw new Refusal('INVALID_VALUE', { field: `items[${index}].quantity`, detail: 'A quantity must be above 0.' });
  });
}

export function missingForRefund(field: string): Refusal {
  return new Refusal('MISSING_REQUIRED_PARAMETER', { field, detail: `${field} is required for this type of refund.` });
}
