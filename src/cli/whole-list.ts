/** Reads all pages of a list. */
import type { Page, PageRequest } from '../database/keyset.js';

const PAGE_SIZE = 500;

export async function listWhole<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let after: PageRequest['after'], isFirst = true; isFirst || after; isFirst = false) {
    const { items, next } = await list({ limit: PAGE_SIZE, after });
    found.push(...items);
    after = next;
  }
  return found;
}
