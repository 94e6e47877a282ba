-- Deletes the snapshot of a merchant, if there is one. Returns whether there was.
create function delete_snapshot(p_merchant_id text) returns boolean
language plpgsql as $$
begin
  delete from merchant_snapshots
  where merchant_id = p_merchant_id;
  return found;
end
$$;
