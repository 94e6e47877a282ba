-- Responses to registers kept the reasons of refunds after the buyers were erased (decision 0227). A refund of a register always has a
-- reason, so one without a reason was erased.
update register_writes
set response = response || jsonb_build_object(
  'erased', true,
  'refunds', (
    select jsonb_agg(refund - 'reason' order by place)
    from jsonb_array_elements(response -> 'refunds') with ordinality as given (refund, place)
  )
)
where exists (
  select 1
  from refunds
  where refunds.merchant_id = register_writes.merchant_id and refunds.device_id = register_writes.device_id
    and refunds.origin = 'REGISTER' and refunds.reason is null
    and register_writes.response -> 'refunds' @> jsonb_build_array(jsonb_build_object('id', refunds.refund_id))
);
