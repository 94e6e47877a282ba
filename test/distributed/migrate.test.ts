/** `migrate --distribute` on a real cluster: what it moves, what it refuses, and what a later migration adds. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { PLACEMENTS } from '../../src/database/placement.js';
import { createClusterDatabase, findNodes } from '../support/cluster.mjs';
import { expectBooksInOrder, getPayment, pay } from '../support/payments.js';
import { dropDatabase, inDatabase } from '../support/run-databases.mjs';
import { isCluster, startTestServer, type TestMerchant, withServer } from '../support/server.js';

const SHARDS = 3;

describe.runIf(isCluster)('migrate --distribute', () => {
  let name: string;
  let url: string;
  let database: Database;

  beforeEach(async () => {
    name = `${inject('databasePrefix')}${randomUUID().replaceAll('-', '')}`;
    await createClusterDatabase(await findNodes(inject('postgresUrl')), name);
    url = inDatabase(inject('postgresUrl'), name);
    database = openDatabase(url, { maxConnections: 1, hasLongTimeouts: true });
  });
  afterEach(async () => {
    await database.close();
    for (const nodeUrl of inject('nodeUrls')) {
      const admin = openDatabase(nodeUrl, { maxConnections: 1 });
      await dropDatabase(admin.sql, name);
      await admin.close();
    }
  });

  const distribute = () => migrate(database, { shards: SHARDS });
  const listPlaced = async (): Promise<string[]> => {
    const rows = await database.sql<{ name: string }[]>`select logicalrelid::text as name from pg_dist_partition`;
    return rows.map((row) => row.name).sort();
  };
  const placedByList = Object.keys(PLACEMENTS)
    .filter((table) => PLACEMENTS[table] !== 'local')
    .sort();
  const countDelegated = async (): Promise<number> => {
    const [row] = await database.sql<{ count: number }[]>`
      select count(*) from pg_dist_object where distribution_argument_index = 0`;
    return row?.count ?? 0;
  };

  it('places every table of a new database', async () => {
    await distribute();
    expect(await listPlaced()).toEqual(placedByList);
    expect(await database.isDistributed()).toBe(true);
    const [row] = await database.sql<{ shards: number }[]>`
      select count(*) as shards from pg_dist_shard where logicalrelid = 'payments'::regclass`;
    expect(row?.shards).toBe(SHARDS);
  });

  it('moves the rows of a plain database to their nodes, and leaves no copy behind', async () => {
    const before = await startTestServer({ databaseUrl: url });
    const merchants: TestMerchant[] = [];
    for (let index = 0; index < 4; index++) merchants.push(await before.createMerchant());
    const payments = await Promise.all(merchants.map((merchant) => pay(before, merchant)));
    await before.stop();
    expect(await database.isDistributed()).toBe(false);
    await distribute();
    const [row] = await database.sql<{ bytes: number }[]>`select pg_relation_size('payments') as bytes`;
    expect(row?.bytes).toBe(0);
    await withServer({ databaseUrl: url }, async (after) => {
      for (const [index, merchant] of merchants.entries()) {
        // The receipt is at the address of the server.
        const { receipt_url: _, ...stored } = payments[index] ?? {};
        expect(await getPayment(after, merchant, payments[index]?.id ?? '')).toMatchObject(stored);
        await pay(after, merchant);
      }
      await expectBooksInOrder(after);
    });
  });

  it('refuses a database that is distributed already', async () => {
    await distribute();
    await expect(distribute()).rejects.toThrow(/already distributed/);
  });

  it('refuses while a server runs, and changes nothing', async () => {
    await withServer({ databaseUrl: url }, async () => {
      await expect(distribute()).rejects.toThrow(/Another Tillhouse program uses the database/);
    });
    expect(await listPlaced()).toEqual([]);
  });

  it('refuses a worker node, and so does any migration', async () => {
    const worker = openDatabase(inDatabase(inject('nodeUrls')[1] ?? '', name), { maxConnections: 1 });
    await expect(migrate(worker, { shards: SHARDS })).rejects.toThrow(/worker node/);
    await expect(migrate(worker)).rejects.toThrow(/worker node/);
    await worker.close();
  });

  it('lets later migrations place new tables and delegate new functions', async () => {
    await distribute();
    const delegated = await countDelegated();
    expect(delegated).toBeGreaterThan(5);
    // As if a migration had just created this table, and the functions were those of another version.
    await database.sql`select undistribute_table('idempotency_keys')`;
    const [schema] = await database.sql<{ name: string }[]>`delete from function_schemas returning name`;
    await database.sql.unsafe(`drop schema ${schema?.name} cascade`);
    expect(await listPlaced()).not.toEqual(placedByList);
    expect(await countDelegated()).toBe(0);
    await migrate(database);
    expect(await listPlaced()).toEqual(placedByList);
    expect(await countDelegated()).toBe(delegated);
  });
});
