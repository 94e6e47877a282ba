/** Lists sales as v1 shows them. Copies are passed on as bytes; only sales without a current copy are read and printed. */
import { Printed } from '../../api/printed.js';
import type { Database } from '../../database/database.js';
import type { Page } from '../../database/keyset.js';
import { copyChoiceOf } from './copy-choice.js';
import { insertCopies, listCopies, toSingleCopies } from './copy-queries.js';
import { findStampedSales, type SaleFilter } from './queries.js';
import { printV1Payment, type V1Site, withV1Urls } from './v1.print.js';

const NOTHING: ReadonlyMap<string, string> = new Map();

export async function listV1Payments(database: Database, filter: SaleFilter, site: V1Site): Promise<Page<Printed>> {
  const page = await listCopies(database.sql, filter);
  const { saleIds, copies, isComplete, next } = page;
  if (saleIds.length === 0) return { items: [], next };
  if (isComplete) return { items: [new Printed(withUrls(copies, site))], next };
  const single = toSingleCopies(page);
  const uncopied = saleIds.filter((_, index) => single[index]?.length === 0);
  const printed = uncopied.length > 0 ? await printAndKeep(database, uncopied, site) : NOTHING;
  const items = saleIds.flatMap((saleId, index) => {
    const [copy, text] = [single[index], printed.get(saleId)];
    if (text !== undefined) return [new Printed(withV1Urls(text, site))];
    // Without a copy and a text: a reset of the merchant has removed the sale meanwhile.
    return copy && copy.length > 0 ? [new Printed(withUrls(copy, site))] : [];
  });
  return { items, next };
}

/**
 * Returns the texts by the ids of the sales. Keeps only copies of sales that are listed for the second time, so that a client that reads
 * everything once causes no writes. No copy of a partial sale is kept, because the sale will change.
 */
async function printAndKeep(
  database: Database,
  saleIds: readonly string[],
  { merchantId, currency }: V1Site,
): Promise<ReadonlyMap<string, string>> {
  const site = { merchantId, currency, publicUrl: undefined };
  const found = await findStampedSales(database.sql, merchantId, saleIds);
  const printed = found.map(({ sale, ...stamped }) => ({ sale, ...stamped, v1Json: printV1Payment(sale, site) }));
  const choice = copyChoiceOf(database);
  const kept = printed.filter(({ sale, ...copy }) => !sale.isPartial && choice.accepts(copy));
  // The response does not need the copies.
  if (kept.length > 0) await database.statement((tx) => insertCopies(tx, merchantId, kept)).catch(() => {});
  return new Map(printed.map(({ saleId, v1Json }) => [saleId, v1Json]));
}

/** latin1 maps each byte to one character, so the bytes stay the same and UTF-8 is not decoded. */
function withUrls(copy: Buffer, site: V1Site): Buffer {
  return site.publicUrl === undefined ? copy : Buffer.from(withV1Urls(copy.toString('latin1'), site), 'latin1');
}
