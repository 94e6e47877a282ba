/** The laws of what people do at a counter: drawers and timecards are what happened to them. */
import type { Law } from './law.js';

export const COUNTER_LAWS: readonly Law[] = [
  {
    name: 'a drawer holds what its events add up to',
    statement: `
      select s.merchant_id, s.shift_id::text as subject,
        format('expected %s, events %s', s.expected_cash, s.opened_cash + coalesce(e.sum, 0)) as found
      from cash_drawer_shifts s
      left join (
        select merchant_id, shift_id, sum(case
          when kind in ('CASH_TENDER_PAYMENT', 'PAID_IN') then amount
          when kind in ('CASH_TENDER_CANCELLED_PAYMENT', 'CASH_TENDER_REFUND', 'PAID_OUT') then -amount
          when amount = 0 then 0
        end) as sum
        from cash_drawer_events
        group by merchant_id, shift_id
      ) e using (merchant_id, shift_id)
      where s.expected_cash <> s.opened_cash + coalesce(e.sum, 0)`,
  },
  {
    // A deletion comes last, though its id may be older than that of a change it had to wait for.
    name: 'a timecard stands as its last event left it',
    statement: `
      select t.merchant_id, t.timecard_id::text as subject, format('last event %s', e.kind) as found
      from timecards t
      left join lateral (
        select kind, clockin_at, clockout_at
        from timecard_events e
        where e.merchant_id = t.merchant_id and e.timecard_id = t.timecard_id
        order by created_at desc, kind in ('API_DELETE', 'DASHBOARD_DELETE') desc, event_id desc
        limit 1
      ) e on true
      where e.kind is null or e.clockin_at <> t.clockin_at or e.clockout_at is distinct from t.clockout_at
        or t.deleted <> (e.kind in ('API_DELETE', 'DASHBOARD_DELETE'))`,
  },
];
