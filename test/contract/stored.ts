/** Detects whether anything was written to the database. */
import { beforeAll, expect, it } from 'vitest';
import type { TestServer } from '../support/server.js';

/**
 * All that is stored, as one number per table. It changes with every write, even one that writes the same values: PostgreSQL marks
 * each row version with its place and its transaction, so the rows themselves need not be read.
 */
async function stored(server: TestServer): Promise<unknown> {
  const statement = statements.get(server) ?? (await makeStatement(server));
  statements.set(server, statement);
  return server.database.sql.unsafe(statement, [], { prepare: true });
}

/** Tests create no tables. */
const statements = new WeakMap<TestServer, string>();

async function makeStatement({ database: { sql } }: TestServer): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name
    from information_schema.tables
    where table_schema = 'public'
      and table_name <> 'audit_events' -- refusals are recorded there (decision 0120)
      and table_name <> 'sale_copies' -- a cache that lists fill (decision 0199)
    order by 1`;
  expect(tables.length).toBeGreaterThan(20);
  const parts = tables.map(
    ({ name }) => `select '${name}', count(*), sum(hash_record_extended(row(ctid, xmin), 0)::numeric) from ${name}`,
  );
  // In a fixed order: a parallel scan of a large table returns rows in any order.
  return `${parts.join(' union all ')} order by 1`;
}

/** Runs a function that must not write anything. */
export async function writingNothing(server: TestServer, work: () => Promise<void>): Promise<void> {
  const before = await stored(server);
  await work();
  expect(await stored(server)).toEqual(before);
}

/** The last line of a `describe` whose tests must not write anything. What they need is created in a `beforeAll` before this one. */
export function itHasWrittenNothing(server: () => TestServer): void {
  let before: unknown;
  beforeAll(async () => {
    before = await stored(server());
  });
  it('has written nothing', async () => {
    expect(await stored(server())).toEqual(before);
  });
}
