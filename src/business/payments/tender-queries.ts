/** Every SQL statement on the tenders of a sale, for whoever gives some of them back. */
import type { JsonText } from '../../base/json.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import type { PaidTender } from './breakdown.js';
import type { Payment } from './model.js';
import { paymentColumns } from './queries.js';
import type { SaleState } from './sale.js';
import type { ReceiptWords } from './v1.receipt.js';

/** What giving back asks of a sale. What only a register says is null for one of the API. */
export interface TenderedSale {
  readonly id: string;
  readonly locationId: string;
  readonly state: SaleState;
  readonly createdAt: Instant;
  readonly deviceId: string | null;
  readonly employeeId: string | null;
  readonly due: Amount | null;
  readonly receipt: JsonText<ReceiptWords> | null;
  /** All that was captured, in the order of taking. */
  readonly tenders: readonly PaidTender[];
}

/** A sale by its own id or by that of one of its tenders (spec 4.2 rules 4 and 6). */
export async function findTenderedSale(sql: Sql, merchantId: string, id: string): Promise<TenderedSale | undefined> {
  const [row] = await sql<TenderedSale[]>`
    select
      sale.sale_id as id, sale.location_id, sale.state, sale.created_at, sale.device_id, sale.employee_id, sale.due,
      sale.receipt::text, paid.tenders
    from sales sale
    cross join lateral (
      select
        json_agg(
          json_build_object('id', payment_id, 'amount', amount, 'tip', tip, 'total', total)
          order by array_position(sale.tender_ids, payment_id)
        ) as tenders
      from payments
      where merchant_id = ${merchantId} and captured_at is not null
        and payment_id = any (coalesce(sale.tender_ids, array[sale.sale_id]))
    ) paid
    where sale.merchant_id = ${merchantId} and sale.created_at is not null and paid.tenders is not null
      and sale.sale_id = coalesce(
        (
          select tender.sale_id
          from payments tender
          where tender.merchant_id = ${merchantId} and tender.payment_id = ${id} and tender.captured_at is not null
        ),
        ${id}
      )`;
  return row;
}

/** Holds payments still while money of them is given back; always in one order, so that nobody waits in a circle. */
export async function lockTenders(tx: Tx, merchantId: string, ids: readonly string[]): Promise<Payment[]> {
  return tx<Payment[]>`
    select ${paymentColumns(tx)}
    from payments
    where merchant_id = ${merchantId} and payment_id = any (${ids as string[]}::text[]) and captured_at is not null
    order by payment_id
    for update`;
}
