/** SQL statements on the stubs of a sandbox. */
import type { Sql, Tx } from '../database/database.js';
import type { StubDefinition } from './stub-definition.js';

export interface Stub {
  readonly id: string;
  /** Null: every merchant. */
  readonly merchantId: string | null;
  /** The file of the server's folder; null: added while the server ran. */
  readonly source: string | null;
  readonly definition: StubDefinition;
  /** How many requests it has answered. */
  readonly used: number;
}

const columns = (sql: Sql) => sql`stub_id as id, merchant_id, source, definition, used`;

export async function insertStub(tx: Tx, { id, merchantId, source, definition, used }: Stub): Promise<void> {
  await tx`
    insert into stubs (merchant_id, stub_id, source, definition, times, used)
    values (
      ${merchantId}, ${id}, ${source}, ${JSON.stringify(definition)}::text::json, ${definition.times ?? null}, ${used}
    )`;
}

/** How many there are, and how long they are in sum. */
export async function readStubSums(sql: Sql): Promise<{ readonly count: number; readonly length: number }> {
  const [sums] = await sql<{ count: number; length: number }[]>`
    select count(*)::integer as count, coalesce(sum(length(definition::text)), 0)::integer as length
    from stubs`;
  return sums ?? { count: 0, length: 0 };
}

/** Newest first, of one merchant or of all. */
export async function listStubs(sql: Sql, merchantId: string | undefined): Promise<Stub[]> {
  return sql<Stub[]>`
    select ${columns(sql)}
    from stubs
    where ${merchantId === undefined ? sql`true` : sql`merchant_id = ${merchantId}`}
    order by stub_id desc`;
}

/** Those that can still answer. */
export async function listStubIds(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select stub_id as id
    from stubs
    where times is null or used < times`;
  return rows.map(({ id }) => id);
}

export async function findStubs(sql: Sql, ids: readonly string[]): Promise<Stub[]> {
  return sql<Stub[]>`
    select ${columns(sql)}
    from stubs
    where stub_id = any (${ids as string[]})`;
}

/** Returns how often it has answered, with this time. Undefined: it is gone, or used up. */
export async function updateStubToUsed(tx: Tx, id: string): Promise<number | undefined> {
  const [row] = await tx<{ used: number }[]>`
    update stubs
    set used = used + 1
    where stub_id = ${id} and (times is null or used < times)
    returning used`;
  return row?.used;
}

export async function deleteStub(tx: Tx, id: string): Promise<boolean> {
  const deleted = await tx`delete from stubs where stub_id = ${id} returning stub_id`;
  return deleted.length > 0;
}

/** Locks rows in the order of their ids, so that two resets cannot deadlock. Stubs of files stay. */
export async function deleteAddedStubs(tx: Tx, merchantId: string | undefined): Promise<void> {
  await tx`
    delete from stubs
    where stub_id in (
      select stub_id
      from stubs
      where source is null and ${merchantId === undefined ? tx`true` : tx`merchant_id = ${merchantId}`}
      order by stub_id
      for update
    )`;
}

export async function updateStubsToUnused(tx: Tx): Promise<void> {
  await tx`
    update stubs
    set used = 0
    where source is not null and used > 0`;
}

export async function deleteStubsOfFiles(tx: Tx): Promise<void> {
  await tx`delete from stubs where source is not null`;
}
