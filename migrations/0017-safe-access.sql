-- Adjustments have keys and makers, registers can be kept from free discounts, applications say whether they can keep a
-- secret, and a subscription belongs to what it was made with.

-- A session ends with the status that allowed it: activating the employee again must not revive one from before.
update register_sessions s
set ended_at = clock_timestamp() -- sessions live in real time (decision 0040)
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

-- What a subscription about one merchant was made with: it ends with its authorization, or with its personal token.
alter table webhook_subscriptions add column authorization_id text;
alter table webhook_subscriptions add column token_hash bytea;

-- Nobody wrote down what made those that are there: the newest that still holds and may see all that they tell.
update webhook_subscriptions s
set authorization_id = (
  select g.authorization_id
  from authorizations g
  where g.merchant_id = s.merchant_id and g.application_id = s.application_id and g.revoked_at is null
    and ('PAYMENTS_READ' = any (g.permissions) or s.event_types <@ '{oauth.authorization.revoked}')
  order by g.created_at desc, g.authorization_id desc
  limit 1
)
where s.merchant_id is not null;

update webhook_subscriptions s
set token_hash = (
  select t.token_hash
  from access_tokens t
  where t.merchant_id = s.merchant_id and t.application_id = s.application_id and t.authorization_id is null
    and t.revoked_at is null
    and ('PAYMENTS_READ' = any (t.permissions) or s.event_types <@ '{oauth.authorization.revoked}')
  order by t.expires_at desc nulls first, t.created_at desc, t.token_hash
  limit 1
)
where s.merchant_id is not null and s.authorization_id is null;

-- Keys are told apart by what made the subscription, so that one that has ended holds none.
drop index webhook_subscriptions_key;
create unique index webhook_subscriptions_key on webhook_subscriptions (
  application_id, coalesce(merchant_id, ''), coalesce(authorization_id, encode(token_hash, 'hex'), ''), idempotency_key
) where idempotency_key is not null;

-- Whether an application can keep a secret. Those that are there have one, and must show it from now on.
alter table applications add column client_type text not null default 'CONFIDENTIAL';
alter table applications add constraint applications_client_type check (
  client_type = 'CONFIDENTIAL' or (client_type = 'PUBLIC' and secret_hash is null)
);
