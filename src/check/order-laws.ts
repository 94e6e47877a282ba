/** Laws of online orders. */
import type { Law } from './law.js';

/** Every possible history of an order, with the state that it leads to. */
const HISTORIES = `
  ('{ORDER_PLACED}'::text[], 'PENDING'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED}', 'OPEN'),
  ('{ORDER_PLACED,DECLINED}', 'REJECTED'),
  ('{ORDER_PLACED,EXPIRED}', 'CANCELED'),
  ('{ORDER_PLACED,CANCELED}', 'CANCELED'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED,CANCELED}', 'CANCELED'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED,COMPLETED}', 'COMPLETED'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED,REFUNDED}', 'REFUNDED'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED,COMPLETED,REFUNDED}', 'REFUNDED')`;

/** Orders with the actions of their history, their sale, and their single payment. */
const ORDERS = `
  orders o
  cross join lateral (
    select array_agg(entry ->> 'action' order by place) as actions
    from jsonb_array_elements(o.history) with ordinality as h (entry, place)
  ) h
  left join sales s on s.merchant_id = o.merchant_id and s.sale_id = o.sale_id
  left join payments p on p.merchant_id = o.merchant_id and p.sale_id = o.sale_id`;

export const ORDER_LAWS: readonly Law[] = [
  {
    name: 'the state of an order matches its history',
    isOfSales: true,
    statement: `
      select o.merchant_id, o.order_id as subject, format('%s after %s', o.state, h.actions) as found
      from ${ORDERS}
      where (h.actions, o.state) not in (values ${HISTORIES})`,
  },
  {
    name: 'an order is paid in full or not at all, and its sale and history match',
    isOfSales: true,
    statement: `
      select o.merchant_id, o.order_id as subject,
        format('%s of %s: payment %s of %s, sale %s of %s', o.state, o.total, p.status, p.amount, s.state, s.due) as found
      from ${ORDERS}
      where
        s.sale_id is null or s.kind <> 'ONLINE_STORE' or s.due <> o.total or s.location_id <> o.location_id
        or ('PAYMENT_RECEIVED' = any (h.actions)) <> (p.captured_at is not null)
        or ('DECLINED' = any (h.actions)) <> coalesce(p.status = 'FAILED', false)
        or p.total <> o.total
        or s.state <> case
          when p.captured_at is not null then 'COMPLETED'
          when o.state = 'PENDING' then 'OPEN'
          else 'CANCELED'
        end`,
  },
  {
    // After a failed refund nothing more may be refunded (decision 0029), or nothing until a dispute ends (decision 0225).
    name: 'a canceled or refunded order is refunded in full',
    isOfSales: true,
    statement: `
      select o.merchant_id, o.order_id as subject,
        format('%s with %s of %s refunded', o.state, p.refunded + p.exchanged, p.total) as found
      from ${ORDERS}
      where o.state in ('CANCELED', 'REFUNDED') and p.status = 'COMPLETED' and not p.refunds_blocked
        and p.refunded + p.exchanged < p.total
        and not exists (
          select from refunds r
          where r.merchant_id = p.merchant_id and r.payment_id = p.payment_id and r.status = 'FAILED'
        )`,
  },
  {
    name: 'a pending order has due work that expires it',
    statement: `
      select o.merchant_id, o.order_id as subject, format('due %s, expires %s', d.due_at, o.expires_at) as found
      from orders o
      left join due_work d
        on d.merchant_id = o.merchant_id and d.kind = 'EXPIRE_ORDER' and d.subject_id = o.order_id
      where o.state = 'PENDING' and d.due_at is distinct from o.expires_at`,
  },
];
