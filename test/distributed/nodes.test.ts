/** A node that stops, and one that goes silent: what its merchants get, what the others get, and what the server says. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.js';
import { pollUntil } from '../support/clock.js';
import { expectBooksInOrder, tryToPay } from '../support/payments.js';
import { isCluster, startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { Wire } from '../support/wire.js';

const SILENT_FOR_MS = 8_000;
/** For so long a statement waits for a silent node. */
const LIMIT_MS = 3_000;
const PATIENCE_MS = 20_000;
/** Merchants of the node, and as many others. Together more than a server has connections. */
const EACH = 8;

const isHere = ['127.0.0.1', 'localhost'].includes(new URL(inject('postgresUrl')).hostname);

interface Node {
  readonly nodeid: number;
  readonly nodeport: number;
  readonly groupid: number;
}

interface Answered {
  readonly status: number;
  readonly ms: number;
}

/** The wire is between the nodes, so all of them must be on this machine. */
describe.runIf(isCluster && isHere)('a node of a distributed database', () => {
  let server: TestServer;
  let wire: Wire;
  let node: Node;
  let ofNode: TestMerchant[] = [];
  let others: TestMerchant[] = [];

  beforeAll(async () => {
    server = await startTestServer();
    const { sql } = server.database;
    [node = { nodeid: 0, nodeport: 0, groupid: 0 }] = await sql<Node[]>`
      select nodeid, nodeport, groupid from pg_dist_node where groupid <> 0 order by groupid limit 1`;
    wire = await Wire.start(node.nodeport);
    await sql`select citus_update_node(${node.nodeid}, '127.0.0.1', ${wire.port})`;
    while (ofNode.length < EACH || others.length < EACH) {
      const merchant = await server.createMerchant();
      const found = await sql`
        select from pg_dist_placement
        where shardid = get_shard_id_for_distribution_column('merchants', ${merchant.id}::text) and groupid = ${node.groupid}`;
      (found.length > 0 ? ofNode : others).push(merchant);
    }
    [ofNode, others] = [ofNode.slice(0, EACH), others.slice(0, EACH)];
    await Promise.all([...ofNode, ...others].map((merchant) => tryToPay(server, merchant)));
  });
  afterAll(async () => {
    await expectBooksInOrder(server);
    await server.stop();
    await wire.stop();
  });

  /** Each merchant pays, one payment after the other, until the signal. */
  async function payUntil(merchants: readonly TestMerchant[], signal: AbortSignal): Promise<Answered[]> {
    const answers: Answered[] = [];
    const payAlways = async (merchant: TestMerchant): Promise<void> => {
      while (!signal.aborted) {
        const since = performance.now();
        const { status } = await tryToPay(server, merchant);
        answers.push({ status, ms: Math.round(performance.now() - since) });
        await sleep(50);
      }
    };
    await Promise.all(merchants.map(payAlways));
    return answers;
  }

  const untilServed = (merchant: TestMerchant) =>
    pollUntil(
      () => tryToPay(server, merchant),
      ({ status }) => status === 200,
      PATIENCE_MS,
    );
  const slowestOf = (answers: readonly Answered[]): number => Math.max(...answers.map(({ ms }) => ms));

  // Repeated, because a busy machine can stall one run. Statements that wait for the node would fail every time.
  it('that is silent gets 503 for its merchants, and does not delay the others', { retry: 2 }, async () => {
    const ending = new AbortController();
    await wire.become('hang');
    const paying = [payUntil(ofNode, ending.signal), payUntil(others, ending.signal)] as const;
    await sleep(SILENT_FOR_MS);
    ending.abort();
    const [ofSilent, ofOthers] = await Promise.all(paying);
    await wire.become('pass');
    const served = await Promise.all(ofNode.map(untilServed));

    expect(new Set(ofSilent.map(({ status }) => status))).toEqual(new Set([503]));
    expect(slowestOf(ofSilent)).toBeLessThan(SILENT_FOR_MS);
    // Most are refused at once, because the node is known to be silent.
    expect(ofSilent.filter(({ ms }) => ms < 500).length).toBeGreaterThan(ofSilent.length / 2);
    expect(new Set(ofOthers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(slowestOf(ofOthers)).toBeLessThan(LIMIT_MS);
    expect(served.map(({ status }) => status)).toEqual(served.map(() => 200));
  });

  it('that responds is waited for, however slow a statement is', async () => {
    const database = openDatabase(server.databaseUrl, { maxConnections: 2 });
    try {
      const [{ id } = { id: '' }] = ofNode;
      await database.locate(id);
      expect(await database.sql`select pg_sleep(6) from merchants where merchant_id = ${id}`).toHaveLength(1);
    } finally {
      await database.close();
    }
  });

  it('that is stopped is reported once, and once more when it is back', async () => {
    const said: string[] = [];
    const database = openDatabase(server.databaseUrl, {
      onNodeLost: (name) => said.push(`lost ${name}`),
      onNodeRestored: (name) => said.push(`restored ${name}`),
    });
    try {
      const name = `127.0.0.1:${wire.port}`;
      const ids = [...ofNode, ...others].map(({ id }) => id);
      for (const id of ids) await database.locate(id);
      await readAll(database, ids);
      await wire.become('refuse');
      for (let round = 0; round < 3; round++) expect(await readAll(database, ids)).toBe(EACH);
      expect(said).toEqual([`lost ${name}`]);
      await wire.become('pass');
      await pollUntil(
        () => readAll(database, ids),
        (failed) => failed === 0,
        PATIENCE_MS,
      );
      expect(said).toEqual([`lost ${name}`, `restored ${name}`]);
    } finally {
      await wire.become('pass');
      await database.close();
    }
  });
});

/** Reads each merchant. Returns how many reads failed. */
async function readAll({ sql }: Database, ids: readonly string[]): Promise<number> {
  const reads = ids.map((id) => sql`select from merchants where merchant_id = ${id}`);
  return (await Promise.allSettled(reads)).filter(({ status }) => status === 'rejected').length;
}
