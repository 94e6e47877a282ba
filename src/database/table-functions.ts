/**
 * The functions that write the rows of a table, printed from its definition. They are installed with those of functions.sql (decision 0131),
 * and `apply_change` calls them. A distributed database runs them on the node of the merchant, so they follow its rules: one row by its
 * values, a condition on the merchant in each statement, and no rows as arguments.
 */
import type { Table } from './table.js';

type AnyTable = Pick<
  Table<never>,
  'name' | 'columnNames' | 'keyColumns' | 'sumColumns' | 'setColumns' | 'guardedColumns' | 'deletes' | 'inBulk'
>;

interface Verb {
  readonly name: 'insert' | 'save' | 'add' | 'delete';
  readonly print: (table: AnyTable) => string;
  /** Whether the table has the function. */
  readonly isFor: (table: AnyTable) => boolean;
}

/** What a step can do with a row. */
const VERBS: readonly Verb[] = [
  { name: 'insert', print: printInsert, isFor: () => true },
  { name: 'save', print: printSave, isFor: (table) => savedColumns(table).length > 0 },
  { name: 'add', print: printAdd, isFor: ({ sumColumns, setColumns }) => sumColumns.length + setColumns.length > 0 },
  { name: 'delete', print: printDelete, isFor: ({ deletes }) => deletes !== false },
];

/** For each table, and one for each verb that finds the function of a table. */
export function printTableFunctions(tables: readonly AnyTable[]): string {
  return [
    ...tables.flatMap((table) => [
      printLock(table),
      printInsertAll(table),
      ...verbsOf(table).map(({ print }) => print(table)),
    ]),
    printCalls(tables),
  ].join('\n');
}

function verbsOf(table: AnyTable): readonly Verb[] {
  return VERBS.filter(({ isFor }) => isFor(table));
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
  ${where(table.keyColumns)}
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

/**
 * Inserts rows that name their merchants. On a distributed database, inserting one row of values costs a quarter of inserting selected rows.
 * The columns are listed, because v_row.* would send the whole row once for each column.
 */
function printInsertAll({ name, columnNames, inBulk }: AnyTable): string {
  if (!inBulk) return '';
  const { apart } = inBulk;
  const columns = ['merchant_id', ...columnNames];
  // A list that is unnested has the name of the function as its column.
  const select = (column: string) => (column === apart ? 'given.unnest' : `given.${column}`);
  return `
create function insert_all_${name}(p_rows ${name}[]${apart ? ', p_apart text[]' : ''}) returns void
language plpgsql as $$
declare
  v_row ${name};
begin
  if cardinality(p_rows) = 1 then
    v_row := p_rows[1];${apart ? `\n    v_row.${apart} := p_apart[1];` : ''}
    insert into ${name} (${columns.join(', ')})
    values (${columns.map((column) => `v_row.${column}`).join(', ')});
  else
    insert into ${name} (${columns.join(', ')})
    select ${columns.map(select).join(', ')}
    from unnest(p_rows${apart ? ', p_apart' : ''}) as given;
  end if;
end
$$;`;
}

/** Changes the columns that p_row has. The others are not touched, so that long values are not written again. */
function printSave(table: AnyTable): string {
  const { name } = table;
  return `
create function save_${name}(p_merchant_id text, p_row json) returns void
language plpgsql as $$
declare
  v_row ${name} := json_populate_record(null::${name}, p_row);
  v_members jsonb := p_row;
begin
  update ${name}
  set
    ${savedColumns(table)
      .map((column) => `${column} = case when v_members ? '${column}' then v_row.${column} else ${name}.${column} end`)
      .join(',\n    ')}
  ${where(table.keyColumns)};
end
$$;`;
}

function savedColumns({ columnNames, keyColumns }: AnyTable): readonly string[] {
  return columnNames.filter((column) => !keyColumns.includes(column));
}

/** Adds without a version, so that two changes can add to a row at the same time. If there is no such row, the change is repeated. */
function printAdd({ name, sumColumns, setColumns, guardedColumns }: AnyTable): string {
  const sums = sumColumns.map((column) => `${column} = ${name}.${column} + coalesce(v_row.${column}, 0)`);
  const sets = setColumns.map(
    (column) =>
      `${column} = case when v_row.${column} <@ ${name}.${column} then ${name}.${column} else ${name}.${column} || v_row.${column} end`,
  );
  return `
create function add_${name}(p_merchant_id text, p_row json) returns void
language plpgsql as $$
declare
  v_row ${name} := json_populate_record(null::${name}, p_row);
begin
  update ${name}
  set
    ${[...sums, ...sets].join(',\n    ')}
  ${where(guardedColumns)};
  if not found then
    raise exception 'add_${name}: there is no such row: %', p_row using errcode = 'serialization_failure';
  end if;
end
$$;`;
}

function printDelete(table: AnyTable): string {
  return `
create function delete_${table.name}(p_merchant_id text, p_row json) returns void
language plpgsql as $$
declare
  v_row ${table.name} := json_populate_record(null::${table.name}, p_row);
begin
  delete from ${table.name}
  ${where(table.keyColumns)};
end
$$;`;
}

function where(columns: readonly string[]): string {
  return `where merchant_id = p_merchant_id${columns.map((column) => ` and ${column} = v_row.${column}`).join('')}`;
}

function printCalls(tables: readonly AnyTable[]): string {
  const locks = tables.map(({ name }) => `when '${name}' then return lock_${name}(p_merchant_id, p_key);`);
  const writes = tables
    .flatMap((table) => verbsOf(table).map((verb) => `${verb.name}_${table.name}`))
    .map((name) => `when '${name}' then perform ${name}(p_merchant_id, p_row);`);
  return `
create function lock_row(p_merchant_id text, p_table text, p_key json) returns text
language plpgsql as $$
begin
  case p_table
    ${locks.join('\n    ')}
  end case;
end
$$;

create function write_row(p_merchant_id text, p_call text, p_row json) returns void
language plpgsql as $$
begin
  case p_call
    ${writes.join('\n    ')}
  end case;
end
$$;`;
}
