-- Messages can be made to arrive twice or late: rules for deliveries beside those for requests (decision 0083).

alter table fault_rules
  -- Of a rule for deliveries, as in payment.created; absent: any.
  add column event_type text,
  drop constraint fault_rules_effect_check,
  drop constraint fault_rules_check1,
  add constraint fault_rules_effect check (
    effect in ('DELAY', 'STATUS', 'RESET_BEFORE', 'RESET_AFTER', 'WEBHOOK_TWICE', 'WEBHOOK_LATE')
  ),
  add constraint fault_rules_delay check ((effect in ('DELAY', 'WEBHOOK_LATE')) = (min_delay_ms is not null)),
  add constraint fault_rules_scope check (case when effect like 'WEBHOOK%' then operation else event_type end is null);

-- The rule that befell it and its effect, as its messages say; at most one does.
alter table webhook_deliveries add column fault text;
