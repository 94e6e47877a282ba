/** Every SQL statement on the sales that registers make; a sale of the API is written with its payment, in queries.ts. */
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

/** A sale that a register made, by its own id or by what v1 calls it. */
export async function findSale(sql: Sql, merchantId: string, id: string): Promise<Sale | undefined> {
  const [row] = await sql<Sale[]>`
    select ${columns(sql)}
    from sales
    where merchant_id = ${merchantId} and sale_id = ${findSaleId(sql, merchantId, id)} and kind = 'REGISTER'`;
  return row;
}

/** The sale that a register sent before under its own id, and with which request. */
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

/** Holds a sale still while a tender is taken for it, or while it is cancelled. */
export async function lockSale(tx: Tx, merchantId: string, id: string): Promise<Sale | undefined> {
  const [row] = await tx<Sale[]>`
    select ${columns(tx)}
    from sales
    where merchant_id = ${merchantId} and sale_id = ${findSaleId(tx, merchantId, id)} and kind = 'REGISTER'
    for update`;
  return row;
}

/** False where the register sent one with this id before. */
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

/** The open sale of an online order, composed into the statement that places it; `from` names the CTE that must have a row. */
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

/** A charge was made at a register, so the first generation has something new to see. */
const salesTold = (sql: Sql, at: Instant) => sql`(
  select
    merchant_id, location_id, null::text as application_id, 'PAYMENT_UPDATED' as kind, v1_id as entity_id,
    ${at}::timestamptz as happened_at, null::text as object
  from changed
)`;

/**
 * A tender was taken: the sale has it, and is complete with the last, whose time it then takes (contract 18). One that was
 * cancelled meanwhile has it too, since the money was taken; it is given back next.
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
    ${insertEvents(tx, [merchantId], [salesTold(tx, at)])}
    select ${columns(tx)}
    from changed`;
  return row;
}

/** OPEN -> COMPLETED of a sale that costs nothing, without any tender. */
export async function moveFreeSaleToCompleted(tx: Tx, merchantId: string, saleId: string, at: Instant): Promise<void> {
  await tx`
    with changed as (
      update sales
      set state = 'COMPLETED', created_at = ${at}
      where merchant_id = ${merchantId} and sale_id = ${saleId} and state = 'OPEN' and due = 0 and tender_ids = '{}'
      returning merchant_id, v1_id, location_id
    ),
    ${insertEvents(tx, [merchantId], [salesTold(tx, at)])}
    select v1_id
    from changed`;
}

/** OPEN -> CANCELED; undefined where it is not OPEN any more. */
export async function moveSaleToCanceled(tx: Tx, merchantId: string, saleId: string): Promise<Sale | undefined> {
  const [row] = await tx<Sale[]>`
    update sales
    set state = 'CANCELED'
    where merchant_id = ${merchantId} and sale_id = ${saleId} and state = 'OPEN'
    returning ${columns(tx)}`;
  return row;
}

/** To be composed: the id of the sale that is meant by its own id or by that of one of its tenders (decision 0014). */
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
