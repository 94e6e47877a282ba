-- Passwords of owners are changed here only.

-- Sets a new password and revokes all sessions of the account, except the one in which the owner changes it (null: none).
create function change_password(
  p_merchant_id text, p_email text, p_password_hash text, p_at timestamptz, p_except_session bytea
)
returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_account_id uuid;
begin
  -- First, because it waits for sign-ins in progress. Then their sessions are found.
  update accounts
  set password_hash = p_password_hash
  where merchant_id = p_merchant_id and lower(email) = lower(p_email)
  returning account_id
  into v_account_id;
  update sessions
  set revoked_at = p_at
  where merchant_id = p_merchant_id and account_id = v_account_id and revoked_at is null
    and token_hash is distinct from p_except_session;
end
$$;
