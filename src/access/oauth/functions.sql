-- Revokes an authorization of an application, or all (null), and with it all its codes and tokens. The application is notified when
-- the last one is revoked, and receives nothing else afterwards. Returns false if there never was an authorization.
create function revoke_authorizations(
  p_merchant_id text, p_application_id text, p_authorization_id text, p_revoker text, p_at timestamptz
)
returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  -- Locks all, so that of two concurrent revocations the second one knows that it is the last.
  v_valid text[] := array(
    select authorization_id
    from authorizations
    where merchant_id = p_merchant_id and application_id = p_application_id and revoked_at is null
    order by authorization_id
    for no key update
  );
  v_revoked text[] := array(
    select authorization_id
    from unnest(v_valid) as authorization_id
    where authorization_id = coalesce(p_authorization_id, authorization_id)
  );
begin
  -- Before the authorization ends, because then the application receives no events. A delivery that is recorded meanwhile is given up
  -- by the worker.
  if v_valid <> '{}' and v_revoked = v_valid then
    perform end_notifications(p_merchant_id, p_application_id);
    perform record_events(p_merchant_id, array[row(
      null, p_application_id, 'oauth.authorization.revoked', gen_random_uuid(), p_at,
      '{"revoked_at":"' || to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      || '","revoker_type":"' || p_revoker || '"}'
    )::event_change]);
  end if;
  update authorizations
  set revoked_at = p_at
  where merchant_id = p_merchant_id and authorization_id = any (v_revoked);
  return exists (
    select from authorizations
    where merchant_id = p_merchant_id and application_id = p_application_id
  );
end
$$;
