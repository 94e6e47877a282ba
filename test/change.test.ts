/** Changes: decided on what was read, applied in one call, and decided again if something has changed meanwhile (decision 0132). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../src/base/errors.js';
import { Change, json, type Versioned } from '../src/database/change.js';
import type { Database } from '../src/database/database.js';
import { changeIn, interleave } from './support/interleaving.js';
import { startTestServer, type TestMerchant, type TestServer } from './support/server.js';

let server: TestServer;
let database: Database;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  ({ database } = server);
});
beforeEach(async () => {
  merchant = await server.createMerchant();
});
afterAll(() => server.stop());

const KEY = { application: 'APP', operation: 'refundPayment' } as const;

/** Idempotency keys are the rows of these tests: a step inserts them, and they are read with their version. */
async function readKey(change: Change, key: string): Promise<string | undefined> {
  const [row] = await change.sql<(Versioned & { madeId: string })[]>`
    select made_id, xmin::text as version
    from idempotency_keys
    where merchant_id = ${change.merchantId} and application_id = ${KEY.application} and operation = ${KEY.operation}
      and key = ${key}`;
  change.expect('idempotency_keys', [KEY.application, KEY.operation, key], row);
  return row?.madeId;
}

function insertKey(change: Change, key: string, madeId: string): void {
  change.call('take_key', { key: json(JSON.stringify(keyRow(key, madeId))) });
}

const give = (key: string, madeId: string) =>
  database.change(merchant.id, async (change) => insertKey(change, key, madeId));

/** An update by somebody else. */
const touch = (key: string) => database.sql`
  update idempotency_keys set made_id = made_id || '!' where merchant_id = ${merchant.id} and key = ${key}`;

const keys = async () =>
  (
    await database.sql<{ key: string; madeId: string }[]>`
      select key, made_id from idempotency_keys
      where merchant_id = ${merchant.id} and operation = ${KEY.operation} -- without the traces of released keys
      order by key`
  ).map(({ key, madeId }) => `${key}=${madeId}`);

describe('a change', () => {
  it('runs its steps in one commit, or none of them', async () => {
    const both = database.change(merchant.id, async (change) => {
      insertKey(change, 'a', '1');
      change.call('record_drawer_event', { event: json('{}'), added: json('{}') }); // there is no such shift
    });
    await expect(both).rejects.toMatchObject({ code: '40001' });
    expect(await keys()).toEqual([]);
  });

  it('is decided again if a row that it read has changed', async () => {
    await give('a', '1');
    const seen: (string | undefined)[] = [];
    await database.change(merchant.id, async (change) => {
      seen.push(await readKey(change, 'a'));
      if (seen.length === 1) await touch('a');
      insertKey(change, 'b', seen.at(-1) ?? '');
    });
    expect(seen).toEqual(['1', '1!']);
    expect(await keys()).toEqual(['a=1!', 'b=1!']);
  });

  it('is decided again if a row that was missing is there now', async () => {
    const seen: (string | undefined)[] = [];
    await database.change(merchant.id, async (change) => {
      seen.push(await readKey(change, 'a'));
      if (seen.length === 1) await give('a', 'other');
      insertKey(change, `b${seen.length}`, '1');
    });
    expect(seen).toEqual([undefined, 'other']);
    expect(await keys()).toEqual(['a=other', 'b2=1']);
  });

  it('is decided again if two of its reads differ', async () => {
    await give('a', '1');
    let attempts = 0;
    await database.change(merchant.id, async (change) => {
      attempts++;
      await readKey(change, 'a');
      if (attempts === 1) await touch('a');
      await readKey(change, 'a');
      insertKey(change, 'b', '1');
    });
    expect(attempts).toBe(2);
  });

  it('waits for a transaction that holds a row, and sees what it committed', async () => {
    await give('a', '1');
    await interleave(server, {
      hold: (tx) => tx`update idempotency_keys set made_id = '2' where merchant_id = ${merchant.id} and key = 'a'`,
      work: () =>
        database.change(merchant.id, async (change) => insertKey(change, 'b', (await readKey(change, 'a')) ?? '')),
    });
    expect(await keys()).toEqual(['a=2', 'b=2']);
  });

  it('applies if a row was only locked', async () => {
    await give('a', '1');
    let attempts = 0;
    await interleave(server, {
      hold: (tx) => tx`select from idempotency_keys where merchant_id = ${merchant.id} for update`,
      work: () =>
        database.change(merchant.id, async (change) => {
          attempts++;
          await readKey(change, 'a');
          insertKey(change, 'b', '1');
        }),
    });
    expect(attempts).toBe(1);
  });

  it('calls nothing if it has no steps', async () => {
    const sent: string[] = [];
    const sql = database.sql;
    const change = new Change(merchant.id, ((...args: never[]) => {
      sent.push('statement');
      return (sql as unknown as (...args: never[]) => unknown)(...args);
    }) as never);
    await change.apply();
    await change.confirm();
    expect(sent).toEqual([]);
  });

  it('is decided again after a unique violation, and then sees the row that caused it', async () => {
    const taken = await interleave(server, {
      hold: (tx) => changeIn(tx, merchant.id, (change) => insertKey(change, 'a', 'first')),
      work: () =>
        database.change(merchant.id, async (change) => {
          const known = await readKey(change, 'a');
          if (known === undefined) insertKey(change, 'a', 'second');
          return known;
        }),
    });
    expect(taken).toBe('first');
  });

  it('gives up after a few unique violations in a row', async () => {
    await give('a', '1');
    let attempts = 0;
    const insertedTwice = database.change(merchant.id, async (change) => {
      attempts++;
      insertKey(change, 'a', '2');
    });
    await expect(insertedTwice).rejects.toMatchObject({ code: '23505' });
    expect(attempts).toBe(3);
  });

  it('lets every one of many changes of one row win once', async () => {
    await give('a', '0');
    const changeOnce = () =>
      database.change(merchant.id, async (change) => {
        const [row] = await change.sql<(Versioned & { madeId: string })[]>`
          select made_id, xmin::text as version from idempotency_keys
          where merchant_id = ${merchant.id} and operation = ${KEY.operation} and key = 'a'`;
        change.expect('idempotency_keys', [KEY.application, KEY.operation, 'a'], row);
        const next = Number(row?.madeId) + 1;
        change.call('release_key', { key: json(JSON.stringify(keyRow('a', row?.madeId ?? ''))) });
        insertKey(change, 'a', String(next));
      });
    await Promise.all(Array.from({ length: 40 }, changeOnce));
    expect(await keys()).toEqual(['a=40']);
  });
});

const keyRow = (key: string, madeId: string) => ({
  application_id: KEY.application,
  operation: KEY.operation,
  key,
  request_hash: '\\x00',
  made_id: madeId,
});

describe('a refusal', () => {
  const refuse = (change: Change) => {
    insertKey(change, 'never', '1');
    throw new Refusal('WRONG_STATE');
  };

  it('is thrown, and nothing is written', async () => {
    await give('a', '1');
    const refused = database.change(merchant.id, async (change) => {
      await readKey(change, 'a');
      refuse(change);
    });
    await expect(refused).rejects.toMatchObject({ reason: 'WRONG_STATE' });
    expect(await keys()).toEqual(['a=1']);
  });

  it('is decided again if a row that it depends on has changed', async () => {
    await give('a', '1');
    let attempts = 0;
    const decided = await database.change(merchant.id, async (change) => {
      attempts++;
      const seen = await readKey(change, 'a');
      if (seen === '1!') return 'permitted';
      await touch('a');
      return refuse(change);
    });
    expect([decided, attempts]).toEqual(['permitted', 2]);
  });
});
