-- Approvals: somebody else allowed what an employee at a register may not do, for one sale and up to one amount, once (decision 0207).

create table register_approvals (
  merchant_id text not null,
  approval_id text not null,
  device_id text not null,
  -- Who allowed it.
  employee_id uuid not null,
  -- What it is for: an operation, and the sale by the id that the request has.
  operation text not null,
  sale_id text not null,
  amount bigint not null check (amount >= 0),
  -- In real time.
  created_at timestamptz not null,
  -- Null until a write uses it. One that was signed offline is stored when it is used.
  used_at timestamptz,
  used_by text,
  primary key (merchant_id, approval_id),
  check ((used_at is null) = (used_by is null))
);

-- Old ones are deleted.
create index register_approvals_created on register_approvals (merchant_id, created_at);
