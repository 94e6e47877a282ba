/** The laws of online orders: each names every row that breaks it. */
import type { Law } from './law.js';

/** Every way that an order can have gone, and where it then stands. */
const WAYS = `
  ('{ORDER_PLACED}'::text[], 'PENDING'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED}', 'OPEN'),
  ('{ORDER_PLACED,DECLINED}', 'REJECTED'),
  ('{ORDER_PLACED,EXPIRED}', 'CANCELED'),
  ('{ORDER_PLACED,CANCELED}', 'CANCELED'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED,CANCELED}', 'CANCELED'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED,COMPLETED}', 'COMPLETED'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED,REFUNDED}', 'REFUNDED'),
  ('{ORDER_PLACED,PAYMENT_RECEIVED,COMPLETED,REFUNDED}', 'REFUNDED')`;

/** Orders with what their history says, and the one payment that was tried for each. */
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
    name: 'an order is in the state that its history led to',
    statement: `
      select o.merchant_id, o.order_id as subject, format('%s after %s', o.state, h.actions) as found
      from ${ORDERS}
      where (h.actions, o.state) not in (values ${WAYS})`,
  },
  {
    name: 'an order was paid exactly what it comes to, or not at all, and its sale and its history say so',
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
    // A refund that failed blocks all further ones (decision 0029): that money stays, and nobody can help it.
    name: 'of an order that was cancelled or refunded nothing is left with the merchant',
    statement: `
      select o.merchant_id, o.order_id as subject,
        format('%s with %s of %s given back', o.state, p.refunded + p.exchanged, p.total) as found
      from ${ORDERS}
      where o.state in ('CANCELED', 'REFUNDED') and p.status = 'COMPLETED' and not p.refunds_blocked
        and p.refunded + p.exchanged < p.total`,
  },
  {
    name: 'an order that waits for its payment will expire',
    statement: `
      select o.merchant_id, o.order_id as subject, format('due %s, expires %s', d.due_at, o.expires_at) as found
      from orders o
      left join due_work d
        on d.merchant_id = o.merchant_id and d.kind = 'EXPIRE_ORDER' and d.subject_id = o.order_id
      where o.state = 'PENDING' and d.due_at is distinct from o.expires_at`,
  },
];
