/** The laws of sales: what a receipt comes to, and the tenders that paid it. */
import type { Law } from './law.js';

/** The amount of one of a receipt's sums. */
const sum = (name: string): string => `(s.receipt -> '${name}_money' ->> 'amount')::bigint`;

export const SALE_LAWS: readonly Law[] = [
  {
    name: 'the sums of a receipt add up, and to what is due',
    statement: `
      select s.merchant_id, s.sale_id as subject,
        format('due %s, gross %s, net %s, items %s', s.due, ${sum('gross_sales')}, ${sum('net_sales')}, items.gross) as found
      from sales s,
        lateral (
          select coalesce(sum((item -> 'gross_sales_money' ->> 'amount')::bigint), 0) as gross,
            coalesce(sum((item -> 'net_sales_money' ->> 'amount')::bigint), 0) as net
          from json_array_elements(s.receipt -> 'itemizations') item
        ) items
      where s.receipt is not null and (
        ${sum('gross_sales')} <> items.gross or ${sum('net_sales')} <> items.net
        or ${sum('net_sales')} <> ${sum('gross_sales')} + ${sum('discount')}
        or ${sum('tax')} <> ${sum('inclusive_tax')} + ${sum('additive_tax')}
        or s.due <> ${sum('net_sales')} + ${sum('additive_tax')} + ${sum('surcharge')}
      )`,
  },
  {
    name: 'what was paid of a sale is what its tenders come to, and it lists exactly these',
    statement: `
      select s.merchant_id, s.sale_id as subject,
        format('paid %s, tenders %s, lists %s, has %s', s.paid, t.sum, s.tender_ids, t.ids) as found
      from sales s,
        lateral (
          select coalesce(sum(amount), 0) as sum, coalesce(array_agg(payment_id order by payment_id), '{}') as ids
          from payments p
          where p.merchant_id = s.merchant_id and p.sale_id = s.sale_id and p.captured_at is not null
        ) t
      where s.receipt is not null and (
        s.paid <> t.sum
        or (select coalesce(array_agg(id order by id), '{}') from unnest(s.tender_ids) id) <> t.ids
      )`,
  },
];
