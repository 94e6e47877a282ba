/** The laws of what refunds are made of: over several tenders, over the lines of a sale, and out of a drawer. */
import type { Law } from './law.js';

/** The amount under a name of a breakdown, and the sum of the lines under one; of the taxes, only those of one kind. */
const money = (name: string): string => `coalesce((r.breakdown ->> '${name}')::bigint, 0)`;
const lines = (name: string, inclusion?: string): string => `(
  select coalesce(sum((line ->> 'applied')::bigint), 0)
  from json_array_elements(r.breakdown -> '${name}') line
  ${inclusion === undefined ? '' : `where line ->> 'inclusion' = '${inclusion}'`}
)`;

const COUNTS = `r.status in ('PENDING', 'COMPLETED')`;

export const REFUND_LAWS: readonly Law[] = [
  {
    name: 'a refund over several tenders has one leader, which is of another tender of the same sale and made with it',
    statement: `
      select r.merchant_id, r.refund_id as subject, format('led by %s', r.leader_id) as found
      from refunds r
      join payments p using (merchant_id, payment_id)
      left join refunds leader on leader.merchant_id = r.merchant_id and leader.refund_id = r.leader_id
      left join payments led on led.merchant_id = leader.merchant_id and led.payment_id = leader.payment_id
      where r.leader_id is not null and not coalesce(
        leader.leader_id is null and led.sale_id = p.sale_id and led.payment_id <> p.payment_id
        and (leader.created_at, leader.origin, leader.type) = (r.created_at, r.origin, r.type),
        false
      )`,
  },
  {
    name: 'the key of a v1 refund is kept with the sale that it gave back of',
    statement: `
      select k.merchant_id, k.made_id as subject, format('sale %s, key %s', p.sale_id, k.key) as found
      from idempotency_keys k
      join refunds r on r.merchant_id = k.merchant_id and r.refund_id = k.made_id
      join payments p on p.merchant_id = r.merchant_id and p.payment_id = r.payment_id
      where k.operation = 'createRefund' and split_part(k.key, ':', 1) <> p.sale_id`,
  },
  {
    name: 'the lines of a refund add up to its sums',
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
    // After a refund that failed the stretches of the others no longer lie end to end.
    name: 'the tips that refunds give back are the share of what they give back',
    statement: `
      select p.merchant_id, p.payment_id as subject,
        format('%s of %s went back, with %s of the tip %s', r.given, p.total, -r.tip, p.tip) as found
      from payments p
      join (
        select merchant_id, payment_id, sum(amount) as given, sum(${money('tip')}) as tip
        from refunds r
        where ${COUNTS}
        group by merchant_id, payment_id
      ) r using (merchant_id, payment_id)
      where not p.refunds_blocked and -r.tip <> round(coalesce(p.tip, 0)::numeric * r.given / p.total)`,
  },
  {
    name: 'the refunds of all of a sale give back all of its lines',
    statement: `
      select s.merchant_id, s.sale_id as subject,
        format('tax %s, discount %s, surcharge %s', given.tax, given.discount, given.surcharge) as found
      from (
        select p.merchant_id, p.sale_id, sum(r.amount) as amount, sum(${money('tax')}) as tax,
          sum(${money('discount')}) as discount, sum(${money('surcharge')}) as surcharge
        from refunds r
        join payments p using (merchant_id, payment_id)
        where ${COUNTS}
        group by p.merchant_id, p.sale_id
      ) given
      join sales s using (merchant_id, sale_id)
      join lateral (
        select bool_or(refunds_blocked) as blocked, sum(total) as total
        from payments p
        where p.merchant_id = s.merchant_id and p.payment_id = any (s.tender_ids)
      ) paid on true
      where s.kind <> 'API' and s.state = 'COMPLETED' and not paid.blocked and given.amount = paid.total
        and (given.tax, given.discount, given.surcharge) is distinct from (
          -(s.receipt ->> 'tax')::numeric,
          -(s.receipt ->> 'discount')::numeric,
          -(s.receipt ->> 'surcharge')::numeric
        )`,
  },
  {
    name: 'what a refund took out of a drawer is its cash, once',
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
