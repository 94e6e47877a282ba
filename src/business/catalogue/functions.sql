-- The catalogue of a merchant is changed here only (decision 0144). Every function first updates the row of the catalogue, which locks it.
-- So changes of one merchant run one after the other, and what a function checks stays true until it commits.

create function begin_catalogue_change(p_merchant_id text) returns void
language plpgsql as $$
begin
  insert into catalogues (merchant_id, version)
  values (p_merchant_id, 1)
  on conflict (merchant_id) do update
  set version = catalogues.version + 1;
end
$$;

-- Raises the reason why a record could not be replaced. p_version is its present version; null: it does not exist.
create function refuse_outdated(p_version integer) returns void
language plpgsql immutable as $$
begin
  if p_version is null then
    raise exception 'catalogue_missing: there is no such record';
  end if;
  raise exception 'catalogue_changed: the record has version %', p_version;
end
$$;

-- Raises an exception if there is no room for one more record.
create function require_catalogue_room(p_count bigint, p_most integer) returns void
language plpgsql immutable as $$
begin
  if p_count >= p_most then
    raise exception 'catalogue_full: there are % records', p_count;
  end if;
end
$$;

-- Each save function inserts a record with version 1. A later version replaces the stored record, which must have the version before.
create function save_category(p_merchant_id text, p_category json, p_most integer) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_row categories := json_populate_record(null::categories, p_category);
  v_count bigint;
  v_version integer;
begin
  perform begin_catalogue_change(p_merchant_id);
  if v_row.version = 1 then
    select count(*) into v_count from categories where merchant_id = p_merchant_id;
    perform require_catalogue_room(v_count, p_most);
    insert into categories (merchant_id, category_id, name, version)
    values (p_merchant_id, v_row.category_id, v_row.name, 1);
    return;
  end if;
  update categories set name = v_row.name, version = v_row.version
  where merchant_id = p_merchant_id and category_id = v_row.category_id and version = v_row.version - 1;
  if not found then
    select version into v_version from categories
    where merchant_id = p_merchant_id and category_id = v_row.category_id;
    perform refuse_outdated(v_version);
  end if;
end
$$;

create function save_tax(p_merchant_id text, p_tax json, p_most integer) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_row taxes := json_populate_record(null::taxes, p_tax);
  v_count bigint;
  v_version integer;
begin
  perform begin_catalogue_change(p_merchant_id);
  if v_row.version = 1 then
    select count(*) into v_count from taxes where merchant_id = p_merchant_id;
    perform require_catalogue_room(v_count, p_most);
    insert into taxes (merchant_id, tax_id, name, rate, inclusion, location_ids, applies_to_all, version)
    values (
      p_merchant_id, v_row.tax_id, v_row.name, v_row.rate, v_row.inclusion, v_row.location_ids, v_row.applies_to_all, 1
    );
    return;
  end if;
  update taxes
  set
    name = v_row.name, rate = v_row.rate, inclusion = v_row.inclusion, location_ids = v_row.location_ids,
    applies_to_all = v_row.applies_to_all, version = v_row.version
  where merchant_id = p_merchant_id and tax_id = v_row.tax_id and version = v_row.version - 1;
  if not found then
    select version into v_version from taxes where merchant_id = p_merchant_id and tax_id = v_row.tax_id;
    perform refuse_outdated(v_version);
  end if;
end
$$;

create function save_modifier_list(p_merchant_id text, p_list json, p_most integer) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_row modifier_lists := json_populate_record(null::modifier_lists, p_list);
  v_count bigint;
  v_version integer;
begin
  perform begin_catalogue_change(p_merchant_id);
  if v_row.version = 1 then
    select count(*) into v_count from modifier_lists where merchant_id = p_merchant_id;
    perform require_catalogue_room(v_count, p_most);
    insert into modifier_lists (merchant_id, modifier_list_id, name, least, most, options, version)
    values (p_merchant_id, v_row.modifier_list_id, v_row.name, v_row.least, v_row.most, v_row.options, 1);
    return;
  end if;
  update modifier_lists
  set name = v_row.name, least = v_row.least, most = v_row.most, options = v_row.options, version = v_row.version
  where merchant_id = p_merchant_id and modifier_list_id = v_row.modifier_list_id and version = v_row.version - 1;
  if not found then
    select version into v_version from modifier_lists
    where merchant_id = p_merchant_id and modifier_list_id = v_row.modifier_list_id;
    perform refuse_outdated(v_version);
  end if;
end
$$;

create function save_discount(p_merchant_id text, p_discount json, p_most integer) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_row discounts := json_populate_record(null::discounts, p_discount);
  v_count bigint;
  v_version integer;
begin
  perform begin_catalogue_change(p_merchant_id);
  if v_row.version = 1 then
    select count(*) into v_count from discounts where merchant_id = p_merchant_id;
    perform require_catalogue_room(v_count, p_most);
    insert into discounts (merchant_id, discount_id, name, rate, amount, restricted, version)
    values (p_merchant_id, v_row.discount_id, v_row.name, v_row.rate, v_row.amount, v_row.restricted, 1);
    return;
  end if;
  update discounts
  set name = v_row.name, rate = v_row.rate, amount = v_row.amount, restricted = v_row.restricted, version = v_row.version
  where merchant_id = p_merchant_id and discount_id = v_row.discount_id and version = v_row.version - 1;
  if not found then
    select version into v_version from discounts
    where merchant_id = p_merchant_id and discount_id = v_row.discount_id;
    perform refuse_outdated(v_version);
  end if;
end
$$;

-- Also checks that the taxes and modifier lists of the item exist, and records which picture it shows.
create function save_item(p_merchant_id text, p_item json, p_most integer) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_row items := json_populate_record(null::items, p_item);
  v_count bigint;
  v_version integer;
begin
  perform begin_catalogue_change(p_merchant_id);
  select count(*) into v_count from taxes where merchant_id = p_merchant_id and tax_id = any (v_row.tax_ids);
  if v_count < cardinality(v_row.tax_ids) then
    raise exception 'items_taxes: a tax does not exist';
  end if;
  select count(*) into v_count from modifier_lists
  where merchant_id = p_merchant_id and modifier_list_id = any (v_row.modifier_list_ids);
  if v_count < cardinality(v_row.modifier_list_ids) then
    raise exception 'items_modifier_lists: a modifier list does not exist';
  end if;
  if v_row.version = 1 then
    select count(*) into v_count from items where merchant_id = p_merchant_id;
    perform require_catalogue_room(v_count, p_most);
    insert into items (
      merchant_id, item_id, name, description, category_id, picture_id, location_ids, online, archived, variations,
      modifier_list_ids, tax_ids, version, created_at, updated_at
    )
    values (
      p_merchant_id, v_row.item_id, v_row.name, v_row.description, v_row.category_id, v_row.picture_id,
      v_row.location_ids, v_row.online, v_row.archived, v_row.variations, v_row.modifier_list_ids, v_row.tax_ids, 1,
      v_row.created_at, v_row.updated_at
    );
  else
    update items
    set
      name = v_row.name, description = v_row.description, category_id = v_row.category_id,
      picture_id = v_row.picture_id, location_ids = v_row.location_ids, online = v_row.online,
      archived = v_row.archived, variations = v_row.variations, modifier_list_ids = v_row.modifier_list_ids,
      tax_ids = v_row.tax_ids, version = v_row.version, updated_at = v_row.updated_at
    where merchant_id = p_merchant_id and item_id = v_row.item_id and version = v_row.version - 1;
    if not found then
      select version into v_version from items where merchant_id = p_merchant_id and item_id = v_row.item_id;
      perform refuse_outdated(v_version);
    end if;
  end if;
  perform use_picture(p_merchant_id, 'item:' || v_row.item_id, v_row.picture_id);
end
$$;

-- Each delete function refuses if there is no such record. It removes the record from the items that name it, and gives them a new version.
create function delete_category(p_merchant_id text, p_category_id text) returns void
language plpgsql
set search_path from current
as $$
begin
  perform begin_catalogue_change(p_merchant_id);
  update items set category_id = null, version = version + 1
  where merchant_id = p_merchant_id and category_id = p_category_id;
  delete from categories
  where merchant_id = p_merchant_id and category_id = p_category_id;
  if not found then
    perform refuse_outdated(null);
  end if;
end
$$;

create function delete_tax(p_merchant_id text, p_tax_id text) returns void
language plpgsql
set search_path from current
as $$
begin
  perform begin_catalogue_change(p_merchant_id);
  update items set tax_ids = array_remove(tax_ids, p_tax_id), version = version + 1
  where merchant_id = p_merchant_id and p_tax_id = any (tax_ids);
  delete from taxes
  where merchant_id = p_merchant_id and tax_id = p_tax_id;
  if not found then
    perform refuse_outdated(null);
  end if;
end
$$;

create function delete_modifier_list(p_merchant_id text, p_modifier_list_id text) returns void
language plpgsql
set search_path from current
as $$
begin
  perform begin_catalogue_change(p_merchant_id);
  update items set modifier_list_ids = array_remove(modifier_list_ids, p_modifier_list_id), version = version + 1
  where merchant_id = p_merchant_id and p_modifier_list_id = any (modifier_list_ids);
  delete from modifier_lists
  where merchant_id = p_merchant_id and modifier_list_id = p_modifier_list_id;
  if not found then
    perform refuse_outdated(null);
  end if;
end
$$;

create function delete_discount(p_merchant_id text, p_discount_id text) returns void
language plpgsql
set search_path from current
as $$
begin
  perform begin_catalogue_change(p_merchant_id);
  delete from discounts
  where merchant_id = p_merchant_id and discount_id = p_discount_id;
  if not found then
    perform refuse_outdated(null);
  end if;
end
$$;

-- Sales and orders keep what was sold.
create function delete_item(p_merchant_id text, p_item_id text) returns void
language plpgsql
set search_path from current
as $$
begin
  perform begin_catalogue_change(p_merchant_id);
  delete from items
  where merchant_id = p_merchant_id and item_id = p_item_id;
  if not found then
    perform refuse_outdated(null);
  end if;
  perform use_picture(p_merchant_id, 'item:' || p_item_id, null);
end
$$;

-- Adds many records at once: for generated businesses and the stores of a sandbox. Records that are already there stay as they are.
create function add_to_catalogue(p_merchant_id text, p_added json, p_most_items integer) returns void
language plpgsql
set search_path from current
as $$
declare
  v_count bigint;
begin
  perform begin_catalogue_change(p_merchant_id);
  insert into categories (merchant_id, category_id, name, version)
  select p_merchant_id, r.category_id, r.name, 1
  from json_populate_recordset(null::categories, p_added -> 'categories') as r
  on conflict do nothing;
  insert into taxes (merchant_id, tax_id, name, rate, inclusion, location_ids, applies_to_all, version)
  select p_merchant_id, r.tax_id, r.name, r.rate, r.inclusion, r.location_ids, r.applies_to_all, 1
  from json_populate_recordset(null::taxes, p_added -> 'taxes') as r
  on conflict do nothing;
  insert into modifier_lists (merchant_id, modifier_list_id, name, least, most, options, version)
  select p_merchant_id, r.modifier_list_id, r.name, r.least, r.most, r.options, 1
  from json_populate_recordset(null::modifier_lists, p_added -> 'modifier_lists') as r
  on conflict do nothing;
  insert into discounts (merchant_id, discount_id, name, rate, amount, restricted, version)
  select p_merchant_id, r.discount_id, r.name, r.rate, r.amount, r.restricted, 1
  from json_populate_recordset(null::discounts, p_added -> 'discounts') as r
  on conflict do nothing;
  insert into items (
    merchant_id, item_id, name, description, category_id, picture_id, location_ids, online, archived, variations,
    modifier_list_ids, tax_ids, version, created_at, updated_at
  )
  select
    p_merchant_id, r.item_id, r.name, r.description, r.category_id, r.picture_id, r.location_ids, r.online, r.archived, r.variations,
    r.modifier_list_ids, r.tax_ids, 1, r.created_at, r.updated_at
  from json_populate_recordset(null::items, p_added -> 'items') as r
  on conflict do nothing;
  select count(*) into v_count from items where merchant_id = p_merchant_id;
  perform require_catalogue_room(v_count, p_most_items + 1);
end
$$;
