/** Laws of cash drawer shifts and timecards: both must match their events. */
import type { Law } from './law.js';

export const COUNTER_LAWS: readonly Law[] = [
  {
    name: 'the sums of a cash drawer shift match its events',
    statement: `
      select s.merchant_id, s.shift_id::text as subject,
        format('paid %s, refunded %s, in %s, out %s; events %s', s.cash_payments, s.cash_refunds, s.cash_paid_in,
          s.cash_paid_out, e.sums) as found
      from cash_drawer_shifts s
      cross join lateral (
        select array[
          coalesce(sum(amount) filter (where kind = 'CASH_TENDER_PAYMENT'), 0)
            - coalesce(sum(amount) filter (where kind = 'CASH_TENDER_CANCELLED_PAYMENT'), 0),
          coalesce(sum(amount) filter (where kind = 'CASH_TENDER_REFUND'), 0),
          coalesce(sum(amount) filter (where kind = 'PAID_IN'), 0),
          coalesce(sum(amount) filter (where kind = 'PAID_OUT'), 0)
        ] as sums
        from cash_drawer_events e
        where e.merchant_id = s.merchant_id and e.shift_id = s.shift_id
      ) e
      where s.cash_payments < 0
        or array[s.cash_payments, s.cash_refunds, s.cash_paid_in, s.cash_paid_out]::numeric[] <> e.sums
        or s.expected_cash <> s.opened_cash + e.sums[1] - e.sums[2] + e.sums[3] - e.sums[4]`,
  },
  {
    // A deletion is always last: its id can be older than the id of a change that it had to wait for.
    name: 'a timecard matches its last event',
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
