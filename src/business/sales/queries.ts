/** SQL statements on sales of registers and online orders. Sales of the API are written together with their payments. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { insertEvents } from '../../events/record-queries.js';
import type { ReceiptRecord } from '../receipts/record.js';
import { V1_COPY_VERSION } from '../receipts/v1.print.js';
import type { OnlineSale, Sale } from './model.js';

const columns = (sql: Sql) => sql`
  sale_id as id, location_id, kind, state, created_at, device_id, device_name, employee_id, register_sale_id, rung_up_at,
  due, paid, tender_ids`;

/** A sale of a register, by its own id or by the id of one of its tenders. */
export async function findSale(sql: Sql, merchantId: string, id: string): Promise<Sale | undefined> {
  const [row] = await sql<Sale[]>`
    select ${columns(sql)}
    from sales
    where merchant_id = ${merchantId} and sale_id = ${findSaleId(sql, merchantId, id)} and kind = 'REGISTER'`;
  return row;
}

/** The sale that a register has already sent with its own id, with the hash of that request. */
export async function findRegisterSale(
  sql: Sql,
  merchantId: string,
  { deviceId, registerSaleId }: Pick<Sale, 'deviceId' | 'registerSaleId'>,
): Promise<(Sale & { requestHash: Buffer }) | undefined> {
  const [row] = await sql<(Sale & { requestHash: Buffer })[]>`
    select ${columns(sql)}, request_hash
    from sales
    where merchant_id = ${merchantId} and kind = 'REGISTER' and device_id = ${deviceId}
      and register_sale_id = ${registerSaleId}`;
  return row;
}

/** Locks a sale while a tender is taken for it, or while it is canceled. */
export async function lockSale(tx: Tx, merchantId: string, id: string): Promise<Sale | undefined> {
  const [row] = await tx<Sale[]>`
    select ${columns(tx)}
    from sales
    where merchant_id = ${merchantId} and sale_id = ${findSaleId(tx, merchantId, id)} and kind = 'REGISTER'
    for update`;
  return row;
}

/** Returns false if the register has already sent a sale with this id. */
export async function insertSale(
  tx: Tx,
  merchantId: string,
  sale: Sale,
  { receipt, requestHash }: { readonly receipt: ReceiptRecord; readonly requestHash: Buffer },
): Promise<boolean> {
  const rows = await tx`
    insert into sales (
      merchant_id, sale_id, location_id, kind, state, created_at, device_id, device_name, employee_id,
      register_sale_id, request_hash, rung_up_at, due, paid, receipt, v1_receipt, v1_receipt_version, tender_ids
    )
    values (
      ${merchantId}, ${sale.id}, ${sale.locationId}, ${sale.kind}, ${sale.state}, ${sale.createdAt}, ${sale.deviceId},
      ${sale.deviceName}, ${sale.employeeId}, ${sale.registerSaleId}, ${requestHash}, ${sale.rungUpAt}, ${sale.due},
      ${sale.paid}, ${receipt.stored}::text::json, ${receipt.v1Copy}, ${V1_COPY_VERSION}, ${sale.tenderIds as string[]}
    )
    on conflict do nothing
    returning 1`;
  return rows.length > 0;
}

/** Inserts the open sale of an online order, as part of the statement that places the order. `from` is a CTE with its row. */
export function insertOnlineSale(
  sql: Sql,
  merchantId: string,
  {
    receipt,
    ...sale
  }: Pick<OnlineSale, 'id' | 'locationId' | 'rungUpAt' | 'due'> & { readonly receipt: ReceiptRecord },
  from: string,
): Fragment {
  return sql`
    insert into sales (
      merchant_id, sale_id, location_id, kind, state, rung_up_at, due, receipt, v1_receipt, v1_receipt_version, tender_ids
    )
    select
      ${merchantId}, ${sale.id}, ${sale.locationId}, 'ONLINE_STORE', 'OPEN', ${sale.rungUpAt}::timestamptz,
      ${sale.due}::bigint, ${receipt.stored}::text::json, ${receipt.v1Copy}::text, ${V1_COPY_VERSION}::smallint, '{}'
    from ${sql(from)}`;
}

/** The v1 event of sales in the CTE `changed`. */
const saleEvents = (sql: Sql, at: Instant) => sql`(
  select
    merchant_id, location_id, null::text as application_id, 'PAYMENT_UPDATED' as kind, v1_id as entity_id,
    ${at}::timestamptz as happened_at, null::text as object
  from changed
)`;

/**
 * Adds a tender. The last tender completes the sale, and sets its time (contract 18). A sale that was canceled while the
 * tender was in flight gets the tender too, because the money was taken. The tender is refunded afterwards.
 */
export async function updateSaleWithTender(
  tx: Tx,
  merchantId: string,
  { saleId, paymentId, amount, at }: { saleId: string; paymentId: string; amount: Amount; at: Instant },
): Promise<Sale | OnlineSale | undefined> {
  const [row] = await tx<(Sale | OnlineSale)[]>`
    with changed as (
      update sales
      set
        tender_ids = tender_ids || ${paymentId}::text,
        paid = paid + ${amount},
        state = case when state = 'OPEN' and paid + ${amount} = due then 'COMPLETED' else state end,
        created_at = case
          when paid + ${amount} = due then ${at}::timestamptz
          else coalesce(created_at, ${at}::timestamptz)
        end
      where merchant_id = ${merchantId} and sale_id = ${saleId} and state in ('OPEN', 'CANCELED')
      returning
        merchant_id, sale_id, v1_id, location_id, kind, state, created_at, device_id, device_name, employee_id,
        register_sale_id, rung_up_at, due, paid, tender_ids
    ),
    ${insertEvents(tx, [merchantId], [saleEvents(tx, at)])}
    select ${columns(tx)}
    from changed`;
  return row;
}

/** OPEN -> COMPLETED, for a sale with a total of zero and without tenders. */
export async function moveFreeSaleToCompleted(tx: Tx, merchantId: string, saleId: string, at: Instant): Promise<void> {
  await tx`
    with changed as (
      update sales
      set state = 'COMPLETED', created_at = ${at}
      where merchant_id = ${merchantId} and sale_id = ${saleId} and state = 'OPEN' and due = 0 and tender_ids = '{}'
      returning merchant_id, v1_id, location_id
    ),
    ${insertEvents(tx, [merchantId], [saleEvents(tx, at)])}
    select v1_id
    from changed`;
}

/** OPEN -> CANCELED. Returns undefined if the sale is no longer OPEN. */
export async function moveSaleToCanceled(tx: Tx, merchantId: string, saleId: string): Promise<Sale | undefined> {
  const [row] = await tx<Sale[]>`
    update sales
    set state = 'CANCELED'
    where merchant_id = ${merchantId} and sale_id = ${saleId} and state = 'OPEN'
    returning ${columns(tx)}`;
  return row;
}

/** An expression for the id of a sale, from its own id or the id of one of its tenders (decision 0014). */
export function findSaleId(sql: Sql, merchantId: string, id: string): Fragment {
  return sql`
    coalesce(
      (
        select named.sale_id
        from payments named
        where named.merchant_id = ${merchantId} and named.payment_id = ${id} and named.captured_at is not null
      ),
      ${id}
    )`;
}
