-- Snapshots are taken and put back here only.

-- How many records a merchant has in these tables, and how many bytes they take.
create function measure_records(p_merchant_id text, p_tables text[]) returns json
language plpgsql stable as $$
declare
  v_table text;
  v_records bigint;
  v_bytes bigint;
  v_all_records bigint := 0;
  v_all_bytes bigint := 0;
begin
  foreach v_table in array p_tables loop
    execute format('select count(*), coalesce(sum(pg_column_size(kept)), 0) from %I as kept where merchant_id = $1', v_table)
    into v_records, v_bytes
    using p_merchant_id;
    v_all_records := v_all_records + v_records;
    v_all_bytes := v_all_bytes + v_bytes;
  end loop;
  return json_build_object('records', v_all_records, 'bytes', v_all_bytes);
end
$$;

-- Replaces the snapshot of a merchant by a copy of what is in these tables now.
create function take_snapshot(p_merchant_id text, p_tables text[], p_taken_at timestamptz, p_schema_version text) returns void
language plpgsql
set search_path from current
as $$
declare
  v_table text;
  v_count integer;
  v_records json;
begin
  delete from merchant_snapshots
  where merchant_id = p_merchant_id;
  foreach v_table in array p_tables loop
    execute format(
      'select count(*), coalesce(json_agg(row_to_json(kept)), ''[]'') from %I as kept where merchant_id = $1', v_table
    )
    into v_count, v_records
    using p_merchant_id;
    insert into merchant_snapshots (merchant_id, table_name, taken_at, schema_version, record_count, records)
    values (p_merchant_id, v_table, p_taken_at, p_schema_version, v_count, v_records);
  end loop;
end
$$;

-- Deletes the records in these tables, which are in the order of the foreign keys.
create function delete_records(p_merchant_id text, p_tables text[]) returns void
language plpgsql as $$
declare
  v_place integer;
begin
  for v_place in reverse cardinality(p_tables)..1 loop
    execute format('delete from %I where merchant_id = $1', p_tables[v_place])
    using p_merchant_id;
  end loop;
end
$$;

-- Inserts a list of records into a table. The row of the merchant itself stays and gets the values of its record.
create function insert_records(p_merchant_id text, p_table text, p_records json) returns void
language plpgsql as $$
begin
  execute format(
    case p_table
      when 'merchants' then
        'update %1$I set (%2$s) = (select %2$s from json_populate_recordset(null::%1$I, $1)) where merchant_id = $2'
      else 'insert into %1$I (%2$s) select %2$s from json_populate_recordset(null::%1$I, $1) where merchant_id = $2'
    end,
    p_table, list_columns(p_table)
  )
  using p_records, p_merchant_id;
end
$$;

-- The records of a merchant in these tables: a list for each.
create function list_records(p_merchant_id text, p_tables text[]) returns json
language plpgsql stable as $$
declare
  v_table text;
  v_records json;
  v_all json[] := '{}';
begin
  foreach v_table in array p_tables loop
    execute format('select coalesce(json_agg(row_to_json(kept)), ''[]'') from %I as kept where merchant_id = $1', v_table)
    into v_records
    using p_merchant_id;
    v_all := v_all || v_records;
  end loop;
  return array_to_json(v_all);
end
$$;

-- Replaces the records of a merchant that nobody knows yet by these, a list for each table, and its own values by p_merchant.
create function replace_records(p_merchant_id text, p_merchant json, p_tables text[], p_records json) returns void
language plpgsql
set search_path from current
as $$
declare
  v_place integer;
begin
  perform delete_records(p_merchant_id, p_tables);
  perform insert_records(p_merchant_id, 'merchants', json_build_array(p_merchant));
  for v_place in 1..cardinality(p_tables) loop
    perform insert_records(p_merchant_id, p_tables[v_place], p_records -> (v_place - 1));
  end loop;
end
$$;

-- Replaces the records in these tables by those of the snapshot. The tables are in the order of the foreign keys. The table of merchants is
-- not one of them: its row stays and gets its old values. The caller has locked the tables, and moves the clock afterwards. Claims of
-- workers are released: a worker that made one finds that the row has changed.
create function put_back_snapshot(p_merchant_id text, p_tables text[]) returns void
language plpgsql
set search_path from current
as $$
declare
  v_table text;
  v_records json;
begin
  perform delete_records(p_merchant_id, p_tables);

  foreach v_table in array array['merchants'] || p_tables loop
    select records
    into strict v_records
    from merchant_snapshots
    where merchant_id = p_merchant_id and table_name = v_table;
    perform insert_records(p_merchant_id, v_table, v_records);
  end loop;

  update due_work
  set leased_until = null
  where merchant_id = p_merchant_id and leased_until is not null;
  update processor_calls
  set leased_until = null
  where merchant_id = p_merchant_id and leased_until is not null;
end
$$;
