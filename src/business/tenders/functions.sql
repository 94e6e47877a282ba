-- The kinds of tenders, and the id of what they pay for. tenderTypeOf in model.ts is the same rule for TypeScript.

-- Reports call this for each of many payments, so PostgreSQL has to insert its body into their statements: it must stay one immutable
-- expression without settings of its own.
create function tender_type(p_source_type text, p_card_brand text) returns text
language sql immutable parallel safe as $$
  select case when p_source_type = 'OTHER' and p_card_brand is not null then 'EXTERNAL_CARD' else p_source_type end
$$;

-- The id of a sale in v1 (decision 0014): that of its only tender. A sale that is split, or has no tender, has its own id. It is split as soon
-- as its first tender does not cover it, so a sale that v1 shows never gets another id. Lists call this for each sale, so PostgreSQL has to
-- insert its body into their statements: it must stay one immutable expression without settings of its own.
create function v1_id(p_sale_id text, p_tender_ids text[], p_paid bigint, p_due bigint, p_keeps_own_id boolean) returns text
language sql immutable parallel safe as $$
  select case
    when cardinality(p_tender_ids) = 1 and p_paid = p_due and p_keeps_own_id is not true then p_tender_ids[1]
    else p_sale_id
  end
$$;
