/**
 * The functions that write the rows of a table, printed from its definition. They are installed with those of functions.sql (decision 0131),
 * and `apply_change` calls them. A distributed database runs them on the node of the merchant, so they follow its rules: one row by its
 * values, a condition on the merchant in each statement, and no rows as arguments.
 */
import type { Table } from './table.js';

type AnyTable = Pick<Table<never>, 'name' | 'columnNames' | 'keyColumns'>;

/** For each table, and one for each verb that finds the function of a table. */
export function printTableFunctions(tables: readonly AnyTable[]): string {
  return [
    ...tables.flatMap((table) => [printLock(table), printInsert(table), printSave(table)]),
    printVerbs(tables),
  ].join('\n');
}

/** Locks a row and returns its version, null if there is no such row. xmin is the transaction that wrote this version of the row. */
function printLock(table: AnyTable): string {
  return `
create function lock_${table.name}(p_merchant_id text, p_key json) returns text
language plpgsql as $$
declare
  v_row ${table.name} := json_populate_record(null::${table.name}, p_key);
  v_version text;
begin
  select xmin into v_version from ${table.name}
  ${whereKey(table)}
  for no key update;
  return v_version;
end
$$;`;
}

function printInsert({ name, columnNames }: AnyTable): string {
  return `
create function insert_${name}(p_merchant_id text, p_row json) returns void
language plpgsql as $$
declare
  v_row ${name} := json_populate_record(null::${name}, p_row);
begin
  insert into ${name} (merchant_id, ${columnNames.join(', ')})
  values (p_merchant_id, ${columnNames.map((column) => `v_row.${column}`).join(', ')});
end
$$;`;
}

/** Changes the columns that p_row has. The others are not touched, so that long values are not written again. */
function printSave(table: AnyTable): string {
  const { name, columnNames, keyColumns } = table;
  const saved = columnNames.filter((column) => !keyColumns.includes(column));
  if (saved.length === 0) return '';
  return `
create function save_${name}(p_merchant_id text, p_row json) returns void
language plpgsql as $$
declare
  v_row ${name} := json_populate_record(null::${name}, p_row);
  v_members jsonb := p_row;
begin
  update ${name}
  set
    ${saved.map((column) => `${column} = case when v_members ? '${column}' then v_row.${column} else ${name}.${column} end`).join(',\n    ')}
  ${whereKey(table)};
end
$$;`;
}

function whereKey({ keyColumns }: AnyTable): string {
  return `where merchant_id = p_merchant_id${keyColumns.map((column) => ` and ${column} = v_row.${column}`).join('')}`;
}

function printVerbs(tables: readonly AnyTable[]): string {
  const cases = (print: (name: string) => string) => tables.map(({ name }) => print(name)).join('\n    ');
  return `
create function lock_row(p_merchant_id text, p_table text, p_key json) returns text
language plpgsql as $$
begin
  case p_table
    ${cases((name) => `when '${name}' then return lock_${name}(p_merchant_id, p_key);`)}
  end case;
end
$$;

create function write_row(p_merchant_id text, p_call text, p_row json) returns void
language plpgsql as $$
begin
  case p_call
    ${cases((name) => `when 'insert_${name}' then perform insert_${name}(p_merchant_id, p_row);\n    when 'save_${name}' then perform save_${name}(p_merchant_id, p_row);`)}
  end case;
end
$$;`;
}
