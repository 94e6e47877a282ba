/** Why sales stay in the tables in use: the one rule about what may move (decision 0253). Each function returns the sales that stay. */
import type { Sql } from '../../database/database.js';
import type { Batch, StayReason } from './model.js';

type Row = { readonly saleId: string };

/** The sales that stay, also more than once. */
type ListStaying = (sql: Sql, batch: Batch) => Promise<string[]>;

/** In the order of `STAY_REASONS`. The first two are known before a batch is asked for. */
export const STAYING: Readonly<Record<Exclude<StayReason, 'REFUNDABLE' | 'IN_USE'>, ListStaying>> = {
  OPEN: listOpen,
  PAYMENT_UNDER_WAY: listWithPaymentUnderWay,
  REFUND_UNDER_WAY: listWithRefundUnderWay,
  DISPUTED: listDisputed,
  ORDER_OPEN: listWithOpenOrder,
  UNSETTLED: listUnsettled,
  DRAWER_OPEN: listInOpenDrawer,
  NOT_REPORTED: listNotReported,
  FLAGGED: listFlagged,
  NOT_DELIVERED: listNotDelivered,
  WORK_DUE: listWithWorkDue,
  CHANGED: listChanged,
};

const sales = ({ saleIds }: Batch) => saleIds as string[];
const payments = ({ paymentIds }: Batch) => paymentIds as string[];
const toSale = ({ saleId }: Row): string => saleId;

async function listOpen(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select sale_id
    from sales
    where merchant_id = ${batch.merchantId} and sale_id = any(${sales(batch)}::text[]) and state = 'OPEN'`;
  return rows.map(toSale);
}

async function listWithPaymentUnderWay(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select p.sale_id
    from payments p
    left join processor_calls c on c.merchant_id = ${batch.merchantId} and c.payment_id = p.payment_id
    where p.merchant_id = ${batch.merchantId} and p.payment_id = any(${payments(batch)}::text[])
      and (p.status in ('PENDING', 'APPROVED') or c.payment_id is not null)`;
  return rows.map(toSale);
}

async function listWithRefundUnderWay(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select p.sale_id
    from payments p
    join refunds r on r.merchant_id = ${batch.merchantId} and r.payment_id = p.payment_id and r.status = 'PENDING'
    where p.merchant_id = ${batch.merchantId} and p.payment_id = any(${payments(batch)}::text[])`;
  return rows.map(toSale);
}

async function listDisputed(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select p.sale_id
    from payments p
    join holds h on h.merchant_id = ${batch.merchantId} and h.payment_id = p.payment_id and h.released_at is null
    where p.merchant_id = ${batch.merchantId} and p.payment_id = any(${payments(batch)}::text[])`;
  return rows.map(toSale);
}

async function listWithOpenOrder(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select sale_id
    from orders
    where merchant_id = ${batch.merchantId} and sale_id = any(${sales(batch)}::text[]) and state in ('PENDING', 'OPEN')`;
  return rows.map(toSale);
}

/** The money of a settlement that failed comes back as a movement, which must be settled by one that did not. */
async function listUnsettled(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select p.sale_id
    from payments p
    join movements m on m.merchant_id = ${batch.merchantId} and m.payment_id = p.payment_id
    left join settlements s on s.merchant_id = ${batch.merchantId} and s.settlement_id = m.settlement_id
    left join movements returned
      on returned.merchant_id = ${batch.merchantId} and returned.movement_id = s.returned_movement_id
    left join settlements again
      on again.merchant_id = ${batch.merchantId} and again.settlement_id = returned.settlement_id and again.status = 'SENT'
    where p.merchant_id = ${batch.merchantId} and p.payment_id = any(${payments(batch)}::text[])
      and not coalesce(case s.status when 'FAILED' then again.visible_at else s.visible_at end <= ${batch.now}, false)`;
  return rows.map(toSale);
}

async function listInOpenDrawer(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select p.sale_id
    from payments p
    join cash_drawer_shifts d
      on d.merchant_id = ${batch.merchantId} and d.shift_id = p.drawer_shift_id and d.state <> 'CLOSED'
    where p.merchant_id = ${batch.merchantId} and p.payment_id = any(${payments(batch)}::text[])`;
  return rows.map(toSale);
}

/** Reports read sales and refunds of days that are not rolled up. All times of a sale that moves are before `before`. */
async function listNotReported(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select s.sale_id
    from sales s
    left join report_progress p on p.merchant_id = ${batch.merchantId} and p.location_id = s.location_id
    where s.merchant_id = ${batch.merchantId} and s.sale_id = any(${sales(batch)}::text[]) and s.state = 'COMPLETED'
      and (
        coalesce(p.rolled_up_to, s.created_at) <= s.created_at
        or exists (
          select 1
          from report_late_days l
          where l.merchant_id = ${batch.merchantId} and l.location_id = s.location_id
        )
      )`;
  return rows.map(toSale);
}

async function listFlagged(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select sale_id
    from register_flags
    where merchant_id = ${batch.merchantId} and sale_id = any(${sales(batch)}::text[]) and is_open`;
  return rows.map(toSale);
}

async function listNotDelivered(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select subject.sale_id
    from (${subjects(sql, batch)}) as subject
    join webhook_deliveries d
      on d.merchant_id = ${batch.merchantId} and d.entity_id = subject.id and d.state = 'WAITING'`;
  return rows.map(toSale);
}

async function listWithWorkDue(sql: Sql, batch: Batch): Promise<string[]> {
  const rows = await sql<Row[]>`
    select subject.sale_id
    from (${subjects(sql, batch)}) as subject
    join due_work w on w.merchant_id = ${batch.merchantId} and w.subject_id = subject.id`;
  return rows.map(toSale);
}

/** The ids of all records of these sales. */
function subjects(sql: Sql, batch: Batch) {
  const { merchantId } = batch;
  return sql`
    select sale_id, sale_id as id
    from sales
    where merchant_id = ${merchantId} and sale_id = any(${sales(batch)}::text[])
    union all
    select sale_id, order_id
    from orders
    where merchant_id = ${merchantId} and sale_id = any(${sales(batch)}::text[])
    union all
    select sale_id, payment_id
    from payments
    where merchant_id = ${merchantId} and payment_id = any(${payments(batch)}::text[])
    union all
    select p.sale_id, r.refund_id
    from payments p
    join refunds r on r.merchant_id = ${merchantId} and r.payment_id = p.payment_id
    where p.merchant_id = ${merchantId} and p.payment_id = any(${payments(batch)}::text[])
    union all
    select p.sale_id, m.movement_id
    from payments p
    join movements m on m.merchant_id = ${merchantId} and m.payment_id = p.payment_id
    where p.merchant_id = ${merchantId} and p.payment_id = any(${payments(batch)}::text[])`;
}

async function listChanged(sql: Sql, batch: Batch): Promise<string[]> {
  const { merchantId, before } = batch;
  const rows = await sql<Row[]>`
    select sale_id
    from orders
    where merchant_id = ${merchantId} and sale_id = any(${sales(batch)}::text[]) and updated_at >= ${before}
    union all
    select sale_id
    from payments
    where merchant_id = ${merchantId} and payment_id = any(${payments(batch)}::text[]) and updated_at >= ${before}
    union all
    select p.sale_id
    from payments p
    join refunds r on r.merchant_id = ${merchantId} and r.payment_id = p.payment_id and r.updated_at >= ${before}
    where p.merchant_id = ${merchantId} and p.payment_id = any(${payments(batch)}::text[])
    union all
    select p.sale_id
    from payments p
    join movements m on m.merchant_id = ${merchantId} and m.payment_id = p.payment_id and m.occurred_at >= ${before}
    where p.merchant_id = ${merchantId} and p.payment_id = any(${payments(batch)}::text[])`;
  return rows.map(toSale);
}
