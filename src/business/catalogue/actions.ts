/** Adds, replaces and deletes records of the catalogue. */
import type { OwnerContext } from '../../api/operation.js';
import { Refusal } from '../../base/errors.js';
import { deriveUuid } from '../../base/ids.js';
import { type Change, changeIn } from '../../database/change.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import type { TableOf } from '../../database/table.js';
import { usePicture } from '../pictures/uses.js';
import { lineIds } from '../receipts/line-ids.js';
import { type Catalogue, type CatalogueRecord, type Item, MAX_ITEMS, MAX_OTHERS, type Tax } from './model.js';
import { findCount, findSellable, listKnownIds, updateCatalogueVersion } from './queries.js';
import { catalogues, categories, discounts, items, modifierLists, taxes } from './table.js';

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

/** Adds a record with version 1. */
export async function addRecord<Kind extends CatalogueRecord>(
  change: Change,
  table: TableOf<Kind>,
  record: NoInfer<Kind>,
): Promise<void> {
  await nextCatalogueVersion(change);
  const most = table.name === items.name ? MAX_ITEMS : MAX_OTHERS;
  if ((await findCount(change, table)) >= most) throw isFull();
  change.insert(table, record);
}

/** Replaces the version before that of the record. */
export async function replaceRecord<Kind extends CatalogueRecord>(
  change: Change,
  table: TableOf<Kind>,
  record: NoInfer<Kind>,
): Promise<void> {
  await nextCatalogueVersion(change);
  const known = await requireRecord(change, table, record.id);
  if (known.version !== record.version - 1) {
    throw new Refusal('CONFLICT', {
      field: 'version',
      detail: 'Somebody has changed this record meanwhile. Load it again.',
    });
  }
  change.save(table, known, record);
}

/** Adds or replaces an item, whose taxes, modifier lists and picture must exist. */
export async function saveItem(change: Change, item: Item): Promise<void> {
  const { sql } = change;
  const named = await change.readAll(taxes, sql`tax_id = any (${item.taxIds as string[]}::text[])`);
  if (named.length < item.taxIds.length) throw isUnknown('tax_ids', 'tax');
  const listed = item.modifierListIds as string[];
  const lists = await change.readAll(modifierLists, sql`modifier_list_id = any (${listed}::text[])`);
  if (lists.length < listed.length) throw isUnknown('modifier_list_ids', 'modifier list');
  await (item.version === 1 ? addRecord(change, items, item) : replaceRecord(change, items, item));
  await usePicture(change, `item:${item.id}`, item.pictureId);
}

/** Items that name the record lose it, and get a new version. Sales and orders keep what was sold. */
async function deleteRecord<Kind extends CatalogueRecord>(
  change: Change,
  table: TableOf<Kind>,
  id: string,
): Promise<void> {
  await nextCatalogueVersion(change);
  const known = await requireRecord(change, table, id);
  const naming = NAMING[table.name];
  const losing = naming ? await change.readAll(items, naming.condition(change.sql, id)) : [];
  for (const item of losing) {
    change.save(items, item, { ...item, ...naming?.without(item, id), version: item.version + 1 });
  }
  if (table.name === items.name) await usePicture(change, `item:${id}`, null);
  change.delete(table, known);
}

/** Deletes a record for the dashboard. */
export async function removeRecord<Kind extends CatalogueRecord>(
  { database, merchant }: OwnerContext,
  table: TableOf<Kind>,
  id: string,
): Promise<Record<never, never>> {
  await database.change(merchant.id, (change) => deleteRecord(change, table, id));
  return {};
}

/** So changes of one merchant are decided one after the other, and what was read for them stays true until they commit. */
async function nextCatalogueVersion(change: Change): Promise<void> {
  const known = await change.read(catalogues, {});
  if (known) change.save(catalogues, known, { version: known.version + 1 });
  else change.insert(catalogues, { version: 1 });
}

async function requireRecord<Kind extends CatalogueRecord>(
  change: Change,
  table: TableOf<Kind>,
  id: string,
): Promise<Kind> {
  const known = await change.read(table, { id } as Partial<Record<keyof Kind, string>>);
  if (known) return known as Kind;
  throw new Refusal('NOT_FOUND', { detail: 'There is no such record in the catalogue.' });
}

function isFull(): Refusal {
  return new Refusal('WRONG_STATE', {
    detail: 'The catalogue has the maximum number of these records. Delete one first.',
  });
}

function isUnknown(field: string, what: string): Refusal {
  return new Refusal('INVALID_VALUE', { field, detail: `There is no ${what} with one of these ids.` });
}

/** How items name the records of a table: which of them do, and what they are without it. */
interface Naming {
  readonly condition: (sql: Sql, id: string) => Fragment;
  readonly without: (item: Item, id: string) => Partial<Item>;
}

const NAMING: Readonly<Record<string, Naming>> = {
  [categories.name]: {
    condition: (sql, id) => sql`category_id = ${id}`,
    without: () => ({ categoryId: null }),
  },
  [taxes.name]: {
    condition: (sql, id) => sql`${id} = any (tax_ids)`,
    without: ({ taxIds }, id) => ({ taxIds: taxIds.filter((each) => each !== id) }),
  },
  [modifierLists.name]: {
    condition: (sql, id) => sql`${id} = any (modifier_list_ids)`,
    without: ({ modifierListIds }, id) => ({ modifierListIds: modifierListIds.filter((each) => each !== id) }),
  },
};

/** An item with the name of its category and the values of its tax instead of their ids, for the stores of a sandbox. */
export type NamedItem = Omit<Item, 'categoryId' | 'taxIds'> & {
  readonly categoryName: string | null;
  readonly tax: Pick<Tax, 'name' | 'rate'> | null;
};

/** Adds items, with their categories and additive taxes. Uses an existing category of the same name, or tax of the same name and rate. */
export async function addNamedItems(tx: Tx, merchantId: string, named: readonly NamedItem[]): Promise<readonly Item[]> {
  const known = await findSellable(tx, merchantId, []);
  const [allCategories, allTaxes] = [[...known.categories], [...known.taxes]];
  const categoryIdOf = (name: string): string => {
    const same = allCategories.find((category) => category.name === name);
    if (same) return same.id;
    const id = deriveUuid(merchantId, 'category', name);
    allCategories.push({ id, name, version: 1 });
    return id;
  };
  const taxIdOf = (tax: Pick<Tax, 'name' | 'rate'>): string => {
    const wanted = { ...tax, inclusion: 'ADDITIVE', locationIds: null, appliesToAll: false } as const;
    const same = allTaxes.find(
      ({ name, rate, inclusion }) => name === tax.name && rate === tax.rate && inclusion === 'ADDITIVE',
    );
    if (same) return same.id;
    const id = lineIds(merchantId).ofTax(wanted);
    allTaxes.push({ ...wanted, id, version: 1 });
    return id;
  };
  const newItems = named.map(({ categoryName, tax, ...item }) => ({
    ...item,
    categoryId: categoryName === null ? null : categoryIdOf(categoryName),
    taxIds: tax ? [taxIdOf(tax)] : [],
  }));
  await addToCatalogue(tx, merchantId, { categories: allCategories, taxes: allTaxes, items: newItems });
  return newItems;
}

/** Adds many records at once, in a transaction: for generated businesses and the stores of a sandbox. Those that are there stay as they are. */
export async function addToCatalogue(tx: Tx, merchantId: string, added: Partial<Catalogue>): Promise<void> {
  await updateCatalogueVersion(tx, merchantId);
  await changeIn(tx, merchantId, async (change) => {
    await insertMissing(change, categories, added.categories);
    await insertMissing(change, taxes, added.taxes);
    await insertMissing(change, modifierLists, added.modifierLists);
    await insertMissing(change, discounts, added.discounts);
    const count = await insertMissing(change, items, added.items);
    if ((await findCount(change, items)) + count > MAX_ITEMS) throw isFull();
  });
}

/** Returns how many are new. */
async function insertMissing<Kind extends CatalogueRecord>(
  change: Change,
  table: TableOf<Kind>,
  records: readonly NoInfer<Kind>[] = [],
): Promise<number> {
  const ids = records.map(({ id }) => id);
  const known = new Set(await listKnownIds(change, table, ids));
  const missing = records.filter(({ id }) => !known.has(id));
  for (const record of missing) change.insert(table, record);
  return missing.length;
}
