import { describe, expect, it } from 'vitest';
import type { Connection, ConnectionListener } from './connection.js';
import type { Statement } from './driver.js';
import { Nodes } from './nodes.js';
import { Pool } from './pool.js';
import { DatabaseUnavailable } from './unavailable.js';

/** A connection that responds when the test says so. */
class FakeConnection {
  isReserved = false;
  isSpent = false;
  isAlive = true;
  node: string | undefined;
  since = performance.now();
  listener: ConnectionListener | undefined;
  readonly pending: Statement[] = [];

  get load(): number {
    return this.pending.length;
  }

  run(statement: Statement): void {
    this.pending.push(statement);
  }

  respond(): void {
    this.pending.shift()?.resolve([]);
    if (this.load === 0) this.listener?.onIdle(this as unknown as Connection);
  }

  fail(error: unknown): void {
    this.listener?.onFailure(error);
    this.pending.shift()?.reject(error);
    if (this.load === 0) this.listener?.onIdle(this as unknown as Connection);
  }

  async close(): Promise<void> {}
}

const PLACES = new Map([
  ['1', 'first:5432'],
  ['2', 'second:5432'],
]);

async function open(max = 10) {
  const said: string[] = [];
  const nodes = new Nodes({
    listShardNodes: async () => PLACES,
    onLost: (node) => said.push(`lost ${node}`),
    onRestored: (node) => said.push(`restored ${node}`),
  });
  await nodes.learn('A', '1');
  await nodes.learn('B', '2');
  const connections: FakeConnection[] = [];
  const pool = new Pool({
    max,
    nodes,
    dial: async () => {
      const connection = new FakeConnection();
      connections.push(connection);
      return connection as unknown as Connection;
    },
    onFailure: (error) => nodes.reportFailure(error),
    onDown() {},
    onUp() {},
  });
  /** The outcome of the statement so far. */
  const run = async (...args: unknown[]) => {
    const outcome: { value?: unknown; error?: unknown } = {};
    const statement = {
      args,
      handler() {},
      resolve: (value: unknown) => Object.assign(outcome, { value }),
      reject: (error: unknown) => Object.assign(outcome, { error }),
    };
    pool.run(statement);
    await new Promise((resolve) => setImmediate(resolve));
    return outcome;
  };
  const busy = (node: string | undefined) => connections.filter((each) => each.load > 0 && each.node === node);
  return { nodes, pool, said, run, busy, connections };
}

const refused = () =>
  Object.assign(new Error('connection to the remote node postgres@second:5432 failed with the following error: no'), {
    code: '08006',
  });

describe('the node of a statement', () => {
  it('is that of the merchant among its parameters, also in fragments and lists', async () => {
    const { nodes } = await open();
    expect(nodes.nodeOf({ args: ['x', 'A'] })).toBe('first:5432');
    expect(nodes.nodeOf({ args: [7, { args: [['B', 'C'], null] }] })).toBe('second:5432');
    expect([nodes.nodeOf({ args: ['C'] }), nodes.nodeOf({})]).toEqual([undefined, undefined]);
  });
});

describe('statements of one node', () => {
  it('leave connections to other nodes, whose statements are not sent behind them', async () => {
    const { run, busy, pool } = await open();
    for (let count = 0; count < 30; count++) await run('A');
    expect(busy('first:5432')).toHaveLength(7);
    await run('B');
    await run('unknown');
    expect([busy('second:5432').length, busy(undefined).length]).toEqual([1, 1]);
    for (let count = 0; count < 5; count++) await run('B');
    for (const { node, pending } of busy('first:5432'))
      expect([node, pending.length > 1]).toEqual(['first:5432', true]);
    expect(pool.connections.size).toBe(10);
  });

  it.each([2, 4])('wait for others that came first, with %i connections', async (max) => {
    const { run, connections, busy } = await open(max);
    await run('A');
    for (let count = 0; count < 6; count++) await run('B');
    expect([busy('first:5432').length, busy('second:5432').length]).toEqual([1, 1]);
    for (let count = 0; count < 20; count++) for (const each of connections) each.respond();
    expect(connections.every(({ load }) => load === 0)).toBe(true);
  });
});

describe('a silent node', () => {
  it('gets one statement at a time until it responds, and other statements are refused', async () => {
    const { nodes, pool, run, busy, said } = await open();
    await run('A');
    const waiting = await Promise.all(Array.from({ length: 3 }, () => run('A')));
    const error = nodes.reportSilence('first:5432');
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    if (error) pool.refuseNode('first:5432', error);
    expect(waiting.map((each) => each.error)).toEqual([undefined, undefined, undefined]); // they were sent before
    expect((await run('A')).error).toMatchObject({ message: 'the node first:5432 of the database does not respond' });
    expect((await run('B')).error).toBeUndefined();
    await expect.poll(async () => (await run('A')).error, { interval: 100, timeout: 5000 }).toBeUndefined();
    expect((await run('A')).error).toBeDefined();
    for (const connection of busy('first:5432')) connection.respond();
    expect(said).toEqual(['lost first:5432', 'restored first:5432']);
    expect((await run('A')).error).toBeUndefined();
  });

  it('is only slow if it responds to other statements', async () => {
    const { nodes, run, connections, said } = await open();
    await run('A');
    connections[0]?.respond();
    expect(nodes.reportSilence('first:5432')).toBeUndefined();
    expect(said).toEqual([]);
  });
});

describe('a node that cannot be reached', () => {
  it('is reported once, and once more when it responds; its statements are still sent', async () => {
    const { run, busy, said } = await open();
    for (let count = 0; count < 3; count++) {
      const outcome = await run('B');
      busy('second:5432')[0]?.fail(refused());
      expect(outcome.error).toMatchObject({ code: '08006' });
    }
    expect(said).toEqual(['lost second:5432']);
    await run('B');
    busy('second:5432')[0]?.fail(Object.assign(new Error('duplicate key'), { code: '23505' }));
    expect(said).toEqual(['lost second:5432', 'restored second:5432']);
  });

  it('is the one that the error names, not that of the merchant', async () => {
    const { run, busy, said } = await open();
    await run('A');
    busy('first:5432')[0]?.fail(refused());
    expect(said).toEqual(['lost second:5432']);
  });
});
