-- When a backup, a check and a reconciliation last ran, and how they ended, so that an alert can say which is too old (decision 0243).
create table last_runs (
  kind text primary key check (kind in ('BACKUP', 'CHECK', 'RECONCILE')),
  -- In real time.
  ended_at timestamptz not null,
  -- Null: it has never succeeded.
  succeeded_at timestamptz,
  -- What the last run found, in a few words; never a secret.
  found text not null
);
