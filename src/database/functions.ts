/**
 * The functions in the database that write. Each room has its own in `functions.sql`. Those that write rows are printed from the tables
 * (decision 0255), and rules that TypeScript knows too are printed from there. They are installed into a schema that is named after their text, so that servers of several versions can use the same
 * database (decision 0131).
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PRINTED_RULES, TABLES } from '../tables.js';
import { distributeFunctions } from './distribution.js';
import type { Sql, Tx } from './sql.js';
import { printTableFunctions } from './table-functions.js';

const ROOMS = fileURLToPath(new URL('..', import.meta.url));
/** Folders beside the rooms in the built package that are not searched, because they have hundreds of files. */
const PAGES = new Set(['pages', 'docs']);
/** In the order of installation. */
const FILE_NAMES = ['types.sql', 'functions.sql'];

interface Functions {
  readonly schema: string;
  /** A body may call functions of a later file: names are resolved when it runs. */
  readonly texts: readonly string[];
}

let known: Functions | undefined;

function readFunctions(): Functions {
  if (known) return known;
  const all = listFiles().sort();
  const paths = FILE_NAMES.flatMap((name) => all.filter((path) => basename(path) === name));
  const written = paths.map((path) => readFileSync(join(ROOMS, path), 'utf8'));
  const texts = [...written, ...PRINTED_RULES.map((print) => print()), printTableFunctions(TABLES)];
  const hash = createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 12);
  known = { schema: `tillhouse_${hash}`, texts };
  return known;
}

/** Asks for the kind of each entry with its name: a call for each of thousands of files takes 30 ms at every start. */
function listFiles(folder = ''): string[] {
  return readdirSync(join(ROOMS, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return PAGES.has(path) ? [] : listFiles(path);
    return FILE_NAMES.includes(entry.name) ? [path] : [];
  });
}

/** Installs the functions of this version, unless they are there, and removes those that no server uses any more. */
export async function installFunctions(tx: Tx, { distributes }: { readonly distributes: boolean }): Promise<void> {
  const { schema, texts } = readFunctions();
  // The check makes sure that only schemas of functions are ever removed.
  await tx`
    create table if not exists function_schemas (
      name text primary key check (name ~ '^tillhouse_[0-9a-f]{12}$'),
      used_at timestamptz not null default now()
    )`;
  await recordFunctionUse(tx);
  await removeUnused(tx);
  const found = await tx`select from pg_namespace where nspname = ${schema}`;
  if (found.length > 0) return;
  await tx`create schema ${tx(schema)}`;
  // Functions that TypeScript calls keep this path (`set search_path from current`), and the others run inside of those. They also use
  // generic plans: PostgreSQL would plan a statement on an array anew for each call, which took half of the time of create_payments.
  await putFunctionsOnPath(tx);
  await tx`set local check_function_bodies = off`;
  for (const text of texts) await tx.unsafe(text);
  if (distributes) await distributeFunctions(tx, schema);
}

/** The schema of the functions of this version. Its name changes with their text. */
export const functionsSchema = (): string => readFunctions().schema;

/** For the rest of the transaction, functions are found by their names alone. */
export async function putFunctionsOnPath(tx: Tx): Promise<void> {
  const { schema } = readFunctions();
  await tx`select set_config('search_path', ${schema} || ', ' || current_setting('search_path'), true)`;
}

/** Records, once a day, that a server uses the functions of this version. Every running server calls this more often than that. */
export async function recordFunctionUse(tx: Tx): Promise<void> {
  await tx`
    insert into function_schemas (name)
    values (${readFunctions().schema})
    on conflict (name) do update
    set used_at = now()
    where function_schemas.used_at < now() - interval '1 day'`;
}

/**
 * Removes functions that no server has used for 30 days. A server of that version installs them again when it starts. Functions
 * that another role has installed stay, because only that role can remove them.
 */
async function removeUnused(tx: Tx): Promise<void> {
  const unused = await tx<{ name: string }[]>`
    delete from function_schemas
    using pg_namespace
    where nspname = name and used_at < now() - interval '30 days' and pg_has_role(nspowner, 'usage')
    returning name`;
  for (const { name } of unused) await tx`drop schema ${tx(name)} cascade`;
}

/**
 * Removes the functions of all versions. Those that were installed before the tables were distributed are not on the other nodes. A
 * server of another version installs its own again when it starts.
 */
export async function removeAllFunctions(tx: Tx): Promise<void> {
  const [found] = await tx<{ table: string | null }[]>`select to_regclass('function_schemas')::text as table`;
  if (!found?.table) return;
  const all = await tx<{ name: string }[]>`delete from function_schemas returning name`;
  for (const { name } of all) await tx`drop schema if exists ${tx(name)} cascade`;
}

/** The schema with the functions of this version. */
export function functionSchema(): string {
  return readFunctions().schema;
}

/** The name of a function, as a part of a statement: `` tx`select ${fn(tx, 'archive_sales')}(...)` ``. */
export function fn(sql: Sql, name: string) {
  return sql(`${readFunctions().schema}.${name}`);
}
