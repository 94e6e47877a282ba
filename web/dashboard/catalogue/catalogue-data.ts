/** The catalogue as the pages use it: its records, and how they are printed. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import type { List } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { printMoney, type WireMoney } from '../../ui/money.js';

export type Catalogue = ResponseOf<typeof dashboard.retrieveCatalogue>;
export type Item = Catalogue['items'][number];
export type Category = Catalogue['categories'][number];
export type ModifierList = Catalogue['modifier_lists'][number];
export type Discount = Catalogue['discounts'][number];
export type Tax = Catalogue['taxes'][number];

const catalogueQuery = {
  queryKey: ['retrieveCatalogue'],
  queryFn: () => call(dashboard.retrieveCatalogue),
};

export function useCatalogue({ enabled = true } = {}) {
  return useQuery({ ...catalogueQuery, enabled });
}

/** A part of the catalogue as a list for a table. */
export function useCatalogueList<Row>(pick: (catalogue: Catalogue) => readonly Row[]): List<Row> {
  const query = useCatalogue();
  const rows = query.data && pick(query.data);
  return {
    rows,
    error: query.error,
    hasMore: false,
    isLoadingMore: false,
    refetch: query.refetch,
    loadMore: () => undefined,
    loadAll: async () => rows ?? [],
  };
}

/** The lowest and the highest price, or the only one. */
export function printPrices(prices: readonly (WireMoney & { readonly amount: number })[]): string {
  const sorted = prices.toSorted((one, other) => one.amount - other.amount);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (!lowest || !highest) return '';
  return lowest.amount === highest.amount ? printMoney(lowest) : `${printMoney(lowest)} – ${printMoney(highest)}`;
}

interface Recorded {
  readonly id: string;
  readonly version: number;
}

/** A record as it is saved now, for an editor whose version is outdated. */
export async function loadCurrent<Row extends Recorded, Draft>(
  id: string,
  pick: (catalogue: Catalogue) => readonly Row[],
  toDraft: (row: Row) => Draft,
): Promise<{ readonly values: Draft; readonly version: string }> {
  const row = pick(await call(dashboard.retrieveCatalogue)).find((each) => each.id === id);
  if (!row) throw new Error('Somebody deleted it meanwhile.');
  return { values: toDraft(row), version: String(row.version) };
}

/** The names of some records, for people. */
export function namesIn(
  list: readonly { readonly id: string; readonly name: string }[],
  ids: readonly string[],
): string {
  return ids.map((id) => list.find((each) => each.id === id)?.name ?? 'deleted').join(', ');
}
