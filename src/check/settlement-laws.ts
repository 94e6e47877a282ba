/** Laws of settlements, adjustments, holds and bank accounts. */
import type { Law } from './law.js';

export const SETTLEMENT_LAWS: readonly Law[] = [
  {
    name: 'a settlement is the sum of its movements, all of its location and currency and before its close',
    statement: `
      select s.merchant_id, s.settlement_id as subject,
        format('total %s, %s movements of %s', s.total, coalesce(m.count, 0), m.sum) as found
      from settlements s
      left join (
        select m.merchant_id, m.settlement_id, count(*) as count, sum(m.amount + m.fee) as sum,
          bool_and(m.location_id = s.location_id and m.currency = s.currency and m.occurred_at < s.initiated_at) as fit
        from movements m
        join settlements s using (merchant_id, settlement_id)
        group by m.merchant_id, m.settlement_id
      ) m using (merchant_id, settlement_id)
      where m.sum is distinct from s.total or not m.fit
      union all
      select m.merchant_id, m.movement_id, format('settled in %s, which does not exist', m.settlement_id)
      from movements m
      left join settlements s using (merchant_id, settlement_id)
      where m.settlement_id is not null and s.settlement_id is null`,
  },
  {
    name: 'a failed settlement returns its money once, and other settlements do not',
    statement: `
      select s.merchant_id, s.settlement_id as subject,
        format('%s with %s, returned by %s of %s', s.status, s.total, m.kind, m.amount) as found
      from settlements s
      left join movements m on m.merchant_id = s.merchant_id and m.movement_id = s.returned_movement_id
      where (s.status = 'FAILED') <> (s.returned_movement_id is not null)
        or (s.status = 'FAILED' and (m.kind, m.amount, m.fee, m.location_id, m.currency)
          is distinct from ('RETURNED_PAYOUT', s.total, 0::bigint, s.location_id, s.currency))
      union all
      select m.merchant_id, m.movement_id, format('returned by %s settlements', count(s.settlement_id))
      from movements m
      left join settlements s on s.merchant_id = m.merchant_id and s.returned_movement_id = m.movement_id
      where m.kind = 'RETURNED_PAYOUT'
      group by m.merchant_id, m.movement_id
      having count(s.settlement_id) <> 1`,
  },
  {
    name: 'an adjustment has a location of its merchant and a reason',
    statement: `
      select m.merchant_id, m.movement_id as subject, format('at %s because %s', m.location_id, m.reason) as found
      from movements m
      left join locations l using (merchant_id, location_id)
      where m.kind = 'ADJUSTMENT' and (l.location_id is null or coalesce(m.reason, '') = '')`,
  },
  {
    name: 'adjustments of owners are negative, and no adjustment exceeds the limit',
    statement: `
      select a.merchant_id, a.adjustment_id as subject, format('%s by %s', m.amount, a.made_by) as found
      from adjustments a
      join movements m on m.merchant_id = a.merchant_id and m.movement_id = a.adjustment_id
      where (a.made_by = 'OWNER' and m.amount >= 0) or abs(m.amount) > 10000000 or m.kind <> 'ADJUSTMENT'`,
  },
  {
    name: 'the hold movements of a payment match its active holds',
    statement: `
      select coalesce(h.merchant_id, m.merchant_id) as merchant_id, coalesce(h.payment_id, m.payment_id) as subject,
        format('holds %s, movements %s', h.sum, m.sum) as found
      from (
        select merchant_id, payment_id, sum(amount) filter (where released_at is null) as sum
        from holds
        group by merchant_id, payment_id
      ) h
      full join (
        select merchant_id, payment_id, sum(amount + fee) as sum
        from movements
        where kind in ('HOLD', 'HOLD_RELEASE')
        group by merchant_id, payment_id
      ) m using (merchant_id, payment_id)
      where coalesce(h.sum, 0) <> -coalesce(m.sum, 0)`,
  },
  {
    name: 'a location with unsettled movements has a scheduled close',
    statement: `
      select l.merchant_id, l.location_id as subject, 'no close is scheduled' as found
      from locations l
      where exists (
        select from movements m
        where m.merchant_id = l.merchant_id and m.location_id = l.location_id and m.settlement_id is null
      ) and not exists (
        select from due_work d
        where d.merchant_id = l.merchant_id and d.kind = 'CLOSE_DAY' and d.subject_id = l.location_id
      )`,
  },
  {
    name: 'a merchant with bank accounts has exactly one active account',
    statement: `
      select merchant_id, merchant_id as subject, format('%s active', count(*) filter (where in_force)) as found
      from bank_accounts
      group by merchant_id
      having count(*) filter (where in_force) <> 1`,
  },
];
