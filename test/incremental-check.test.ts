/** `tillhouse check` after an earlier one: what it skips, and what it finds all the same (decisions 0249 and 0259). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks } from '../src/check/check.js';
import type { Law } from '../src/check/law.js';
import { atOneMoment } from '../src/check/moment.js';
import { type Database, openDatabase, type Sql } from '../src/database/database.js';
import { withProgress } from '../src/identity/check-progress.js';
import { runHere } from './support/commands.js';
import { openBusiness } from './support/people.js';
import { cash, item, sell } from './support/register-sales.js';
import { isCluster, startTestServer, type TestServer } from './support/server.js';

const SKIPPED = /^All \d+ laws hold\.\nSales that have not changed .+ were not read again/;
const READ_ALL = /^All \d+ laws hold\.\n$/;

let server: TestServer;
let database: Database;
let sql: Sql;
/** Two sales with receipts. */
let [first, second] = ['', ''];

beforeAll(async () => {
  server = await startTestServer();
  database = openDatabase(server.databaseUrl, { maxConnections: 4, hasLongTimeouts: true });
  sql = database.sql;
  const { register } = await openBusiness(server);
  const sale = { itemizations: [item(1000)], tenders: [cash()] };
  [first, second] = [(await sell(register, sale)).id, (await sell(register, sale)).id];
});
afterAll(async () => {
  await database.close();
  await server.stop();
});
beforeEach(async () => {
  await sql`delete from check_progress`;
});

const check = (...flags: string[]) => runHere(['check', '--database-url', server.databaseUrl, ...flags]);
const run = (options: Parameters<typeof checkBooks>[1]) => withProgress(database, () => checkBooks(database, options));
const violation = (saleId: string) => ({ code: 1, stderr: expect.stringContaining(` ${saleId}: due`) });

/** Changes the price of the only item of a sale, or changes it back. */
const changePrice = (on: Sql, saleId: string, price: number) => on`
  update sales
  set receipt = jsonb_set(receipt::jsonb, '{items,0,price}', ${String(price)}::text::jsonb)::json
  where coalesce(tender_ids[1], sale_id) = ${saleId} or sale_id = ${saleId}`;
const breakSale = (on: Sql, saleId: string) => changePrice(on, saleId, 999);
const mendSale = (on: Sql, saleId: string) => changePrice(on, saleId, 1000);
/** The id by which a law names the sale. */
async function idOf(saleId: string): Promise<string> {
  const [sale] = await sql<{ id: string }[]>`
    select sale_id as id from sales where tender_ids[1] = ${saleId} or sale_id = ${saleId}`;
  return sale?.id ?? '';
}

/** A transaction that stays open until `end` is called. */
async function openTransaction(work: (tx: Sql) => Promise<unknown>): Promise<{ end(): Promise<void> }> {
  let end = (): void => {};
  const mayEnd = new Promise<void>((resolve) => {
    end = resolve;
  });
  let ended: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    ended = database.transaction(async (tx) => {
      await work(tx);
      resolve();
      await mayEnd;
    });
    ended.catch(reject);
  });
  return {
    async end() {
      end();
      await ended;
    },
  };
}

describe.skipIf(isCluster)('an incremental check', () => {
  it('skips receipts that have not changed since the last check, and a full one reads them', async () => {
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringMatching(READ_ALL) });
    await breakSale(sql, first);
    // As if the broken version had been there and been checked.
    await sql`update check_progress set horizon = pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringMatching(SKIPPED) });
    expect(await check('--full')).toMatchObject(violation(await idOf(first)));
    await mendSale(sql, first);
  });

  it('finds what has changed, and reports it again until it is mended', async () => {
    await check();
    await breakSale(sql, first);
    expect(await check()).toMatchObject(violation(await idOf(first)));
    await breakSale(sql, second);
    const { stderr } = await check();
    expect([stderr.includes(await idOf(first)), stderr.includes(await idOf(second))]).toEqual([true, true]);
    await mendSale(sql, first);
    const later = (await check()).stderr;
    expect([later.includes(await idOf(first)), later.includes(await idOf(second))]).toEqual([false, true]);
    await mendSale(sql, second);
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringMatching(SKIPPED) });
  });

  it('finds that a row is gone or belongs to another record, and then reads everything of its merchant', async () => {
    const isRead = async (): Promise<string> => {
      const { code, stdout, stderr } = await check();
      return code === 0 ? (/all but (\d+)/.exec(stdout)?.[1] ?? stdout) : stderr;
    };
    await check();
    expect(await isRead()).toMatch(/^\d+$/);
    const [sold] = await sql<{ id: string }[]>`select sale_id as id from sales where sale_id = ${await idOf(first)}`;
    // A sale of cash has no movement, and its drawer was closed: only the payment says that the sale was paid.
    await sql`create table gone as select * from payments where sale_id = ${sold?.id ?? ''}`;
    await sql`delete from payments where sale_id = ${sold?.id ?? ''}`;
    expect(await isRead()).toContain(`${sold?.id}: tenders`);
    expect(await isRead()).toContain(`${sold?.id}: tenders`);
    const [columns] = await sql<{ names: string }[]>`
      select string_agg(quote_ident(attname), ', ') as names
      from pg_attribute
      where attrelid = 'payments'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
    await sql.unsafe(`insert into payments (${columns?.names}) select ${columns?.names} from gone`);
    await sql`drop table gone`;
    await check();
    expect(await isRead()).toMatch(/^\d+$/);
  });

  it('finds the change of an earlier transaction that commits after the check', async () => {
    const slow = await openTransaction((tx) => breakSale(tx, first));
    // Later transactions, which have ended.
    await mendSale(sql, second);
    expect((await check()).code).toBe(0);
    await slow.end();
    expect(await check()).toMatchObject(violation(await idOf(first)));
    await mendSale(sql, first);
  });

  it('finds the change of a subtransaction that commits after the check', async () => {
    const slow = await openTransaction(async (tx) => {
      await tx`select pg_current_xact_id()`;
      await tx.unsafe('savepoint inner_one');
      await breakSale(tx, first);
    });
    await mendSale(sql, second);
    expect((await check()).code).toBe(0);
    await slow.end();
    expect(await check()).toMatchObject(violation(await idOf(first)));
    await mendSale(sql, first);
  });

  it.each([
    ['a week after everything was read', "fully_checked_at = now() - interval '8 days'"],
    ['if the clock was set back', "fully_checked_at = now() + interval '1 hour'"],
    ['if the laws have changed', "laws = 'others'"],
    ['in another cluster or database', "place = '1 1'"],
    ['if ids of transactions have begun anew', 'horizon = horizon - 1000000001'],
  ])('reads everything %s', async (_, change) => {
    await check();
    await sql.unsafe(`update check_progress set ${change}`);
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringMatching(READ_ALL) });
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringMatching(SKIPPED) });
  });

  it('is not disturbed by another one at the same time', async () => {
    await breakSale(sql, first);
    const outcomes = await Promise.all([true, false, false].map((isFull) => run({ isFull, jobs: 2 })));
    const subjects = outcomes.map(({ breaches }) => breaches.map(({ subject }) => subject));
    expect(subjects).toEqual(outcomes.map(() => [expect.any(String)]));
    await mendSale(sql, first);
    await breakSale(sql, second);
    expect(await check()).toMatchObject(violation(await idOf(second)));
    await mendSale(sql, second);
  });

  it('skips nothing after so many findings that some of them are unknown', async () => {
    const many = {
      name: 'planted',
      statement:
        "select merchant_id, sale_id || number as subject, 'wrong' as found from sales s, generate_series(1, 2000) number where true",
      isOfSales: true,
    } as const;
    const few = { ...many, statement: `${many.statement} and number < 10` };
    const runOne = (law: Law) => run({ isFull: false, laws: [law] });
    expect((await runOne(many)).breaches).toHaveLength(20);
    expect((await runOne(many)).since).toBeUndefined();
    await runOne(few);
    expect((await runOne(few)).since).toMatchObject({ fullyCheckedAt: expect.any(String) });
  });
});

describe('connections at one moment', () => {
  const counts = async (opened: Database, jobs: number): Promise<string[]> => {
    const seen: string[] = [];
    await atOneMoment(opened, jobs, {
      // Something changes after the first connection has begun to look.
      prepare: async (tx) => {
        await tx`select from sales`;
        await sql`update sales set label = 'changed'`;
      },
      async run(tx) {
        const [found] = await tx<{ count: number }[]>`select count(*) as count from sales where label = 'changed'`;
        seen.push(String(found?.count));
        // So that all of them take part.
        for (let wait = 0; seen.length < jobs && wait < 300; wait++) await new Promise((go) => setTimeout(go, 10));
      },
    });
    return seen;
  };
  beforeEach(async () => {
    await sql`update sales set label = null`;
  });

  it.skipIf(isCluster)('see the same records', async () => {
    expect(await counts(database, 3)).toEqual(['0', '0', '0']);
  });

  it('do without those that the pool does not have', async () => {
    const narrow = openDatabase(server.databaseUrl, { maxConnections: 1, hasLongTimeouts: true });
    try {
      expect(await counts(narrow, 3)).toEqual(['0']);
    } finally {
      await narrow.close();
    }
  });

  it('fail if one of them fails, after all have ended', async () => {
    let open = 0;
    const run = async (tx: Sql) => {
      open++;
      try {
        await tx.unsafe(open === 2 ? 'select 1 / 0' : 'select pg_sleep(0.1)');
      } finally {
        open--;
      }
    };
    await expect(atOneMoment(database, 2, { prepare: async () => {}, run })).rejects.toThrow('division by zero');
    expect(open).toBe(0);
  });
});

it('refuses a number of jobs that makes no sense', async () => {
  for (const jobs of ['0', '65', 'many', '1.5']) {
    expect(await check('--jobs', jobs)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--jobs must be a whole number from 1 to 64, not '${jobs}'.`),
    });
  }
});

it('prints how long each law took', async () => {
  const { stdout } = await check('--verbose', '--full', '--jobs', '1');
  const seconds = [...stdout.matchAll(/^ *(\d+\.\d\d) s {2}\S/gm)].map(([, text]) => Number(text));
  expect(seconds.length).toBe(Number(/^All (\d+) laws hold/m.exec(stdout)?.[1]));
  expect(seconds).toEqual([...seconds].sort((a, b) => b - a));
});
