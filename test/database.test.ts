/** The connection to PostgreSQL: values make the round trip unchanged, and the pool sends no statements of its own. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../src/database/database.js';
import { cloneDatabase } from './support/server.js';

const statements: string[] = [];
let database: Database;

beforeAll(() => {
  database = openDatabase(inject('postgresUrl'), {
    maxConnections: 1,
    onStatement: (text) => void statements.push(text),
  });
});
afterAll(() => database.close());

it('sends no statements of its own: no caller would receive their errors', async () => {
  await database.sql`select 1`;
  expect(statements).toEqual(['select 1']);
});

describe('arrays of texts', () => {
  const there = async (items: readonly string[]): Promise<unknown> => {
    const [row] = await database.sql<{ items: string[] }[]>`select ${items as string[]}::text[] as items`;
    return row?.items;
  };

  it.each([
    [[]],
    [['']],
    [['a', 'b']],
    [['NULL', 'null', ' ', 'a b', 'a,b', '{}', '{', '"', '\\', '\\"', '\n', 'é', '🂡', "'"]],
  ])('return unchanged: %j', async (items) => {
    expect(await there(items)).toEqual(items);
  });

  it('return unchanged for random contents', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'abNUL ,;{}"\\\n\t\'é🂡') });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 8 }), async (items) => {
        expect(await there(items)).toEqual(items);
      }),
      { numRuns: 200 },
    );
  });

  it('may contain nulls as parameters', async () => {
    const kinds = ['a', null] as string[];
    const rows = await database.sql`select kind from unnest(${kinds}::text[]) as kind`;
    expect(rows.map(({ kind }) => kind)).toEqual(['a', null]);
  });

  it('may contain identifiers', async () => {
    const ids = ['018f3f5e-8c3a-7000-8000-000000000001', '018f3f5e-8c3a-7000-8000-000000000002'];
    const [row] = await database.sql`select ${ids}::uuid[] as ids`;
    expect(row?.['ids']).toEqual(ids);
  });
});

describe('a connection', () => {
  const readPid = async (): Promise<number | undefined> => {
    const [row] = await database.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return row?.pid;
  };

  it('stays open after an error', async () => {
    const pid = await readPid();
    await expect(database.sql`select 1 / 0`).rejects.toMatchObject({ code: '22012' });
    expect(await readPid()).toBe(pid);
  });

  it('is replaced after a statement that is not supported: a distributed database could not plan the next ones', async () => {
    const pid = await readPid();
    await expect(database.sql`select count(*) from pg_class for update`).rejects.toMatchObject({ code: '0A000' });
    const next = await readPid();
    expect(next).not.toBe(pid);
    await expect(database.transaction((tx) => tx`select count(*) from pg_class for update`)).rejects.toThrow();
    expect(await readPid()).not.toBe(next);
  });
});

describe('a dropped database', () => {
  it('is reported to every caller, also on a connection that was lost with a statement in flight', async () => {
    const gone = await cloneDatabase({ empty: true });
    const asking = openDatabase(gone.url, { maxConnections: 1 });
    await asking.sql`select 1`;
    const lost = expect(asking.sql`select pg_sleep(600)`).rejects.toThrow();
    await gone.drop(); // FORCE cuts the open connections
    await lost;
    await expect(asking.sql`select 1`).rejects.toThrow();
    await asking.close();
  });
});
