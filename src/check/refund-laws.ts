/** Laws of refunds: refunds of several tenders, their breakdowns, and their drawer events. */
import type { Law } from './law.js';

/**
 * `money` is an amount in a breakdown, `lines` the sum of a list of lines, optionally only taxes of one inclusion type.
 */
const money = (name: string): string => `coalesce((r.breakdown ->> '${name}')::bigint, 0)`;
const lines = (name: string, inclusion?: string): string => `(
  select coalesce(sum((line ->> 'applied')::bigint), 0)
  from json_array_elements(r.breakdown -> '${name}') line
  ${inclusion === undefined ? '' : `where line ->> 'inclusion' = '${inclusion}'`}
)`;

const IS_ACTIVE = `r.status in ('PENDING', 'COMPLETED')`;

/** Whether a refund names the items that were returned. */
const BY_ITEM = `(r.breakdown -> 'items') is not null`;

export const REFUND_LAWS: readonly Law[] = [
  {
    // The leader of an exchange also leads the refunds of the part of its value that went back as money, from the same tenders or others.
    name: 'the leader of a refund is a refund of another tender of the same sale, created with it',
    isOfSales: true,
    statement: `
      select r.merchant_id, r.refund_id as subject, format('led by %s', r.leader_id) as found
      from refunds r
      join payments p using (merchant_id, payment_id)
      left join refunds leader on leader.merchant_id = r.merchant_id and leader.refund_id = r.leader_id
      left join payments led on led.merchant_id = leader.merchant_id and led.payment_id = leader.payment_id
      where r.leader_id is not null and not coalesce(
        leader.leader_id is null and led.sale_id = p.sale_id
        and (led.payment_id <> p.payment_id or leader.origin = 'EXCHANGE' and r.origin = 'REGISTER'
          or r.exchange_ids <> leader.exchange_ids)
        and (leader.origin = r.origin or leader.origin = 'EXCHANGE' and r.origin = 'REGISTER')
        and (leader.created_at, leader.type) = (r.created_at, r.type),
        false
      )`,
  },
  {
    name: 'the idempotency key of a v1 refund contains the id of its sale',
    isOfSales: true,
    statement: `
      select k.merchant_id, k.made_id as subject, format('sale %s, key %s', p.sale_id, k.key) as found
      from idempotency_keys k
      join refunds r on r.merchant_id = k.merchant_id and r.refund_id = k.made_id
      join payments p on p.merchant_id = r.merchant_id and p.payment_id = r.payment_id
      where k.operation = 'createRefund' and split_part(k.key, ':', 1) <> p.sale_id`,
  },
  {
    // At the same instant, either may have been first. A canceled sale that a register sends late is exempt: its reversal has happened.
    name: 'no money or goods go back for a disputed card, unless the owner overruled that dispute',
    isOfSales: true,
    statement: `
      select r.merchant_id, r.refund_id as subject,
        format('%s %s of %s during dispute %s, overruled %s', r.status, r.origin, r.created_at, h.hold_id,
          r.overruled_dispute_id) as found
      from holds h
      join refunds r on r.merchant_id = h.merchant_id and coalesce(r.returned_to, r.payment_id) = h.payment_id
      join payments p on p.merchant_id = r.merchant_id and p.payment_id = r.payment_id
      where r.status = 'COMPLETED' and r.source_type = 'CARD' and r.created_at > h.placed_at
        and (h.released_at is null or r.updated_at < h.released_at)
        and (r.origin <> 'REVERSAL' or p.channel = 'API')
        and r.overruled_dispute_id is distinct from h.hold_id`,
  },
  {
    name: 'a tender that returned goods pay is worth their exchanges, or nothing if its sale was canceled',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject, format('%s of %s, exchanges of %s', p.status, p.total, e.sum) as found
      from payments p
      left join (
        select merchant_id, coalesce(leader_id, refund_id) as lead_id, sum(amount) filter (where status = 'COMPLETED') as sum
        from refunds
        where origin = 'EXCHANGE'
        group by merchant_id, coalesce(leader_id, refund_id)
      ) e on e.merchant_id = p.merchant_id and e.lead_id = p.register_tender_id
      where p.is_exchange and coalesce(e.sum, 0) <> case p.status when 'COMPLETED' then p.total else 0 end`,
  },
  {
    name: 'money for returned goods goes back through the exchanges that paid, to what was paid for the goods, and once',
    isOfSales: true,
    statement: `
      select r.merchant_id, r.refund_id as subject, format('of %s to %s through %s', r.payment_id, r.returned_to, r.exchange_ids) as found
      from refunds r
      join payments p using (merchant_id, payment_id)
      left join payments payer on payer.merchant_id = r.merchant_id and payer.payment_id = r.returned_to
      left join refunds first on first.merchant_id = r.merchant_id and first.refund_id = r.exchange_ids[1]
      left join refunds last on last.merchant_id = r.merchant_id
        and last.refund_id = r.exchange_ids[cardinality(r.exchange_ids)]
      where (r.returned_to is not null or r.exchange_ids is not null) and not coalesce(
        p.is_exchange and not payer.is_exchange and r.origin in ('API', 'REGISTER') and r.source_type = payer.source_type
          and coalesce(first.leader_id, first.refund_id) = p.register_tender_id
          and last.payment_id = r.returned_to and (first.origin, last.origin) = ('EXCHANGE', 'EXCHANGE'),
        false
      )
      union all
      select r.merchant_id, id, format('%s of %s went back', sum(r.amount), min(e.amount))
      from refunds r
      cross join lateral unnest(r.exchange_ids) as id
      join refunds e on e.merchant_id = r.merchant_id and e.refund_id = id
      where ${IS_ACTIVE}
      group by r.merchant_id, id
      having sum(r.amount) > min(e.amount) or bool_or(e.status <> 'COMPLETED')`,
  },
  {
    name: 'the lines of a refund add up to its sums',
    isOfSales: true,
    statement: `
      select r.merchant_id, r.refund_id as subject, r.breakdown::text as found
      from refunds r
      where r.breakdown is not null and (
        ${money('tax')} <> ${money('additiveTax')} + ${money('inclusiveTax')}
        or ${money('additiveTax')} <> ${lines('taxes', 'ADDITIVE')}
        or ${money('inclusiveTax')} <> ${lines('taxes', 'INCLUSIVE')}
        or ${money('surcharge')} <> ${lines('surcharges')}
      )`,
  },
  {
    // The tip of each refund is computed from the refunds before it. A failed refund, or an exchange that was undone, leaves a gap, so such
    // payments are exempt. Items have no tip, so what was returned by item does not count.
    name: 'the refunded tip is proportional to the refunded amount',
    isOfSales: true,
    statement: `
      select p.merchant_id, p.payment_id as subject,
        format('%s of %s refunded, with %s of the tip %s', r.given, p.total - r.items, -r.tip, p.tip) as found
      from payments p
      join (
        select merchant_id, payment_id, sum(amount) filter (where ${IS_ACTIVE} and not ${BY_ITEM}) as given,
          coalesce(sum(amount) filter (where ${IS_ACTIVE} and ${BY_ITEM}), 0) as items,
          sum(${money('tip')}) filter (where ${IS_ACTIVE}) as tip, bool_or(status = 'FAILED') as has_gap
        from refunds r
        group by merchant_id, payment_id
      ) r using (merchant_id, payment_id)
      where not p.refunds_blocked and not r.has_gap and -r.tip <> coalesce(
        round(coalesce(p.tip, 0)::numeric * r.given / nullif(p.total - r.items, 0)), 0
      )`,
  },
  {
    name: 'the items of a refund add up to its records',
    isOfSales: true,
    statement: `
      select r.merchant_id, r.refund_id as subject, format('items of %s in records of %s', i.sum, r.amount + f.sum) as found
      from refunds r
      cross join lateral (
        select sum((item ->> 'amount')::bigint) as sum
        from json_array_elements(r.breakdown -> 'items') item
      ) i
      cross join lateral (
        select coalesce(sum(f.amount), 0) as sum, bool_and(json_array_length(f.breakdown -> 'items') = 0) as led
        from refunds f
        where f.merchant_id = r.merchant_id and f.leader_id = r.refund_id
      ) f
      where ${BY_ITEM} and r.leader_id is null
        and (i.sum is distinct from r.amount + f.sum or f.led is false)`,
  },
  {
    name: 'no more of an item is refunded than was sold',
    isOfSales: true,
    statement: `
      select s.merchant_id, s.sale_id as subject, format('%s of item %s', given.quantity, given.line) as found
      from (
        select p.merchant_id, p.sale_id, (item ->> 'line')::int as line, sum((item ->> 'quantity')::bigint) as quantity
        from refunds r
        join payments p using (merchant_id, payment_id)
        cross join lateral json_array_elements(r.breakdown -> 'items') item
        where ${BY_ITEM} and ${IS_ACTIVE}
        group by p.merchant_id, p.sale_id, (item ->> 'line')::int
      ) given
      join sales s using (merchant_id, sale_id)
      where given.quantity > coalesce((s.receipt -> 'items' -> given.line ->> 'quantity')::bigint, 0)`,
  },
  {
    // Of a free sale only the tip goes back. Nothing was paid for its goods, so no part of their discount is returned.
    name: 'the refunds of a fully refunded sale contain all its taxes, discounts and surcharges',
    isOfSales: true,
    // The tenders of a sale are found one by one.
    readsAllOf: ['payments'],
    statement: `
      select s.merchant_id, s.sale_id as subject,
        format('tax %s, discount %s, surcharge %s', given.tax, given.discount, given.surcharge) as found
      from (
        select p.merchant_id, p.sale_id, bool_or(r.status = 'FAILED') as has_gap,
          sum(r.amount) filter (where ${IS_ACTIVE}) as amount,
          sum(${money('tax')}) filter (where ${IS_ACTIVE}) as tax,
          sum(${money('discount')}) filter (where ${IS_ACTIVE}) as discount,
          sum(${money('surcharge')}) filter (where ${IS_ACTIVE}) as surcharge
        from refunds r
        join payments p using (merchant_id, payment_id)
        group by p.merchant_id, p.sale_id
      ) given
      join sales s using (merchant_id, sale_id)
      join lateral (
        select bool_or(refunds_blocked) as blocked, sum(total) as total
        from payments p
        where p.merchant_id = s.merchant_id and p.payment_id = any (s.tender_ids)
      ) paid on true
      where s.kind <> 'API' and s.state = 'COMPLETED' and not paid.blocked and not given.has_gap and given.amount = paid.total
        and (given.tax, given.discount, given.surcharge) is distinct from (
          -(s.receipt ->> 'tax')::numeric,
          case when s.due > 0 then -(s.receipt ->> 'discount')::numeric else 0 end,
          -(s.receipt ->> 'surcharge')::numeric
        )`,
  },
  {
    name: 'a refund has at most one drawer event, with the amount of its cash',
    isOfSales: true,
    statement: `
      select e.merchant_id, e.subject_id as subject, format('%s events of %s', count(*), sum(e.amount)) as found
      from cash_drawer_events e
      left join refunds r on r.merchant_id = e.merchant_id and r.refund_id = e.subject_id
      where e.kind in ('CASH_TENDER_REFUND', 'OTHER_TENDER_REFUND') and e.subject_id is not null
      group by e.merchant_id, e.subject_id
      having count(*) <> 1 or not coalesce(bool_and(case r.source_type
        when 'CASH' then e.kind = 'CASH_TENDER_REFUND' and e.amount = r.amount
        when 'OTHER' then e.kind = 'OTHER_TENDER_REFUND' and e.amount = 0
        else false
      end), false)`,
  },
];
