/** Lists sales as v1 shows them. Copies are passed on as bytes; only sales without a current copy are read and printed. */
import { Printed } from '../../api/printed.js';
import type { Database } from '../../database/database.js';
import type { Page } from '../../database/keyset.js';
import { insertCopies, listWithCopies } from './copy-queries.js';
import { findStampedSales, type SaleFilter } from './queries.js';
import { printV1Payment, type V1Site, withV1Urls } from './v1.print.js';

export async function listV1Payments(database: Database, filter: SaleFilter, site: V1Site): Promise<Page<Printed>> {
  const { items, next } = await listWithCopies(database.sql, filter);
  const uncopied = items.filter(({ copy }) => copy === null).map(({ saleId }) => saleId);
  const printed = uncopied.length > 0 ? await printAndKeep(database, uncopied, site) : new Map<string, string>();
  return {
    items: items.map(
      ({ saleId, copy }) => new Printed(copy ? withUrls(copy, site) : withV1Urls(printed.get(saleId) ?? '', site)),
    ),
    next,
  };
}

/** Returns the texts by the ids of the sales. The next one who lists them finds copies. A sale that is not complete yet will change. */
async function printAndKeep(
  database: Database,
  saleIds: readonly string[],
  { merchantId, currency }: V1Site,
): Promise<ReadonlyMap<string, string>> {
  const site = { merchantId, currency, publicUrl: undefined };
  const found = await findStampedSales(database.sql, merchantId, saleIds);
  const printed = found.map(({ sale, ...stamped }) => ({ sale, ...stamped, v1Json: printV1Payment(sale, site) }));
  const complete = printed.filter(({ sale }) => !sale.isPartial);
  // The response does not need the copies.
  if (complete.length > 0) await database.statement((tx) => insertCopies(tx, merchantId, complete)).catch(() => {});
  return new Map(printed.map(({ saleId, v1Json }) => [saleId, v1Json]));
}

/** As latin1 the bytes are not decoded, and stay what they are. */
function withUrls(copy: Buffer, site: V1Site): Buffer {
  return site.publicUrl === undefined ? copy : Buffer.from(withV1Urls(copy.toString('latin1'), site), 'latin1');
}
