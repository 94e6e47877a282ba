/** Laws of payments, their movements, and due work. */
import type { Law } from './law.js';

/**
 * Refunds by each payment that counts them: the one that is refunded, and, if returned goods paid it, the one of an earlier sale whose money
 * goes back. That one has counted the amount as exchanged until then.
 */
const GIVEN_BACK = `(
  select merchant_id, payment_id, refund_id, status, origin, amount, app_fee, false as is_through
  from refunds
  union all
  select merchant_id, returned_to, refund_id, status, origin, amount, app_fee, true
  from refunds
  where returned_to is not null
)`;

export const PAYMENT_LAWS: readonly Law[] = [
  {
    name: 'pending and completed refunds match the reserved sums of their payment and never exceed its total',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject,
        format('refunded %s and exchanged %s, refunds %s and exchanges %s, total %s', p.refunded, p.exchanged, r.money,
          r.goods, p.total) as found
      from payments p
      left join (
        select merchant_id, payment_id, sum(amount) filter (where origin in ('API', 'REGISTER')) as money,
          sum(amount * case when is_through then -1 else 1 end) filter (where origin = 'EXCHANGE' or is_through) as goods
        from ${GIVEN_BACK} given
        where status in ('PENDING', 'COMPLETED')
        group by merchant_id, payment_id
      ) r using (merchant_id, payment_id)
      where p.refunded <> coalesce(r.money, 0) or p.exchanged <> coalesce(r.goods, 0)
        or p.refunded + p.exchanged > p.total or p.refunded < 0 or p.exchanged < 0`,
  },
  {
    name: 'a payment lists exactly its API and register refunds',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject, format('lists %s, has %s', p.refund_ids, r.ids) as found
      from payments p
      left join (
        select merchant_id, payment_id, array_agg(refund_id order by refund_id) as ids
        from ${GIVEN_BACK} given
        where origin in ('API', 'REGISTER')
        group by merchant_id, payment_id
      ) r using (merchant_id, payment_id)
      where (select coalesce(array_agg(id order by id), '{}') from unnest(p.refund_ids) id) <> coalesce(r.ids, '{}')`,
  },
  {
    name: 'the returned amount of a payment matches its completed refunds and movements, and never exceeds its total',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject,
        format('returned %s, refunds %s, movements %s, total %s', p.returned, r.sum, m.sum, p.total) as found
      from payments p
      left join (
        select merchant_id, payment_id, -sum(amount) as sum
        from movements
        where kind in ('REFUND', 'REVERSAL')
        group by merchant_id, payment_id
      ) m using (merchant_id, payment_id)
      left join (
        select merchant_id, payment_id, sum(amount) as sum
        from ${GIVEN_BACK} given
        where status = 'COMPLETED' and origin <> 'EXCHANGE'
        group by merchant_id, payment_id
      ) r using (merchant_id, payment_id)
      where p.returned <> coalesce(r.sum, 0) or p.returned > p.total
        or coalesce(m.sum, 0) <> case p.source_type when 'CARD' then p.returned else 0 end`,
  },
  {
    name: 'a captured card payment has one charge of its total and fees, and other payments have no movements',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject,
        format('%s charges of %s with fees %s, captured %s', coalesce(m.charges, 0), m.amount, m.fee, p.captured_at) as found
      from payments p
      left join (
        select merchant_id, payment_id, count(*) filter (where kind = 'CHARGE') as charges,
          sum(amount) filter (where kind = 'CHARGE') as amount, sum(fee) filter (where kind = 'CHARGE') as fee,
          count(*) as movements
        from movements
        group by merchant_id, payment_id
      ) m using (merchant_id, payment_id)
      where case
        when p.captured_at is null or p.source_type <> 'CARD' then coalesce(m.movements, 0) <> 0
        else coalesce(m.charges, 0) <> 1 or m.amount <> p.total or m.fee <> -(p.fee + coalesce(p.app_fee, 0))
      end`,
  },
  {
    name: 'a movement has the merchant, location and currency of its payment',
    isOfSales: true,
    statement: `
      select m.merchant_id, m.movement_id as subject, format('payment %s', m.payment_id) as found
      from movements m
      left join payments p using (merchant_id, payment_id)
      where m.kind not in ('ADJUSTMENT', 'RETURNED_PAYOUT')
        and (p.payment_id is null or p.location_id <> m.location_id or p.currency <> m.currency)`,
  },
  {
    name: "a reversed payment shows the returned part of the processor's fee, and other payments show none",
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject, format('shows %s of %s', p.reversed_fee, r.sum) as found
      from payments p
      left join (
        select merchant_id, payment_id, sum(returned_fee) as sum
        from refunds
        where origin = 'REVERSAL' and source_type = 'CARD'
        group by merchant_id, payment_id
      ) r using (merchant_id, payment_id)
      where p.reversed_fee <> coalesce(r.sum, 0)`,
  },
  {
    name: 'returned fees never exceed the charged fees',
    isOfSales: true,
    statement: `
      select merchant_id, payment_id as subject, format('fees sum up to %s', sum(fee)) as found
      from movements
      group by merchant_id, payment_id
      having sum(fee) > 0`,
  },
  {
    name: 'a completed card refund has one movement of its kind and amount, and others none, or two of one amount',
    isOfSales: true,
    statement: `
      select r.merchant_id, r.refund_id as subject,
        format('%s %s with %s movements of %s', r.status, r.origin, coalesce(m.count, 0), m.sum) as found
      from refunds r
      left join (
        select merchant_id, refund_id, count(*) as count, sum(amount) as sum, min(kind) as kind
        from movements
        where refund_id is not null
        group by merchant_id, refund_id
      ) m using (merchant_id, refund_id)
      where case
        when r.status = 'COMPLETED' and r.source_type = 'CARD' and r.origin <> 'EXCHANGE' then
          coalesce(m.count, 0) <> 1 or m.sum <> -r.amount
          or m.kind <> case r.origin when 'REVERSAL' then 'REVERSAL' else 'REFUND' end
        when r.status = 'FAILED' and m.count = 2 then m.sum <> 0
        else coalesce(m.count, 0) <> 0
      end`,
  },
  {
    name: 'after a completed refund has failed, the returned fees are the share of the amount that stays returned',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject,
        format('%s of %s returned, with %s of the fee %s and %s of applications', p.returned, p.total, m.fee, p.fee, r.app_fee)
          as found
      from payments p
      join (
        select merchant_id, payment_id, sum(fee) as fee
        from movements
        where kind in ('REFUND', 'REVERSAL')
        group by merchant_id, payment_id
        having bool_or(kind = 'REFUND' and amount > 0)
      ) m using (merchant_id, payment_id)
      join (
        select merchant_id, payment_id,
          coalesce(sum(app_fee) filter (where status = 'COMPLETED' and origin <> 'EXCHANGE'), 0) as app_fee
        from ${GIVEN_BACK} given
        group by merchant_id, payment_id
      ) r using (merchant_id, payment_id)
      where m.fee <> round(p.fee::numeric * p.returned / p.total) + r.app_fee`,
  },
  {
    // Of copies that name their printer, whichever it is. Nobody reads a payment without an outcome, so it needs none.
    name: 'a stored copy of the v2 JSON of a payment has the values of the payment',
    isOfSales: true,
    statement: `
      select merchant_id, payment_id as subject, format('copy %s', v2_json) as found
      from payments
      -- Once, and not for each condition.
      cross join lateral (select (v2_json || '}')::jsonb as copy offset 0) as parsed
      where v2_json_version = 2 and source_type = 'CARD' and status <> 'PENDING'
        and (
          copy is null
          or not copy @> details::jsonb
          or not copy -> 'card_details' @> coalesce(card_details, '{}')::jsonb
          or not copy @> jsonb_build_object(
            'id', payment_id, 'status', status, 'location_id', location_id,
            'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'updated_at', to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'amount_money', jsonb_build_object('amount', amount, 'currency', currency),
            'total_money', jsonb_build_object('amount', total, 'currency', currency),
            'delay_duration', coalesce(delay_duration, 'PT168H'), 'delay_action', coalesce(delay_action, 'CANCEL')
          )
          or coalesce((copy #>> '{tip_money,amount}')::bigint, 0) <> coalesce(tip, 0)
          or coalesce((copy #>> '{app_fee_money,amount}')::bigint, 0) <> coalesce(app_fee, 0)
          or coalesce((copy #>> '{refunded_money,amount}')::bigint, 0) <> refunded
          or coalesce((copy #>> '{processing_fee,0,amount_money,amount}')::bigint, 0) <> coalesce(fee, 0)
          or coalesce((copy #>> '{processing_fee,1,amount_money,amount}')::bigint, 0) <> -reversed_fee
          or coalesce(copy -> 'refund_ids', '[]') <> to_jsonb(refund_ids)
          or copy ->> 'employee_id' is distinct from employee_id::text
          or exists (
            select from unnest(array[
              'buyer_email_address', 'billing_address', 'shipping_address', 'customer_id', 'note', 'reference_id',
              'statement_description_identifier'
            ]) as field
            where copy ? field and not details::jsonb ? field
          )
        )`,
  },
  {
    name: 'payments and refunds are never updated before they are created',
    isOfSales: true,
    statement: `
      select merchant_id, payment_id as subject, format('created %s, updated %s', created_at, updated_at) as found
      from payments
      where updated_at < created_at
      union all
      select merchant_id, refund_id, format('created %s, updated %s', created_at, updated_at)
      from refunds
      where updated_at < created_at`,
  },
  {
    name: 'times, fees and totals of a payment match its status',
    isOfSales: true,
    statement: `
      select merchant_id, payment_id as subject, format('%s captured %s fee %s', status, captured_at, fee) as found
      from payments
      where total <> amount + coalesce(tip, 0)
        or (captured_at is null) <> (fee is null)
        or (status = 'COMPLETED' and captured_at is null)
        or (status in ('PENDING', 'APPROVED', 'FAILED') and captured_at is not null)
        or (status = 'APPROVED') <> (delayed_until is not null)
        or (delayed_until at time zone 'UTC') <> (created_at at time zone 'UTC') + coalesce(delay_duration, 'PT168H')::interval
        or (status = 'FAILED') <> (errors is not null)
        or (status = 'CANCELED' and captured_at is not null and total <> returned + exchanged + (
          select coalesce(sum(r.amount), 0)
          from ${GIVEN_BACK} r
          where r.merchant_id = payments.merchant_id and r.payment_id = payments.payment_id and r.status = 'PENDING'
        ))
        or (status not in ('COMPLETED', 'CANCELED') and (refunded <> 0 or returned <> 0))`,
  },
  {
    name: 'an idempotency key refers to an existing payment or refund, which has no other key',
    isOfSales: true,
    statement: `
      select k.merchant_id, k.key as subject, format('%s created %s', k.operation, k.made_id) as found
      from idempotency_keys k
      left join payments p on p.merchant_id = k.merchant_id and p.payment_id = k.made_id
      left join refunds r on r.merchant_id = k.merchant_id and r.refund_id = k.made_id
      -- A released key is only a trace, also of a payment that was never attempted.
      where (k.operation = 'createPayment' and p.payment_id is null)
        or (k.operation in ('refundPayment', 'createRefund', 'refundSale') and r.refund_id is null)
      union all
      select merchant_id, made_id, format('%s keys', count(*))
      from idempotency_keys
      group by merchant_id, operation, made_id
      having count(*) > 1`,
  },
  {
    name: 'a captured payment has a sale of its kind, and a sale with an amount due has a payment',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject, format('captured, sale %s of kind %s', s.sale_id, s.kind) as found
      from payments p
      left join sales s using (merchant_id, sale_id)
      where p.captured_at is not null and (
        s.sale_id is null or s.location_id <> p.location_id or s.kind <> p.channel
      )
      union all
      select s.merchant_id, s.sale_id, 'a sale without a payment'
      from sales s
      where s.state = 'COMPLETED' and (s.kind = 'API' or s.due > 0)
        and not exists (select from payments p where p.merchant_id = s.merchant_id and p.sale_id = s.sale_id)`,
  },
  {
    name: 'approved and pending payments and pending refunds have scheduled work, and no other record has',
    statement: `
      select p.merchant_id, p.payment_id as subject, 'approved, but no due work' as found
      from payments p
      where p.status = 'APPROVED' and not exists (
        select from due_work d
        where d.merchant_id = p.merchant_id and d.kind = 'EXPIRE_PAYMENT' and d.subject_id = p.payment_id
      )
      union all
      select r.merchant_id, r.refund_id, 'pending, but no due work'
      from refunds r
      where r.status = 'PENDING' and not exists (
        select from due_work d
        where d.merchant_id = r.merchant_id and d.kind = 'FINISH_REFUND' and d.subject_id = r.refund_id
      )
      union all
      select c.merchant_id, c.payment_id, 'pending, but no processor call'
      from payments c
      where c.status = 'PENDING' and not exists (
        select from processor_calls k where k.merchant_id = c.merchant_id and k.payment_id = c.payment_id
      )
      union all
      select d.merchant_id, d.subject_id, format('due work %s does not match the subject', d.kind)
      from due_work d
      left join payments p on p.merchant_id = d.merchant_id and p.payment_id = d.subject_id
      left join refunds r on r.merchant_id = d.merchant_id and r.refund_id = d.subject_id
      left join movements m on m.merchant_id = d.merchant_id and m.movement_id = d.subject_id
      left join locations l on l.merchant_id = d.merchant_id and l.location_id = d.subject_id
      left join orders o on o.merchant_id = d.merchant_id and o.order_id = d.subject_id
      where coalesce(
        case d.kind
          when 'EXPIRE_PAYMENT' then p.status <> 'APPROVED'
          when 'FINISH_REFUND' then r.status <> 'PENDING'
          when 'SEND_VOID' then p.status <> 'CANCELED' or p.captured_at is not null
          when 'SEND_REVERSAL' then m.kind <> 'REVERSAL'
          when 'CLOSE_DAY' then l.location_id is null
          when 'ROLL_UP_DAYS' then d.subject_id <> d.merchant_id
          when 'EXPIRE_ORDER' then o.state <> 'PENDING'
        end,
        true
      )
      union all
      select k.merchant_id, k.payment_id, format('processor call %s of a payment in status %s', k.action, p.status)
      from processor_calls k
      left join payments p using (merchant_id, payment_id)
      where p.status is distinct from case k.action when 'CREATE' then 'PENDING' else 'APPROVED' end`,
  },
  {
    name: 'the processors of a merchant and of its payments exist',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject, format('processor %s', p.processor_id) as found
      from payments p
      left join merchant_processors o using (merchant_id, processor_id)
      where p.processor_id is not null and (o.processor_id is null or p.source_type <> 'CARD')
      union all
      select m.merchant_id, m.merchant_id, format('processor %s', m.processor_id)
      from merchants m
      left join merchant_processors o using (merchant_id, processor_id)
      where m.processor_id is not null and o.processor_id is null`,
  },
];
