/** Sees whether anything was written, anywhere. */
import { expect } from 'vitest';
import type { TestServer } from '../support/server.js';

/** All that is stored, as one word a table: it changes when anything is written. */
async function stored({ database: { sql } }: TestServer): Promise<unknown> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name
    from information_schema.tables
    where table_schema = 'public' and table_name <> 'audit_events' -- refusals are recorded there (decision 120)
    order by 1`;
  const parts = tables.map(
    ({ name }) => `select '${name}', count(*), md5(string_agg(t::text, ',' order by t::text)) from ${name} t`,
  );
  // In one order: large tables may be read in parallel, and come as they are ready.
  return sql.unsafe(`${parts.join(' union all ')} order by 1`);
}

/** Runs what must not write anything. */
export async function writingNothing(server: TestServer, work: () => Promise<void>): Promise<void> {
  const before = await stored(server);
  await work();
  expect(await stored(server)).toEqual(before);
}
