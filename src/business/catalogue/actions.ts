/** Creates, replaces and deletes records of the catalogue for the dashboard. */
import type { OwnerContext } from '../../api/operation.js';
import { Refusal } from '../../base/errors.js';
import { deriveUuid } from '../../base/ids.js';
import type { Tx } from '../../database/database.js';
import { lineIds } from '../receipts/line-ids.js';
import type { Item, Tax } from './model.js';
import { findSellable, insertCatalogue } from './queries.js';

/** The id and the first version of a new record. */
export function newRecord({ ids }: Pick<OwnerContext, 'ids'>): { readonly id: string; readonly version: number } {
  return { id: ids.newUuid(), version: 1 };
}

/** The version that replaces the one that the editor has seen. */
export function nextVersion(id: string, seen: number): { readonly id: string; readonly version: number } {
  return { id, version: seen + 1 };
}

/** Refuses the edit if the editor has seen another version. */
export function requireSeen({ version }: { readonly version: number }, seen: number): void {
  if (version === seen) return;
  throw new Refusal('CONFLICT', {
    field: 'version',
    detail: `Somebody has changed this record meanwhile: it has version ${version}, and you have seen version ${seen}. Load it again.`,
  });
}

/** Deletes a record of the catalogue. */
export async function removeRecord(
  { database, merchant }: OwnerContext,
  id: string,
  remove: (tx: Tx, merchantId: string, id: string) => Promise<void>,
): Promise<Record<never, never>> {
  await database.statement((tx) => remove(tx, merchant.id, id));
  return {};
}

/** An item with the name of its category and the values of its tax instead of their ids, for the stores of a sandbox. */
export type NamedItem = Omit<Item, 'categoryId' | 'taxIds'> & {
  readonly categoryName: string | null;
  readonly tax: Pick<Tax, 'name' | 'rate'> | null;
};

/** Adds items, with their categories and additive taxes. Uses an existing category of the same name, or tax of the same name and rate. */
export async function addNamedItems(tx: Tx, merchantId: string, named: readonly NamedItem[]): Promise<readonly Item[]> {
  const { categories: knownCategories, taxes: knownTaxes } = await findSellable(tx, merchantId, []);
  const [categories, taxes] = [[...knownCategories], [...knownTaxes]];
  const categoryIdOf = (name: string): string => {
    const same = categories.find((category) => category.name === name);
    if (same) return same.id;
    const id = deriveUuid(merchantId, 'category', name);
    categories.push({ id, name, version: 1 });
    return id;
  };
  const taxIdOf = (tax: Pick<Tax, 'name' | 'rate'>): string => {
    const wanted = { ...tax, inclusion: 'ADDITIVE', locationIds: null, appliesToAll: false } as const;
    const same = taxes.find(
      ({ name, rate, inclusion }) => name === tax.name && rate === tax.rate && inclusion === 'ADDITIVE',
    );
    if (same) return same.id;
    const id = lineIds(merchantId).ofTax(wanted);
    taxes.push({ ...wanted, id, version: 1 });
    return id;
  };
  const items = named.map(({ categoryName, tax, ...item }) => ({
    ...item,
    categoryId: categoryName === null ? null : categoryIdOf(categoryName),
    taxIds: tax ? [taxIdOf(tax)] : [],
  }));
  await insertCatalogue(tx, merchantId, { categories, taxes, items });
  return items;
}
