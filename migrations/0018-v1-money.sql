-- One id for a sale in v1's lists, refunds and settlements; one key for a refund however its sale is named; drawers whose cash payments are never negative.

-- What v1 calls the payment: its first tender's id (decision 0014); its own where it has no tender. A register's handle and
-- ids that were noted before this remain sale_id, and find the sale as before.
alter table sales
  add column v1_id text not null generated always as (coalesce(tender_ids[1], sale_id)) stored;

drop index sales_created, sales_everywhere;
create index sales_created on sales (merchant_id, location_id, created_at, v1_id);
create index sales_everywhere on sales (merchant_id, created_at, v1_id);

-- A v1 refund's key is kept by sale and as a hash, so that it may be of any length, and its request as it was understood
-- (decision 0027): until now by the id that was sent and the whole body.
create temporary table old_keys on commit drop as
select
  k.merchant_id, k.application_id, k.made_id, r.created_at, s.sale_id, r.type, r.payment_id, r.amount,
  split_part(k.key, ':', 1) in (s.sale_id, s.v1_id) as names_sale,
  encode(sha256(convert_to(substr(k.key, strpos(k.key, ':') + 1), 'UTF8')), 'hex') as key_hash
from idempotency_keys k
join refunds r on r.merchant_id = k.merchant_id and r.refund_id = k.made_id
join payments p on p.merchant_id = r.merchant_id and p.payment_id = r.payment_id
join sales s on s.merchant_id = p.merchant_id and s.sale_id = p.sale_id
where k.operation = 'createRefund';

delete from idempotency_keys
where operation = 'createRefund';

-- The same key may have made two refunds of one sale, named by the sale and by a tender: the first of them keeps it.
insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
select distinct on (merchant_id, application_id, sale_id, key_hash)
  merchant_id, application_id, 'createRefund', sale_id || ':' || key_hash,
  sha256(convert_to(
    case
      when type = 'PARTIAL' then 'PARTIAL:' || payment_id || ':' || amount
      when names_sale then 'FULL'
      else 'FULL:' || payment_id
    end,
    'UTF8'
  )),
  made_id
from old_keys
order by merchant_id, application_id, sale_id, key_hash, created_at, made_id;

-- Cash of an earlier shift that went back was a refund of the shift that gave it, not a payment of it that was cancelled.
create temporary table old_returns on commit drop as
select e.merchant_id, e.shift_id, e.event_id, e.amount, r.refund_id
from cash_drawer_events e
join payments p on p.merchant_id = e.merchant_id and p.payment_id = e.subject_id
join refunds r on r.merchant_id = p.merchant_id and r.payment_id = p.payment_id and r.origin = 'REVERSAL'
where e.kind in ('CASH_TENDER_CANCELLED_PAYMENT', 'OTHER_TENDER_CANCELLED_PAYMENT')
  and e.shift_id is distinct from p.drawer_shift_id;

update cash_drawer_events e
set kind = replace(e.kind, 'CANCELLED_PAYMENT', 'REFUND'), subject_id = o.refund_id
from old_returns o
where o.merchant_id = e.merchant_id and o.shift_id = e.shift_id and o.event_id = e.event_id;

update cash_drawer_shifts s
set cash_payments = s.cash_payments + o.amount, cash_refunds = s.cash_refunds + o.amount
from (
  select merchant_id, shift_id, sum(amount)::bigint as amount
  from old_returns
  group by merchant_id, shift_id
) o
where o.merchant_id = s.merchant_id and o.shift_id = s.shift_id;

alter table cash_drawer_shifts
  add constraint cash_drawer_shifts_payments check (cash_payments >= 0);
