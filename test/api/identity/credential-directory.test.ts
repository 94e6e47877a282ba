/** The directory of credentials: what is written when, what a crash leaves, and what is deleted (decision 0134). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CREDENTIAL_TABLES, type CredentialKind } from '../../../src/access/credential-tables.js';
import { deleteOrphans } from '../../../src/access/orphans.js';
import { createPersonalToken } from '../../../src/access/tokens.js';
import { realNow } from '../../../src/base/clock.js';
import { hashSecret } from '../../../src/base/secrets.js';
import { DAY_MS, instant, MINUTE_MS } from '../../../src/base/time.js';
import { issueCredentials } from '../../../src/identity/directory.js';
import { PERMISSIONS } from '../../../src/identity/permissions.js';
import {
  allow,
  createApplication,
  createOwner,
  credentialsOf,
  grant,
  obtainToken,
  type TestOwner,
} from '../../support/oauth.js';
import { expectBooksInOrder } from '../../support/payments.js';
import { openRegister, pairDevice } from '../../support/people.js';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

async function listEntries(hash: Buffer): Promise<string[]> {
  const rows = await server.database.sql<{ merchantId: string }[]>`
    select merchant_id from credential_directory where hash = ${hash}`;
  return rows.map(({ merchantId }) => merchantId);
}

async function statusWith(token: string): Promise<number> {
  return (await server.call('GET', '/v2/locations', { token })).status;
}

/** Removes orphans as the worker does, but also those that were made just now. */
async function sweep(): Promise<void> {
  const now = realNow();
  const until = instant(now + 10 * MINUTE_MS);
  await deleteOrphans(server.database, { from: instant(now - DAY_MS), until, signal: new AbortController().signal });
}

describe('a new credential', () => {
  it('of every kind has an entry with its merchant', async () => {
    const application = await createApplication(server);
    await grant(server, application, owner.merchant.id);
    await allow(server, application, owner);
    await openRegister(server, owner);
    const body = { location_id: owner.merchant.locationIds[0] };
    expect((await owner.call('POST', '/api/dashboard/publishable-keys', { body })).status).toBe(200);
    const { sql } = server.database;
    for (const { table, hash } of Object.values(CREDENTIAL_TABLES)) {
      const stored = await sql<{ merchantId: string; hash: Buffer }[]>`
        select merchant_id, ${sql(hash)} as hash from ${sql(table)}`;
      expect([table, stored.length]).not.toEqual([table, 0]);
      for (const { merchantId, hash } of stored) {
        expect([table, await listEntries(hash)]).toEqual([table, [merchantId]]);
      }
    }
  });

  it('is entered after its own commit, and never if that fails', async () => {
    const hash = Buffer.alloc(32, 7);
    const work = issueCredentials(server.database, async ({ tx, enter }) => {
      await tx`select 1`;
      enter(owner.merchant.id, hash);
      expect(await listEntries(hash)).toEqual([]);
      throw new Error('refused');
    });
    await expect(work).rejects.toThrow('refused');
    expect(await listEntries(hash)).toEqual([]);
    await issueCredentials(server.database, async ({ enter }) => enter(owner.merchant.id, hash));
    expect(await listEntries(hash)).toEqual([owner.merchant.id]);
  });
});

describe('a failure between the two commits', () => {
  /** Runs `work` while the directory refuses new entries. */
  async function withoutEntries<Result>(work: () => Promise<Result>): Promise<Result> {
    const { sql } = server.database;
    await sql.unsafe('alter table credential_directory add constraint no_entries check (false) not valid');
    try {
      return await work();
    } finally {
      await sql.unsafe('alter table credential_directory drop constraint no_entries');
    }
  }

  it('leaves a token that nobody received, which is deleted, and others stay', async () => {
    const request = { merchantId: owner.merchant.id, permissions: PERMISSIONS, label: 'lost' };
    const kept = await createPersonalToken(server.database, { ...request, label: 'kept' });
    await expect(withoutEntries(() => createPersonalToken(server.database, request))).rejects.toThrow();
    const labels = async () => {
      const rows = await server.database.sql<{ label: string }[]>`
        select label from access_tokens
        where merchant_id = ${owner.merchant.id} and label in ('lost', 'kept') order by label`;
      return rows.map(({ label }) => label);
    };
    expect(await labels()).toEqual(['kept', 'lost']);
    await sweep();
    expect(await labels()).toEqual(['kept']);
    expect(await statusWith(kept)).toBe(200);
  });

  it('leaves a device that cannot be used, which is deleted, and others stay', async () => {
    const kept = await pairDevice(server, owner);
    const body = { name: 'lost', location_id: owner.merchant.locationIds[0] };
    const refused = await withoutEntries(() => owner.call('POST', '/api/dashboard/devices', { body }));
    expect(refused.status).toBe(500);
    const names = async () =>
      (await owner.call('GET', '/api/dashboard/devices')).body.devices.map(({ name }: { name: string }) => name);
    expect(await names()).toContain('lost');
    await sweep();
    expect(await names()).not.toContain('lost');
    expect((await owner.call('GET', '/api/dashboard/devices')).body.devices).toContainEqual(
      expect.objectContaining({ id: kept.id }),
    );
  });

  it('does not spend the code: the application can try again', async () => {
    const application = await createApplication(server);
    const code = await allow(server, application, owner);
    const body = { ...credentialsOf(application), grant_type: 'authorization_code', code };
    const refused = await withoutEntries(() => obtainToken(server, body));
    expect(refused.status).toBe(500);
    const answer = await obtainToken(server, body);
    expect(answer.status).toBe(200);
    expect(await statusWith(answer.body.access_token)).not.toBe(401);
  });

  it('leaves entries without a credential, which are deleted', async () => {
    const hash = Buffer.alloc(32, 9);
    await issueCredentials(server.database, async ({ enter }) => enter(owner.merchant.id, hash));
    const kept = hashSecret(owner.merchant.token);
    await sweep();
    expect([await listEntries(hash), await listEntries(kept)]).toEqual([[], [owner.merchant.id]]);
  });
});

it.each(Object.keys(CREDENTIAL_TABLES) as CredentialKind[])('a sweep keeps all %s that have entries', async (kind) => {
  const { table } = CREDENTIAL_TABLES[kind];
  const { sql } = server.database;
  const count = async () => (await sql`select from ${sql(table)}`).length;
  const before = await count();
  await sweep();
  expect(before).toBeGreaterThan(0);
  expect(await count()).toBe(before);
});
