-- The kinds of tenders. tenderTypeOf in model.ts is the same rule for TypeScript.

-- Reports call this for each of many payments, so PostgreSQL has to insert its body into their statements: it must stay one immutable
-- expression without settings of its own.
create function tender_type(p_source_type text, p_card_brand text) returns text
language sql immutable parallel safe as $$
  select case when p_source_type = 'OTHER' and p_card_brand is not null then 'EXTERNAL_CARD' else p_source_type end
$$;
