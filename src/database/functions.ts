/**
 * The functions in the database that write. Each room has its own in `functions.sql`. They are installed into a schema that is
 * named after their text, so that two versions of the program can use the same database.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sql, Tx } from './database.js';

const ROOMS = fileURLToPath(new URL('..', import.meta.url));
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
  const all = readdirSync(ROOMS, { recursive: true, encoding: 'utf8' }).sort();
  const paths = FILE_NAMES.flatMap((name) => all.filter((path) => basename(path) === name));
  const texts = paths.map((path) => readFileSync(join(ROOMS, path), 'utf8'));
  const hash = createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, 12);
  known = { schema: `tillhouse_${hash}`, texts };
  return known;
}

/** Installs the functions of this version, unless they are there. Functions of other versions stay. */
export async function installFunctions(tx: Tx): Promise<void> {
  const { schema, texts } = readFunctions();
  const found = await tx`select from pg_namespace where nspname = ${schema}`;
  if (found.length > 0) return;
  await tx`create schema ${tx(schema)}`;
  // Functions that TypeScript calls keep this path (`set search_path from current`), and the others run inside of those. They also use
  // generic plans: PostgreSQL would plan a statement on an array anew for each call, which took half of the time of create_payments.
  await tx`set local search_path = ${tx(schema)}, public`;
  await tx`set local check_function_bodies = off`;
  for (const text of texts) await tx.unsafe(text);
  await tx`set local search_path = public`;
}

/** The name of a function, as a part of a statement: `` tx`select ${fn(tx, 'close_day')}(...)` ``. */
export function fn(sql: Sql, name: string) {
  return sql(`${readFunctions().schema}.${name}`);
}
