/** Checks stored copies of sales and payments against what is printed now. */
import { expect } from 'vitest';
import { printCopy as printSale } from '../../src/business/paid-sales/copies.js';
import { findStampedSales } from '../../src/business/paid-sales/queries.js';
import { printCopy } from '../../src/business/payments/copies.js';
import { hasCurrentCopy } from '../../src/business/payments/copy-queries.js';
import type { Payment, PaymentStatus } from '../../src/business/payments/model.js';
import { PAYMENT_COLUMNS } from '../../src/business/payments/table.js';
import type { Database } from '../../src/database/database.js';

interface CopyRow {
  readonly merchantId: string;
  readonly currency: string;
  readonly saleId: string;
  readonly stamp: string;
  readonly v1Json: string;
}

/** Expects that every copy that would be listed is, byte for byte, what would be printed. */
export async function expectCopiesInOrder(database: Database): Promise<void> {
  await expectPaymentCopiesInOrder(database);
  await expectSaleCopiesInOrder(database);
}

async function expectPaymentCopiesInOrder({ sql }: Database): Promise<void> {
  const found = await sql<(Payment<PaymentStatus> & { readonly v2Json: string | null })[]>`
    select ${PAYMENT_COLUMNS.select(sql)}, v2_json
    from payments
    where ${hasCurrentCopy(sql)}`;
  const wrong = found.filter((payment) => payment.v2Json !== printCopy(payment));
  expect(wrong.map(({ id }) => id)).toEqual([]);
}

async function expectSaleCopiesInOrder({ sql }: Database): Promise<void> {
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
    const printed = new Map(found.map(({ sale, saleId, stamp }) => [`${saleId} ${stamp}`, printSale(sale, currency)]));
    const wrong = own.filter(({ saleId, stamp, v1Json }) => (printed.get(`${saleId} ${stamp}`) ?? v1Json) !== v1Json);
    expect(wrong.map(({ saleId }) => saleId)).toEqual([]);
  }
}
