/** A database that fails while a password or a passcode is checked: no 503 counts as a wrong one (decision 0121). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../../src/base/secrets.js';
import { createOwner, PASSWORD, signIn, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { hire, PASSCODE, type PairedDevice, pairDevice } from '../../support/people.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const WRONG_CODE = '999999';

let server: TestServer;
let owner: TestOwner;
let device: PairedDevice;
let employeeId: string;

beforeAll(async () => {
  server = await startTestServer();
  const { sql } = server.database;
  await sql.unsafe(`
    create function out_of_memory() returns trigger language plpgsql as $$
    begin
      raise exception 'out of memory' using errcode = '53200';
    end
    $$`);
});
afterAll(() => server.stop());

/** PostgreSQL refuses these changes of counts meanwhile. */
async function during(event: string, condition: string, work: () => Promise<void>): Promise<void> {
  const { sql } = server.database;
  await sql.unsafe(
    `create trigger fails before ${event} on sign_in_attempts for each row when (${condition}) execute function out_of_memory()`,
  );
  try {
    await work();
  } finally {
    await sql.unsafe('drop trigger fails on sign_in_attempts');
  }
}

async function open(): Promise<void> {
  owner = await createOwner(server);
  device = await pairDevice(server, owner);
  employeeId = (await hire(server, owner)).id;
}

interface Door {
  readonly right: () => Promise<ApiResponse>;
  readonly wrong: () => Promise<ApiResponse>;
  readonly refusal: number;
  /** Of the narrowest subject. */
  readonly allowed: number;
  /** The widest subject, which is counted last. */
  readonly widest: () => string;
}

const DOORS: Readonly<Record<string, Door>> = {
  passcode: {
    right: () => device.signIn(employeeId, PASSCODE),
    wrong: () => device.signIn(employeeId, WRONG_CODE),
    refusal: 401,
    allowed: 5,
    widest: () => `register:${owner.merchant.id}`,
  },
  password: {
    right: () => signIn(server, owner.email, PASSWORD),
    wrong: () => signIn(server, owner.email, 'a wrong guess'),
    refusal: 401,
    allowed: 5,
    widest: () => `dashboard:${owner.email.toLowerCase()}`,
  },
};

describe.each(Object.entries(DOORS))('a %s', (_, { right, wrong, refusal, allowed, widest }) => {
  it('is not counted for some subjects if it cannot be counted for all', async () => {
    await open();
    const subject = `'\\x${hashSecret(widest()).toString('hex')}'::bytea`;
    await during('insert or update', `new.subject_hash = ${subject}`, async () => {
      for (let time = 0; time < 7; time++) expect((await right()).status).toBe(503);
    });
    expect((await right()).status).toBe(200);
  });

  it('that is right is accepted although its count cannot be cleared, and counts for nothing', async () => {
    await open();
    const statuses: number[] = [];
    await during('delete', 'true', async () => {
      for (let time = 0; time < 7; time++) statuses.push((await right()).status);
    });
    expect(statuses).toEqual(Array(7).fill(200));
    for (let time = 0; time < allowed; time++) expect((await wrong()).status).toBe(refusal);
    expect((await right()).status).toBe(429);
  });
});

it('does not count what could not be given back during an outage, however long it was', async () => {
  await open();
  const subject = `'\\x${hashSecret(`register:${owner.merchant.id}`).toString('hex')}'::bytea`;
  await device.signIn(employeeId, WRONG_CODE);
  await during('update', `new.failures < old.failures or new.subject_hash = ${subject}`, async () => {
    for (let time = 0; time < 4; time++) expect((await device.signIn(employeeId, PASSCODE)).status).toBe(503);
  });
  expect((await device.signIn(employeeId, WRONG_CODE)).status).toBe(401);
  expect((await device.signIn(employeeId, PASSCODE)).status).toBe(200);
});
