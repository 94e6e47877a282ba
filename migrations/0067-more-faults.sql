-- Faults with any error status, with a slow body, and with a connection that is reset in the middle of a response (decision 0273).
alter table fault_rules drop constraint fault_rules_status_check;
alter table fault_rules drop constraint fault_rules_effect;
alter table fault_rules drop constraint fault_rules_delay;
alter table fault_rules add constraint fault_rules_status_check check (status between 400 and 599) not valid;
alter table fault_rules add constraint fault_rules_effect check (
  effect in ('DELAY', 'STATUS', 'SLOW_BODY', 'RESET_BEFORE', 'RESET_DURING', 'RESET_AFTER', 'WEBHOOK_TWICE', 'WEBHOOK_LATE')
) not valid;
alter table fault_rules add constraint fault_rules_delay check (
  (effect in ('DELAY', 'SLOW_BODY', 'WEBHOOK_LATE')) = (min_delay_ms is not null)
) not valid;
alter table fault_rules validate constraint fault_rules_status_check;
alter table fault_rules validate constraint fault_rules_effect;
alter table fault_rules validate constraint fault_rules_delay;
