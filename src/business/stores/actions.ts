/** Adds items to the catalogues of online stores. */
import { Refusal } from '../../base/errors.js';
import type { Tx } from '../../database/database.js';
import type { CatalogueItem } from './model.js';
import { insertItem, MAX_CATALOGUE_ITEMS } from './queries.js';

export async function addItem(tx: Tx, merchantId: string, item: CatalogueItem): Promise<void> {
  if (await insertItem(tx, merchantId, item)) return;
  throw new Refusal('WRONG_STATE', { detail: `A catalogue can have at most ${MAX_CATALOGUE_ITEMS} items.` });
}
