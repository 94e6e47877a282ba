/** Compares the prices of a sale that happened offline with the catalogue as it is now (decision 0155). */
import type { Flag } from '../../identity/kept-write.js';
import { listItems, listModifierLists } from '../catalogue/queries.js';
import type { ReceiptInput } from '../receipts/model.js';
import type { SaleContext } from './actions.js';

/** Lines without an id of the catalogue have their own price, so they are not compared. Empty for a sale that was not kept. */
export async function findPriceFlags(
  { database, merchant, kept }: SaleContext,
  { items }: Pick<ReceiptInput, 'items'>,
): Promise<Flag[]> {
  if (!kept) return [];
  const prices = await findPrices();
  const changed = items.filter(({ price, detail, modifiers }) =>
    [{ id: detail?.itemVariationId, price }, ...modifiers.map(({ optionId: id, price }) => ({ id, price }))].some(
      (charged) => charged.id !== undefined && (prices.get(charged.id) ?? charged.price) !== charged.price,
    ),
  );
  const names = [...new Set(changed.map(({ name }) => name))];
  if (names.length === 0) return [];
  return [{ code: 'PRICE_CHANGED', detail: `The catalogue has another price now: ${names.join(', ').slice(0, 500)}.` }];

  async function findPrices(): Promise<Map<string, number>> {
    const itemIds = items.flatMap(({ detail }) => detail?.itemId ?? []);
    const hasOptions = items.some(({ modifiers }) => modifiers.some(({ optionId }) => optionId !== undefined));
    const [known, lists] = await Promise.all([
      itemIds.length > 0 ? listItems(database.sql, merchant.id, itemIds) : [],
      hasOptions ? listModifierLists(database.sql, merchant.id) : [],
    ]);
    const priced = [...known.flatMap(({ variations }) => variations), ...lists.flatMap(({ options }) => options)];
    return new Map(priced.map(({ id, price }) => [id, price]));
  }
}
