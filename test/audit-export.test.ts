/** The export of the audit log: every event once, also while others write (decision 0244). */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordAudit } from '../src/identity/audit.js';
import { exportAudit, findEnd } from '../src/identity/audit-export.js';
import { startTestServer, type TestServer } from './support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const NUMBERED = 'MODE_CHANGED';

/** Commits the event after some time. Its own time is earlier than that of events that others commit meanwhile. */
function record(name: string, beforeCommit: () => Promise<unknown> = async () => {}): Promise<void> {
  return server.database.transaction(async (tx) => {
    await recordAudit(tx, { kind: NUMBERED, merchantId: `M${name.length}`, details: { name } });
    await beforeCommit();
  });
}

/** The names of all events after a cursor, and the next cursor. */
async function exportAfter(cursor: number) {
  const names: string[] = [];
  let next = cursor;
  for await (const page of exportAudit(server.database, cursor, { kind: NUMBERED })) {
    names.push(...page.map(({ details }) => details['name'] ?? ''));
    next = page.at(-1)?.position ?? next;
  }
  return { names, next };
}

it('has an event that was committed later than newer ones', async () => {
  const start = await findEnd(server.database);
  let commit: () => void = () => {};
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let begun: () => void = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const early = record('early', () => {
    begun();
    return mayCommit;
  });
  await hasBegun;
  await record('late');
  const first = await exportAfter(start);
  expect(first.names).toEqual(['late']);
  commit();
  await early;
  const second = await exportAfter(first.next);
  expect(second.names).toEqual(['early']);
  expect((await exportAfter(second.next)).names).toEqual([]);
  expect((await exportAfter(start)).names).toEqual(['late', 'early']); // the same order again
});

it('has every event once, for each of several collectors, while others write', { timeout: 60_000 }, async () => {
  const start = await findEnd(server.database);
  const written: string[] = [];
  let isOver = false;
  const write = async (writer: string): Promise<void> => {
    for (let count = 0; count < 60; count++) {
      const name = `${writer}-${count}`;
      await record(name, () => sleep(randomInt(12)));
      written.push(name);
    }
  };
  const collect = async (): Promise<string[]> => {
    const names: string[] = [];
    for (let next = start, isLast = false; !isLast; ) {
      isLast = isOver;
      const found = await exportAfter(next);
      names.push(...found.names);
      next = found.next;
    }
    return names;
  };
  const collectors = [collect(), collect()];
  await Promise.all(['one', 'two', 'three', 'four'].map(write));
  isOver = true;
  for (const names of await Promise.all(collectors)) {
    expect(names).toHaveLength(240);
    expect([...names].sort()).toEqual([...written].sort());
  }
});

it('continues after more events than a page has, and after old ones were deleted', async () => {
  const start = await findEnd(server.database);
  await server.database.sql.unsafe(`
    insert into audit_events (merchant_id, audit_event_id, occurred_at, kind, occurrences, details)
    select 'M', 'bulk-' || number, now(), '${NUMBERED}', 1, json_build_object('name', number)
    from generate_series(1, 1203) as number`);
  const { names, next } = await exportAfter(start);
  expect(new Set(names).size).toBe(1203);
  await server.database.sql`delete from audit_events`;
  await record('after');
  expect((await exportAfter(next)).names).toEqual(['after']);
});
