-- Who asks the processor holds no lock meanwhile, and nobody else asks at the same time; a payment that was reversed shows its fee.

-- In real time: who took it asks the processor until then. After that he has not come back, and whoever finds it asks again,
-- with the same key.
alter table due_work add column taken_until timestamptz;
alter table processor_calls add column taken_until timestamptz;

-- What came back of the processor's fee where a captured payment was cancelled by its key (decision 0028), and when.
alter table payments drop column shown;
drop function printed_payment;
alter table payments add column reversed_fee bigint not null default 0 check (reversed_fee >= 0);
alter table payments add column reversed_at timestamptz check (reversed_at is not null or reversed_fee = 0);

update payments
set reversed_fee = reversed.fee, reversed_at = reversed.at
from (
  select merchant_id, payment_id, sum(returned_fee)::bigint as fee, max(created_at) as at
  from refunds
  where origin = 'REVERSAL' and source_type = 'CARD'
  group by merchant_id, payment_id
) as reversed
where payments.merchant_id = reversed.merchant_id and payments.payment_id = reversed.payment_id;

create function printed_payment(
  payment_id text, location_id text, status text, source_type text, created_at timestamptz, updated_at timestamptz,
  captured_at timestamptz, currency text, amount bigint, tip bigint, total bigint, app_fee bigint, fee bigint,
  refunded bigint, refund_ids text[], employee_id uuid, errors json, card_details json, details json, reversed_fee bigint,
  reversed_at timestamptz
)
returns text
language plpgsql
immutable parallel safe
as $$
begin
  return '{"id":"' || payment_id
    || '","created_at":"' || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","updated_at":"' || to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'
    || ',"amount_money":{"amount":' || amount || ',"currency":"' || currency || '"}'
    || coalesce(',"tip_money":{"amount":' || tip || ',"currency":"' || currency || '"}', '')
    || ',"total_money":{"amount":' || total || ',"currency":"' || currency || '"}'
    || coalesce(',"app_fee_money":{"amount":' || app_fee || ',"currency":"' || currency || '"}', '')
    || case when refunded > 0 then ',"refunded_money":{"amount":' || refunded || ',"currency":"' || currency || '"}' else '' end
    || ',"status":"' || status || '","source_type":"' || source_type || '","card_details":{"status":"'
    || case status when 'APPROVED' then 'AUTHORIZED' when 'COMPLETED' then 'CAPTURED' when 'CANCELED' then 'VOIDED' else status end
    || '"' || coalesce(',' || nullif(substr(card_details::text, 2, length(card_details::text) - 2), ''), '')
    || coalesce(',"errors":' || errors::text, '') || '},"location_id":"' || location_id || '"'
    || coalesce(',' || nullif(substr(details::text, 2, length(details::text) - 2), ''), '')
    || coalesce(',"employee_id":"' || employee_id || '"', '')
    || case when refund_ids = '{}' then '' else ',"refund_ids":["' || array_to_string(refund_ids, '","') || '"]' end
    -- The id begins with the time, so its end tells payments apart.
    || case when status in ('APPROVED', 'COMPLETED') then ',"receipt_number":"' || right(payment_id, 4) || '"' else '' end
    || case when status = 'COMPLETED' then ',"receipt_url":"https://squareup.com/receipt/preview/' || payment_id || '"' else '' end
    -- Last, since the answer to a create or complete leaves it out.
    || coalesce(
      ',"processing_fee":[{"effective_at":"'
      || to_char(captured_at at time zone 'UTC' + interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
      || '","type":"INITIAL","amount_money":{"amount":' || fee || ',"currency":"' || currency || '"}}'
      -- Negative: it comes back to the seller.
      || case when reversed_fee > 0 then
        ',{"effective_at":"' || to_char(reversed_at at time zone 'UTC' + interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
        || '","type":"ADJUSTMENT","amount_money":{"amount":' || -reversed_fee || ',"currency":"' || currency || '"}}'
      else '' end
      || ']',
      ''
    )
    || '}';
end
$$;

alter table payments
  add column shown text generated always as (
    case when source_type = 'CARD' then printed_payment(
      payment_id, location_id, status, source_type, created_at, updated_at, captured_at, currency, amount, tip, total,
      app_fee, fee, refunded, refund_ids, employee_id, errors, card_details, details, reversed_fee, reversed_at
    ) end
  ) stored;
