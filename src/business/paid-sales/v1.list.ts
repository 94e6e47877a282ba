/** Lists sales as v1 shows them. Copies are passed on as bytes; only sales without a current copy are read and printed. */
import { Printed } from '../../api/printed.js';
import type { Database } from '../../database/database.js';
import type { Page } from '../../database/keyset.js';
import { printCopy, withAddresses } from './copies.js';
import { copyChoiceOf } from './copy-choice.js';
import { insertCopies, listCopies, toSingleCopies } from './copy-queries.js';
import { findStampedSales, type SaleFilter } from './queries.js';
import type { V1Site } from './v1.view.js';

const NOTHING: ReadonlyMap<string, string> = new Map();

export async function listV1Payments(database: Database, filter: SaleFilter, site: V1Site): Promise<Page<Printed>> {
  const page = await listCopies(database.sql, filter);
  const { saleIds, copies, isComplete, next } = page;
  if (saleIds.length === 0) return { items: [], next };
  if (isComplete) return { items: [new Printed(withAddresses(copies, site))], next };
  const single = toSingleCopies(page);
  const uncopied = saleIds.filter((_, index) => single[index]?.length === 0);
  const { merchantId } = filter;
  const printed =
    uncopied.length > 0 ? await printAndKeep(database, { merchantId, currency: site.currency }, uncopied) : NOTHING;
  const items = saleIds.flatMap((saleId, index) => {
    const text = printed.get(saleId);
    const copy = text === undefined ? single[index] : Buffer.from(text);
    // Without a copy and a text: a reset of the merchant has removed the sale meanwhile.
    return copy && copy.length > 0 ? [new Printed(withAddresses(copy, site))] : [];
  });
  return { items, next };
}

/**
 * Returns the texts by the ids of the sales. Keeps only copies of sales that are listed for the second time, so that a client that reads
 * everything once causes no writes. No copy of a partial sale is kept, because the sale will change.
 */
async function printAndKeep(
  database: Database,
  { merchantId, currency }: Pick<SaleFilter, 'merchantId'> & Pick<V1Site, 'currency'>,
  saleIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await findStampedSales(database.sql, merchantId, saleIds);
  const printed = found.map(({ sale, ...stamped }) => ({ sale, ...stamped, v1Json: printCopy(sale, currency) }));
  const choice = copyChoiceOf(database);
  const kept = printed.filter(({ sale, ...copy }) => !sale.isPartial && choice.accepts(copy));
  // The response does not need the copies.
  if (kept.length > 0) await database.statement((tx) => insertCopies(tx, merchantId, kept)).catch(() => {});
  return new Map(printed.map(({ saleId, v1Json }) => [saleId, v1Json]));
}
