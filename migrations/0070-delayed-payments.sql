-- How long an application lets an authorized payment wait, and what happens then (decision 0265). Null: what is usual, also of all payments
-- before this version.
alter table payments add column delay_duration text;
alter table payments add column delay_action text;
