-- Adjustments have keys and makers, registers can be kept from free discounts, applications say whether they can keep a
-- secret, and a subscription belongs to what it was made with.

-- A session ends with the status that allowed it: activating the employee again must not revive one from before.
update register_sessions s
set ended_at = now()
from employees e
where e.merchant_id = s.merchant_id and e.employee_id = s.employee_id and e.status = 'INACTIVE' and s.ended_at is null;

-- Who made an adjustment, and with which key: the same request again makes no second one. Those from before have no row.
create table adjustments (
  merchant_id text not null,
  -- The movement that it is.
  adjustment_id text not null,
  made_by text not null check (made_by in ('OWNER', 'OPERATOR')),
  idempotency_key text not null,
  primary key (merchant_id, adjustment_id),
  foreign key (merchant_id, adjustment_id) references movements
);

create unique index adjustments_key on adjustments (merchant_id, made_by, idempotency_key);

-- Discounts at registers need the permission, whatever the register calls them (decision 0110).
alter table merchants add column restricts_discounts boolean not null default false;

-- Who was signed in at a device at a time, for what it sends later.
create index register_sessions_device on register_sessions (merchant_id, device_id, employee_id, created_at);
