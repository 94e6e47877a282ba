/** Laws of sales, their receipts, their tenders, and the drawer events of their tenders. */
import type { Law } from './law.js';

/** An amount in a receipt, and an amount in its v1 copy. */
const sum = (name: string): string => `(r.receipt ->> '${name}')::bigint`;
const shown = (name: string): string => `(r.shown -> '${name}_money' ->> 'amount')::bigint`;

const ofItem = (name: string): string => `(item ->> '${name}')::bigint`;
/** Price times quantity, including inclusive taxes. Quantities are stored in hundred-thousandths. */
const priced = `round(${ofItem('price')} * (item ->> 'quantity')::numeric / 100000)`;

/**
 * The sum of the lines of an item, such as its taxes; with an inclusion, only of taxes of that kind. Most items have no line or one: calling
 * the function for those as well doubled the time of the whole law.
 */
function sumOfLines(name: string, inclusion?: string): string {
  const [lines, only] = [`item -> '${name}'`, `(item -> '${name}' -> 0 ->> 'applied')::bigint`];
  const quoted = inclusion === undefined ? 'null' : `'${inclusion}'`;
  const counted =
    inclusion === undefined ? only : `case when ${lines} -> 0 ->> 'inclusion' = ${quoted} then ${only} else 0 end`;
  return `case jsonb_array_length(${lines}) when 0 then 0 when 1 then ${counted} else sum_of_lines(${lines}, ${quoted}) end`;
}

/** The id in v1 of the sale `s`: that of the only tender that pays it, unless it was split before. */
const ID_IN_V1 = `
  case when cardinality(s.tender_ids) = 1 and s.paid = s.due and s.keeps_own_id is null then s.tender_ids[1] else s.sale_id end`;

export const SALE_LAWS: readonly Law[] = [
  {
    name: 'the sums of a receipt match its items',
    isOfSales: true,
    // `offset 0` keeps the cast in a subquery, so each receipt is parsed once and not for every field.
    statement: `
      select s.merchant_id, s.sale_id as subject,
        format('due %s, net %s, gross %s, items %s', s.due, ${sum('net')}, ${sum('gross')}, i.gross) as found
      from sales s
      cross join lateral (select s.receipt::jsonb as receipt offset 0) r
      cross join lateral (
        select sum(${ofItem('gross')}) as gross, sum(${ofItem('discount')}) as discount,
          sum(${ofItem('net')}) as net, sum(${ofItem('total')}) as total,
          bool_or(
            ${ofItem('gross')} <> ${priced} + ${sumOfLines('modifiers')} - ${sumOfLines('taxes', 'INCLUSIVE')}
            or ${ofItem('net')} <> ${ofItem('gross')} + ${ofItem('discount')}
            or ${ofItem('total')} <> ${ofItem('net')} + ${sumOfLines('taxes')}
          ) as wrong
        from jsonb_array_elements(r.receipt -> 'items') item
      ) i
      where s.kind <> 'API' and (
        -- The names below are those of version 1. Under other names nothing would be found, and no sum would differ.
        ${sum('version')} is distinct from 1
        or ${sum('gross')} <> i.gross
        or ${sum('discount')} <> i.discount
        or ${sum('net')} <> i.net
        or ${sum('net')} <> ${sum('gross')} + ${sum('discount')}
        or ${sum('tax')} <> ${sum('inclusiveTax')} + ${sum('additiveTax')}
        or i.total <> ${sum('net')} + ${sum('tax')}
        or ${sum('due')} <> ${sum('net')} + ${sum('tax')} + ${sum('surcharge')}
        or s.due <> ${sum('due')}
        or i.wrong
      )`,
  },
  {
    name: 'the v1 copy of a receipt matches the receipt',
    isOfSales: true,
    statement: `
      select s.merchant_id, s.sale_id as subject,
        format('net %s, shown as %s; tax %s, shown as %s', ${sum('net')}, ${shown('net_sales')}, ${sum('tax')}, ${shown('tax')}) as found
      from sales s
      cross join lateral (select s.receipt::jsonb as receipt, s.v1_receipt::jsonb as shown offset 0) r
      where s.v1_receipt is not null and (
        ${shown('gross_sales')} <> ${sum('gross')}
        or ${shown('discount')} <> ${sum('discount')}
        or ${shown('net_sales')} <> ${sum('net')}
        or ${shown('inclusive_tax')} <> ${sum('inclusiveTax')}
        or ${shown('additive_tax')} <> ${sum('additiveTax')}
        or ${shown('tax')} <> ${sum('tax')}
        or ${shown('surcharge')} <> ${sum('surcharge')}
        or (
          select array_agg(array[item ->> 'name', item -> 'total_money' ->> 'amount'] order by place)
          from jsonb_array_elements(r.shown -> 'itemizations') with ordinality shown (item, place)
        ) is distinct from (
          select array_agg(array[item ->> 'name', item ->> 'total'] order by place)
          from jsonb_array_elements(r.receipt -> 'items') with ordinality sold (item, place)
        )
      )`,
  },
  {
    name: 'a copy of a sale that is shown matches its payments and refunds',
    isOfSales: true,
    // Only copies with the current versions of the rows are shown. Copies of version 1 are not: they have other ids (decision 0014).
    statement: `
      select c.merchant_id, c.sale_id as subject,
        format('collected %s, shown as %s; refunded %s, shown as %s', t.collected, c.collected, t.refunded, -c.refunded) as found
      from (
        select merchant_id, sale_id, stamp, copy.shown ->> 'id' as id,
          (copy.shown -> 'total_collected_money' ->> 'amount')::bigint as collected,
          (copy.shown -> 'refunded_money' ->> 'amount')::bigint as refunded
        from sale_copies
        cross join lateral (select v1_json::jsonb as shown offset 0) copy
        where version >= 2
      ) c
      join (
        select s.merchant_id, s.sale_id, ${ID_IN_V1} as id, coalesce(p.collected, 0) as collected,
          coalesce(p.refunded, 0) as refunded, s.xmin::text || coalesce(p.stamps, '') as stamp
        from sales s
        left join (
          select p.merchant_id, p.sale_id, sum(p.total) as collected, sum(r.amount) as refunded,
            string_agg(' ' || p.xmin::text, '' order by p.payment_id) as stamps
          from payments p
          left join (
            select merchant_id, payment_id, sum(amount) as amount
            from refunds
            where status in ('PENDING', 'COMPLETED')
            group by merchant_id, payment_id
          ) r on r.merchant_id = p.merchant_id and r.payment_id = p.payment_id
          where p.captured_at is not null
          group by p.merchant_id, p.sale_id
        ) p on p.merchant_id = s.merchant_id and p.sale_id = s.sale_id
      ) t using (merchant_id, sale_id, stamp)
      where c.id <> t.id or c.collected <> t.collected or -c.refunded <> t.refunded`,
  },
  {
    name: 'the tenders and the paid amount of a sale match its captured payments',
    isOfSales: true,
    statement: `
      select s.merchant_id, s.sale_id as subject,
        format('tenders %s paid %s, captured %s of %s', s.tender_ids, s.paid, t.ids, t.paid) as found
      from sales s
      left join (
        select merchant_id, sale_id, array_agg(payment_id) as ids, sum(amount) as paid
        from payments
        where captured_at is not null
        group by merchant_id, sale_id
      ) t using (merchant_id, sale_id)
      where s.kind <> 'API' and (
        coalesce(t.paid, 0) <> s.paid
        -- In any order. No payment is twice in the first list, so with as many in the second one these are the same.
        or cardinality(coalesce(t.ids, '{}')) <> cardinality(s.tender_ids)
        or not coalesce(t.ids, '{}') <@ s.tender_ids
      )`,
  },
  {
    name: 'a sale is complete if and only if it is paid',
    isOfSales: true,
    statement: `
      select merchant_id, sale_id as subject, format('%s paid %s of %s', state, paid, due) as found
      from sales
      where kind <> 'API' and (
        paid > due
        or (state = 'COMPLETED' and paid <> due)
        or (state = 'OPEN' and paid = due and cardinality(tender_ids) > 0)
        -- A free sale is complete without a tender.
        or (created_at is null) <> (cardinality(tender_ids) = 0 and state <> 'COMPLETED')
      )`,
  },
  {
    name: 'only a sale that one tender paid keeps its own id',
    isOfSales: true,
    statement: `
      select merchant_id, sale_id as subject, format('%s with tenders %s', state, tender_ids) as found
      from sales
      where keeps_own_id is not null
        and (not keeps_own_id or kind <> 'REGISTER' or state <> 'COMPLETED' or cardinality(tender_ids) <> 1)`,
  },
  {
    name: 'only an open sale of a register has lines to edit, and they are those of its receipt',
    isOfSales: true,
    statement: `
      select s.merchant_id, s.sale_id as subject,
        format('%s sale with %s lines, %s in its receipt', s.state, json_array_length(s.open_lines -> 'items'),
          json_array_length(s.receipt -> 'items')) as found
      from sales s
      where s.open_lines is not null and (
        s.state <> 'OPEN'
        or s.kind <> 'REGISTER'
        or json_array_length(s.open_lines -> 'items') <> json_array_length(s.receipt -> 'items')
      )`,
  },
  {
    name: 'a canceled sale has no completed payment',
    isOfSales: true,
    statement: `
      select s.merchant_id, p.payment_id as subject, format('%s, though sale %s is CANCELED', p.status, s.sale_id) as found
      from sales s
      join payments p using (merchant_id, sale_id)
      where s.state = 'CANCELED' and p.status = 'COMPLETED'`,
  },
  {
    name: 'an API sale has the time at which its payment was captured',
    isOfSales: true,
    statement: `
      select s.merchant_id, s.sale_id as subject, format('created %s captured %s', s.created_at, p.captured_at) as found
      from sales s
      join payments p on p.merchant_id = s.merchant_id and p.payment_id = s.sale_id
      where s.kind = 'API' and p.captured_at is distinct from s.created_at`,
  },
  {
    name: 'the drawer event of a tender matches the payment',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject, format('shift %s, %s events', p.drawer_shift_id, e.count) as found
      from payments p
      left join (
        select merchant_id, subject_id as payment_id, count(*) as count, min(kind) as kind, min(amount) as amount,
          (array_agg(shift_id))[1] as shift_id
        from cash_drawer_events
        where subject_id is not null and kind like '%\\_TENDER\\_PAYMENT'
        group by merchant_id, subject_id
      ) e using (merchant_id, payment_id)
      where case
        when p.drawer_shift_id is null then e.count is not null
        else (e.count, e.kind, e.shift_id, e.amount) is distinct from (
          1::bigint, p.source_type || '_TENDER_PAYMENT', p.drawer_shift_id,
          case p.source_type when 'CASH' then p.total else 0 end
        )
      end`,
  },
  {
    name: 'a canceled tender has one drawer event, in the shift that took it',
    isOfSales: true,
    statement: `
      select e.merchant_id, p.payment_id as subject,
        format('%s events of %s, taken in shift %s', count(*), sum(e.amount), p.drawer_shift_id) as found
      from cash_drawer_events e
      join payments p on p.merchant_id = e.merchant_id and p.payment_id = e.subject_id
      where e.kind in ('CASH_TENDER_CANCELLED_PAYMENT', 'OTHER_TENDER_CANCELLED_PAYMENT')
      group by e.merchant_id, p.payment_id, p.drawer_shift_id, p.source_type, p.total
      having count(*) <> 1
        or bool_or(e.shift_id is distinct from p.drawer_shift_id)
        or bool_or(e.kind <> p.source_type || '_TENDER_CANCELLED_PAYMENT')
        or sum(e.amount) <> case p.source_type when 'CASH' then p.total else 0 end`,
  },
  {
    name: 'a drawer event of a tender refers to an existing payment',
    isOfSales: true,
    statement: `
      select e.merchant_id, e.event_id::text as subject, format('%s of %s', e.kind, e.subject_id) as found
      from cash_drawer_events e
      left join payments p on p.merchant_id = e.merchant_id and p.payment_id = e.subject_id
      where e.subject_id is not null and e.kind like '%\\_PAYMENT' and p.payment_id is null`,
  },
];
