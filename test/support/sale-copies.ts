/** Checks copies of sales against what is printed now. */
import { expect } from 'vitest';
import { findStampedSales } from '../../src/business/paid-sales/queries.js';
import { printV1Payment } from '../../src/business/paid-sales/v1.print.js';
import type { Database } from '../../src/database/database.js';

interface CopyRow {
  readonly merchantId: string;
  readonly currency: string;
  readonly saleId: string;
  readonly stamp: string;
  readonly v1Json: string;
}

/** Expects that every copy that would be listed is, byte for byte, what would be printed. */
export async function expectCopiesInOrder({ sql }: Database): Promise<void> {
  const copies = await sql<CopyRow[]>`
    select merchant_id, currency, sale_id, stamp, v1_json
    from sale_copies
    join merchants using (merchant_id)`;
  for (const merchantId of new Set(copies.map((copy) => copy.merchantId))) {
    const own = copies.filter((copy) => copy.merchantId === merchantId);
    const currency = own[0]?.currency ?? '';
    const found = await findStampedSales(
      sql,
      merchantId,
      own.map(({ saleId }) => saleId),
    );
    const printed = new Map(
      found.map(({ sale, saleId, stamp }) => [
        `${saleId} ${stamp}`,
        printV1Payment(sale, { merchantId, currency, publicUrl: undefined }),
      ]),
    );
    const wrong = own.filter(({ saleId, stamp, v1Json }) => (printed.get(`${saleId} ${stamp}`) ?? v1Json) !== v1Json);
    expect(wrong.map(({ saleId }) => saleId)).toEqual([]);
  }
}
