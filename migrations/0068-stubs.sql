-- Stubs, with which the operator of a sandbox answers requests that the server does not answer so itself (decision 0267).

-- Like fault_rules, all servers of a database share them, a stub can be for all merchants, and every node has a full copy.
create table stubs (
  stub_id text primary key,
  -- Null means all merchants, and requests whose merchant is not known.
  merchant_id text,
  -- The file of the folder that the server was started with. Null: it was added while the server ran.
  source text,
  -- The JSON that describes it, as docs/stubs.md says.
  definition json not null,
  -- How often it answers. Null: without an end.
  times integer check (times > 0),
  used integer not null check (used >= 0)
);
