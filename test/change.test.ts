/** Changes: decided on what was read, applied in one call, and decided again if something has changed meanwhile (decision 0132). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../src/base/errors.js';
import { realIds } from '../src/base/ids.js';
import { amount } from '../src/base/money.js';
import { instant } from '../src/base/time.js';
import { findShift } from '../src/business/cash-drawers/queries.js';
import { shifts } from '../src/business/cash-drawers/table.js';
import { addWork } from '../src/business/due-work/actions.js';
import { dueWork } from '../src/business/due-work/table.js';
import { idempotencyKeys } from '../src/business/idempotency/table.js';
import type { Role } from '../src/business/roles/model.js';
import { roles } from '../src/business/roles/table.js';
import { timecards } from '../src/business/timecards/table.js';
import { Change } from '../src/database/change.js';
import type { Database } from '../src/database/database.js';
import { makeShift } from './support/drawers.js';
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

const KEY = { applicationId: 'APP', operation: 'refundPayment' } as const;

/** Idempotency keys are the rows of these tests. */
const keyOf = (key: string) => ({ ...KEY, key });
const read = (change: Change, key: string) => change.read(idempotencyKeys, keyOf(key));
const readKey = async (change: Change, key: string) => (await read(change, key))?.madeId;

function insertKey(change: Change, key: string, madeId: string): void {
  const requestHash = Buffer.alloc(1);
  change.insert(idempotencyKeys, { ...keyOf(key), requestHash, madeId, createdAt: instant(0) });
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
      where merchant_id = ${merchant.id} and operation = ${KEY.operation}
      order by key`
  ).map(({ key, madeId }) => `${key}=${madeId}`);

describe('a change', () => {
  it('runs its steps in one commit, or none of them', async () => {
    const both = database.change(merchant.id, async (change) => {
      insertKey(change, 'a', '1');
      change.add(shifts, { id: realIds.newUuid(), state: 'OPEN' }, { cashPaidIn: amount(1) }); // there is no such shift
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
        const known = await read(change, 'a');
        const next = Number(known?.madeId) + 1;
        if (known) change.delete(idempotencyKeys, known);
        insertKey(change, 'a', String(next));
      });
    await Promise.all(Array.from({ length: 40 }, changeOnce));
    expect(await keys()).toEqual(['a=40']);
  });
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

describe('rows of a table', () => {
  const at = instant(Date.parse('2020-02-26T10:00:00Z'));
  const role = (name: string): Role => ({
    ...{ id: name, name, permissions: [], isOwner: false },
    ...{ createdAt: at, updatedAt: at },
  });
  const change = <Result>(work: (change: Change) => Promise<Result>) => database.change(merchant.id, work);
  const insertRoles = (...names: readonly string[]) =>
    change(async (all) => {
      for (const name of names) all.insert(roles, role(name));
    });
  const rename = (id: string, name: string) => database.sql`
    update roles set name = ${name} where merchant_id = ${merchant.id} and role_id = ${id}`;
  const names = async () => {
    const rows = await database.sql<{ name: string }[]>`
      select name from roles where merchant_id = ${merchant.id} order by role_id`;
    return rows.map(({ name }) => name);
  };

  it('are inserted, read, saved and deleted, all in one commit', async () => {
    await insertRoles('a', 'b');
    await change(async (all) => {
      const [a, b] = [await all.read(roles, { id: 'a' }), await all.read(roles, { id: 'b' })];
      if (!a || !b) throw new Error('a row is missing');
      expect(a).toEqual({ ...role('a'), version: a.version });
      all.save(roles, a, { ...a, name: 'A' });
      all.delete(roles, b);
      all.insert(roles, role('c'));
    });
    expect(await names()).toEqual(['A', 'c']);
  });

  it('that fulfill a condition are read together, and the change depends on each', async () => {
    await insertRoles('a', 'b', 'c');
    const seen: string[][] = [];
    await change(async (all) => {
      const found = await all.readAll(roles, all.sql`role_id < 'c'`);
      seen.push(found.map(({ name }) => name).sort());
      if (seen.length === 1) await Promise.all([rename('b', 'B'), rename('c', 'C')]);
      all.insert(roles, role('d'));
    });
    expect(seen).toEqual([
      ['a', 'b'],
      ['B', 'a'],
    ]);
  });

  it('are not deleted if they have changed', async () => {
    await insertRoles('a');
    const seen: string[] = [];
    await change(async (all) => {
      const found = await all.read(roles, { id: 'a' });
      if (!found) throw new Error('the row is missing');
      seen.push(found.name);
      if (seen.length === 1) await rename('a', 'A');
      if (found.name === 'a') all.delete(roles, found);
    });
    expect(seen).toEqual(['a', 'A']);
    expect(await names()).toEqual(['A']);
  });

  it('get another version if they are touched, and no other value', async () => {
    await insertRoles('a');
    const read = () => change((all) => all.read(roles, { id: 'a' }));
    const before = await read();
    await change(async (all) => {
      const found = await all.read(roles, { id: 'a' });
      if (found) all.touch(roles, found);
    });
    const after = await read();
    expect(after).toEqual({ ...before, version: after?.version });
    expect(after?.version).not.toBe(before?.version);
  });

  it('are written only if the change depends on them', async () => {
    await insertRoles('a');
    const unread = { ...role('a'), version: '1' };
    const all = new Change(merchant.id, database.sql);
    expect(() => all.save(roles, unread, role('a'))).toThrow('does not depend');
    expect(() => all.delete(roles, unread)).toThrow('does not depend');
  });

  it('are deleted without reading if the table permits it, also if there is none', async () => {
    const work = { kind: 'EXPIRE_ORDER', subjectId: 'ORDER', dueAt: at } as const;
    await change(async (all) => addWork(all, work));
    const count = async () =>
      (await database.sql`select from due_work where merchant_id = ${merchant.id} and subject_id = 'ORDER'`).length;
    expect(await count()).toBe(1);
    await change(async (all) => all.delete(dueWork, work));
    await change(async (all) => all.delete(dueWork, work));
    expect(await count()).toBe(0);
  });

  it('are deleted only from tables that permit it', async () => {
    const opened = await makeShift(server, merchant, { at: '2020-02-26T10:00:00Z' });
    await change(async (all) => {
      const shift = await all.read(shifts, { id: opened.id });
      expect(() => shift && all.delete(shifts, shift)).toThrow('are not deleted');
    });
  });

  it('are added to without reading, by many changes at once', async () => {
    const { id } = await makeShift(server, merchant, { at: '2020-02-26T10:00:00Z', opened: 100 });
    const employees = [realIds.newUuid(), realIds.newUuid()];
    let attempts = 0;
    const addOnce = (_: unknown, index: number) =>
      change(async (all) => {
        attempts++;
        const employeeIds = employees.slice(index % 2, (index % 2) + 1);
        all.add(shifts, { id, state: 'OPEN' }, { cashPaidIn: amount(3), cashPaidOut: amount(1), employeeIds });
      });
    await Promise.all(Array.from({ length: 20 }, addOnce));
    const shift = await findShift(database.sql, { merchantId: merchant.id, shiftId: id });
    expect(shift).toMatchObject({ cashPaidIn: 60, cashPaidOut: 20, cashPayments: 0, expectedCash: 140 });
    expect(shift?.employeeIds.slice(1).sort()).toEqual([...employees].sort());
    expect(attempts).toBe(20);
  });

  it('are not added to if the guard has another value', async () => {
    const { id } = await makeShift(server, merchant, { at: '2020-02-26T10:00:00Z', ended: true });
    const added = changeIn(database.sql, merchant.id, (all) =>
      all.add(shifts, { id, state: 'OPEN' }, { cashPaidIn: amount(3) }),
    );
    await expect(added).rejects.toMatchObject({ code: '40001' });
  });

  it('have only the members of their model', () => {
    const all = new Change(merchant.id, database.sql);
    const id = realIds.newUuid();
    // @ts-expect-error a key that the model does not have
    expect(() => all.add(shifts, { identifier: id, state: 'OPEN' }, { cashPaidIn: amount(1) })).toThrow('without id');
    // @ts-expect-error a column to which nothing is added
    all.add(shifts, { id, state: 'OPEN' }, { closedCash: amount(1) });
    // @ts-expect-error a table to which nothing is added
    all.add(timecards, { id }, { employeeId: id });
    // @ts-expect-error a member that the model does not have
    all.insert(roles, { id: 'a', nam: 'a', permissions: [], isOwner: false, createdAt: at, updatedAt: at });
    // @ts-expect-error a key that the model does not have
    expect(() => roles.toKey({ identifier: 'a' })).toThrow('without id');
    expect(() => all.add(shifts, { id }, { cashPaidIn: amount(1) })).toThrow('without state');
  });
});
