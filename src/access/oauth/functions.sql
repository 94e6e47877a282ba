-- Authorizations are inserted and revoked here only, and codes and tokens are issued for them.

-- Records what an owner granted, with the code that the application exchanges for tokens.
create function authorize_with_code(p_merchant_id text, p_authorization json, p_code json) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_base authorization_codes;
begin
  perform record_authorization(p_merchant_id, p_authorization);
  v_base.merchant_id := p_merchant_id;
  insert into authorization_codes
  select *
  from json_populate_record(v_base, p_code);
end
$$;

-- Records what the operator of a sandbox granted in the owner's place, with tokens, because that needs no code.
create function authorize_with_tokens(
  p_merchant_id text, p_authorization json, p_access_token json, p_refresh_token json
)
returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  perform record_authorization(p_merchant_id, p_authorization);
  perform record_access_token(new_access_token(p_merchant_id, p_access_token));
  perform record_refresh_token(p_merchant_id, p_refresh_token);
end
$$;

create function record_authorization(p_merchant_id text, p_authorization json) returns void
language plpgsql as $$
declare
  v_base authorizations;
begin
  v_base.merchant_id := p_merchant_id;
  insert into authorizations
  select *
  from json_populate_record(v_base, p_authorization);
end
$$;

-- An access token to insert. It has the requested permissions, or else all that were granted. It has none (null) if it may not be
-- issued, because its authorization is revoked, belongs to another application, or grants less.
create function new_access_token(p_merchant_id text, p_token json) returns access_tokens
language plpgsql stable as $$
declare
  v_base access_tokens;
  v_token access_tokens;
begin
  v_base.merchant_id := p_merchant_id;
  v_base.label := 'oauth';
  v_token := json_populate_record(v_base, p_token);
  select coalesce(v_token.permissions, g.permissions)
  into v_token.permissions
  from authorizations g
  where g.merchant_id = p_merchant_id and g.authorization_id = v_token.authorization_id
    and g.application_id = v_token.application_id
    and g.revoked_at is null
    and (v_token.permissions is null or v_token.permissions <@ g.permissions);
  return v_token;
end
$$;

create function record_access_token(p_token access_tokens) returns void
language plpgsql as $$
begin
  insert into access_tokens (
    merchant_id, token_hash, application_id, authorization_id, permissions, label, created_at, expires_at
  )
  values (
    p_token.merchant_id, p_token.token_hash, p_token.application_id, p_token.authorization_id, p_token.permissions, p_token.label,
    p_token.created_at, p_token.expires_at
  );
end
$$;

create function record_refresh_token(p_merchant_id text, p_token json) returns void
language plpgsql as $$
declare
  v_base refresh_tokens;
begin
  v_base.merchant_id := p_merchant_id;
  insert into refresh_tokens
  select *
  from json_populate_record(v_base, p_token);
end
$$;

-- Marks a code as used and issues tokens for it. The request may lack the redirect URL, but not the challenge of the code. Returns
-- false if the code cannot be used.
create function exchange_code(
  p_merchant_id text, p_code_hash bytea, p_redirect_url text, p_challenge text, p_access_token json, p_refresh_token json
)
returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_access access_tokens := new_access_token(p_merchant_id, p_access_token);
begin
  -- Checked first, because a refused request does not use up the code.
  if v_access.permissions is null then
    return false;
  end if;
  update authorization_codes
  set used_at = v_access.created_at
  where merchant_id = p_merchant_id and authorization_id = v_access.authorization_id and code_hash = p_code_hash
    and used_at is null
    and expires_at > v_access.created_at
    and challenge is not distinct from p_challenge
    and redirect_url = coalesce(p_redirect_url, redirect_url);
  if not found then
    return false;
  end if;
  perform record_access_token(v_access);
  perform record_refresh_token(p_merchant_id, p_refresh_token);
  return true;
end
$$;

-- Issues an access token for a refresh token, and replaces the refresh token if it is single-use. A reusable one requires the secret of
-- the application. Returns whether it was replaced, or null if it cannot be used.
create function use_refresh_token(
  p_merchant_id text, p_token_hash bytea, p_has_secret boolean, p_access_token json, p_replacement json
)
returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_access access_tokens := new_access_token(p_merchant_id, p_access_token);
  v_is_single_use boolean;
begin
  if v_access.permissions is null then
    return null;
  end if;
  update refresh_tokens
  set used_at = v_access.created_at
  where merchant_id = p_merchant_id and authorization_id = v_access.authorization_id and token_hash = p_token_hash
    and case when expires_at is null then p_has_secret else used_at is null and expires_at > v_access.created_at end
  returning expires_at is not null
  into v_is_single_use;
  if not found then
    return null;
  end if;
  perform record_access_token(v_access);
  if v_is_single_use then
    perform record_refresh_token(p_merchant_id, p_replacement);
  end if;
  return v_is_single_use;
end
$$;

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
