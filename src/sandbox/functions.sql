-- Faults are injected into deliveries here only.

-- Counts the uses of the rules, postpones late deliveries, and duplicates the others. The caller has locked the rules.
create function inject_faults(p_merchant_id text, p_faults json, p_now timestamptz) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_fault injected_fault;
begin
  for v_fault in
    select *
    from json_populate_recordset(null::injected_fault, p_faults)
  loop
    update fault_rules
    set remaining = remaining - 1
    where rule_id = v_fault.rule_id and (merchant_id is null or merchant_id = p_merchant_id);
    if v_fault.run_at is null then
      perform duplicate_delivery(p_merchant_id, v_fault.delivery_id, p_now, v_fault.fault);
    else
      perform postpone_delivery(p_merchant_id, v_fault.delivery_id, v_fault.run_at, v_fault.fault);
    end if;
  end loop;
end
$$;
