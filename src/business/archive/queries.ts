/** SQL of the archive: which sales may move, and moving them (decision 0253). */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';

/** Where a walk over the candidates goes on: after this time and id. Null: the time is missing. */
export interface Place {
  readonly at: string | null;
  readonly id: string;
}

export interface Candidate extends Place {
  readonly saleId: string;
}

interface Walk {
  readonly merchantId: string;
  readonly before: Instant;
  /** Undefined: from the beginning. */
  readonly after: Place | undefined;
  readonly limit: number;
}

/** `only` reads the tables in use, and not the archive. Times are text, because PostgreSQL's are finer than ours. */
export async function listSalesInUse(sql: Sql, { merchantId, before, after, limit }: Walk): Promise<Candidate[]> {
  return sql<Candidate[]>`
    select sale_id, created_at::text as at, v1_id as id
    from only sales
    where merchant_id = ${merchantId} and created_at < ${before}
    ${after ? sql`and (created_at, v1_id) > (${after.at}::text::timestamptz, ${after.id})` : sql``}
    order by created_at, v1_id
    limit ${limit}`;
}

/** Canceled sales without a tender have no time by which they are listed. */
export async function listUnpaidSalesInUse(sql: Sql, { merchantId, before, after, limit }: Walk): Promise<Candidate[]> {
  return sql<Candidate[]>`
    select sale_id, null as at, v1_id as id
    from only sales
    where merchant_id = ${merchantId} and created_at is null and state = 'CANCELED' and rung_up_at < ${before}
    ${after ? sql`and v1_id > ${after.id}` : sql``}
    order by v1_id
    limit ${limit}`;
}

/** Payments of applications that took no money have no sale: declined, voided, and approved ones. */
export async function listUncapturedInUse(sql: Sql, { merchantId, before, after, limit }: Walk): Promise<Candidate[]> {
  return sql<Candidate[]>`
    select sale_id, created_at::text as at, payment_id as id
    from only payments
    where merchant_id = ${merchantId} and captured_at is null and source_type = 'CARD' and channel = 'API'
      and created_at < ${before}
    ${after ? sql`and (created_at, payment_id) > (${after.at}::text::timestamptz, ${after.id})` : sql``}
    order by created_at, payment_id
    limit ${limit}`;
}

export async function findSaleCount(
  sql: Sql,
  { merchantId, from, before }: { readonly merchantId: string; readonly from: Instant; readonly before: Instant },
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)
    from only sales
    where merchant_id = ${merchantId} and created_at >= ${from} and created_at < ${before}`;
  return row?.count ?? 0;
}

/** Locks those of the sales that nobody else has locked. */
export async function lockSales(tx: Tx, merchantId: string, saleIds: readonly string[]): Promise<string[]> {
  const rows = await tx<{ saleId: string }[]>`
    select sale_id
    from only sales
    where merchant_id = ${merchantId} and sale_id = any(${saleIds as string[]}::text[])
    for update skip locked`;
  return rows.map(({ saleId }) => saleId);
}

/** Those of the ids that are sales in use. */
export async function listSaleIds(sql: Sql, merchantId: string, saleIds: readonly string[]): Promise<string[]> {
  const rows = await sql<{ saleId: string }[]>`
    select sale_id
    from only sales
    where merchant_id = ${merchantId} and sale_id = any(${saleIds as string[]}::text[])`;
  return rows.map(({ saleId }) => saleId);
}

export interface PaymentOfSale {
  readonly saleId: string;
  readonly paymentId: string;
}

/** An application's payment has the id of its sale. Each of the conditions has an index. */
const ofSales = (sql: Sql, saleIds: readonly string[]) => sql`(
  channel = 'API' and payment_id = any(${saleIds as string[]}::text[])
  or channel = 'REGISTER' and sale_id = any(${saleIds as string[]}::text[])
  or channel = 'ONLINE_STORE' and sale_id = any(${saleIds as string[]}::text[])
)`;

export async function listPaymentsOfSales(
  sql: Sql,
  merchantId: string,
  saleIds: readonly string[],
): Promise<PaymentOfSale[]> {
  return sql<PaymentOfSale[]>`
    select sale_id, payment_id
    from only payments
    where merchant_id = ${merchantId} and ${ofSales(sql, saleIds)}`;
}

/** Locks those of the payments that nobody else has locked. */
export async function lockPaymentsOfSales(tx: Tx, merchantId: string, saleIds: readonly string[]): Promise<string[]> {
  const rows = await tx<{ paymentId: string }[]>`
    select payment_id
    from only payments
    where merchant_id = ${merchantId} and ${ofSales(tx, saleIds)}
    for update skip locked`;
  return rows.map(({ paymentId }) => paymentId);
}

/** Moves them with all that belongs to them. They are locked. */
export async function moveSalesToArchive(tx: Tx, merchantId: string, saleIds: readonly string[]): Promise<void> {
  await tx`select ${fn(tx, 'archive_sales')}(${merchantId}, ${saleIds as string[]}::text[])`;
}
