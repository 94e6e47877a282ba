/** Two roles on a PostgreSQL of the operator: one owns and migrates, one serves and cannot change the schema (decision 0229). */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { MIGRATIONS } from '../../src/database/migrations.js';
import { runHere } from '../support/commands.js';
import { createStore, placePaid } from '../support/orders.js';
import { OwnPostgres } from '../support/own-postgres.js';
import { advance, expectBooksInOrder, getRefund, pay, refund } from '../support/payments.js';
import { openRegister } from '../support/people.js';
import { copyAll, newDataDir, newFolder, run, Server } from '../support/process.js';
import { Receiver, subscribe, untilDeliveriesFinal } from '../support/receiver.js';
import { sell } from '../support/register-sales.js';
import { ACCOUNT_KEY, startTestServer, type TestServer } from '../support/server.js';
import { CLOSE, openShop, SEEN, setClock, settlementsOf } from '../support/settlements.js';

const PASSWORD = 'of-both-roles';
/** A database on which the role may serve. Others are copies of it. */
const PREPARED = 'till_prepared';
let cluster: OwnPostgres;
let name: string;

beforeAll(async () => {
  cluster = await OwnPostgres.make();
  await cluster.start();
  await askCluster(
    `create role till_owner login password '${PASSWORD}'`,
    `create role till_serve login password '${PASSWORD}'`,
    `create database ${PREPARED} owner till_owner`,
  );
  name = PREPARED;
  expect(await runAs('till_owner', 'migrate', '--serve-role', 'till_serve')).toMatchObject({
    ...{ code: 0, stderr: '' },
    stdout: 'The schema is up to date.\nThe role till_serve may serve.\n',
  });
});
afterAll(() => cluster.stop());
beforeEach(() => {
  name = `till_${randomUUID().slice(0, 8)}`;
});
afterEach(() => askCluster(`drop database if exists ${name} with (force)`));

function askCluster(...statements: string[]): Promise<void> {
  return cluster.ask(async (sql) => {
    for (const statement of statements) await sql.unsafe(statement);
  });
}

const prepare = () => askCluster(`create database ${name} owner till_owner template ${PREPARED}`);
const createEmpty = () => askCluster(`create database ${name} owner till_owner`);

type Role = 'till_owner' | 'till_serve';

function urlOf(role: Role): string {
  return `postgres://${role}:${PASSWORD}@127.0.0.1:${cluster.port}/${name}`;
}

async function asRole(role: Role, statement: string): Promise<unknown> {
  const sql = postgres(urlOf(role), { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 0 });
  }
}

const runAs = (role: Role, ...args: string[]) =>
  runHere([...args, '--database-url', urlOf(role)], { env: { TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY } });

/** Applies one more migration than the program has, as the next version would. */
async function migrateFurther(): Promise<void> {
  const folder = await newFolder();
  await copyAll(`${MIGRATIONS}/.`, folder);
  await writeFile(
    join(folder, `${await nextNumber()}-more.sql`),
    'create table more_things (id integer primary key);\n',
  );
  const owner = openDatabase(urlOf('till_owner'), { maxConnections: 2, hasLongTimeouts: true });
  await migrate(owner, { folder }).finally(() => owner.close());
}

async function nextNumber(): Promise<string> {
  const [row] = (await asRole('till_owner', 'select count(*)::integer as count from schema_migrations')) as {
    count: number;
  }[];
  return String((row?.count ?? 0) + 1).padStart(4, '0');
}

describe('the role that serves', () => {
  it('takes payments, refunds, orders, sales, closes days, delivers webhooks and checks the books', async () => {
    await prepare();
    const server: TestServer = await startTestServer({ databaseUrl: urlOf('till_serve') });
    const receiver = await Receiver.open();
    try {
      const shop = await openShop(server);
      await subscribe(server, shop, receiver.url);
      const paid = await pay(server, shop);
      const { id } = await refund(server, shop, paid);
      await advance(server, shop, 'PT1M');
      expect((await getRefund(server, shop, id)).status).toBe('COMPLETED');
      await placePaid(await createStore(server));
      await sell(await openRegister(server, shop.owner));
      await pay(server, shop);
      await setClock(server, shop, CLOSE);
      await setClock(server, shop, SEEN);
      expect(await settlementsOf(server, shop)).toHaveLength(1);
      await receiver.until(2);
      await untilDeliveriesFinal(server, shop.id);
      expect(receiver.kinds()).toEqual(expect.arrayContaining(['payment.created', 'refund.created']));
      expect((await server.operator('POST', `/api/sandbox/merchants/${shop.id}/snapshot`)).status).toBe(200);
      expect((await server.operator('POST', `/api/sandbox/merchants/${shop.id}/reset`)).status).toBe(200);
      await expectBooksInOrder(server);
    } finally {
      await receiver.close();
      await server.stop();
    }
    const file = join(await newFolder(), 'till.backup');
    for (const command of [
      ['check'],
      ['audit'],
      ['backup', file],
      ['secrets', 'status'],
      ['merchant', 'list'],
      ['migrate'],
    ]) {
      const { code, stderr } = await runAs('till_serve', ...command);
      expect([code, stderr], command.join(' ')).toEqual([0, '']);
    }
  });

  it('creates the demo business and starts again', async () => {
    await prepare();
    const dataDir = await newDataDir();
    for (const _ of [1, 2]) {
      const server = await Server.start({ dataDir, args: ['--database-url', urlOf('till_serve'), '--demo', 'on'] });
      expect((await server.call('GET', '/readyz')).status).toBe(200);
      expect(server.program.stderr).toBe('');
      await server.stop();
    }
  });

  it('cannot change the schema', async () => {
    await prepare();
    const statements = [
      'create table mine (id integer)',
      'create schema mine',
      'create function mine() returns integer language sql return 1',
      'create index mine on payments (merchant_id)',
      'alter table payments add column mine integer',
      'alter table payments disable trigger all',
      'drop table payments',
      'truncate payments',
      'insert into schema_migrations (version, name, checksum) values (9999, $$mine$$, $$mine$$)',
      'delete from schema_migrations',
    ];
    for (const statement of statements) {
      await expect(asRole('till_serve', statement), statement).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it('keeps its rights when the owner migrates again without naming it', async () => {
    await prepare();
    await migrateFurther();
    expect(await asRole('till_serve', 'select count(*) from more_things')).toHaveLength(1);
  });
});

describe('tillhouse archive', () => {
  it('is for the owner, and its tables are for the role that serves too', async () => {
    await prepare();
    const refused = await runAs('till_serve', 'archive', '--before', '2020-01-01');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'tillhouse: tillhouse archive creates tables, so only the role till_owner can run it, not till_serve.\n',
    ]);
    expect(await runAs('till_owner', 'archive', '--before', '2020-01-01')).toMatchObject({ code: 0, stderr: '' });
    expect(await asRole('till_serve', 'select count(*) from payments_archive')).toHaveLength(1);
    expect(await runAs('till_serve', 'check')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a server that may not migrate', () => {
  const serve = async () => {
    const { code, stdout, stderr } = await run([
      'serve',
      '--port',
      '0',
      '--data-dir',
      await newDataDir(),
      '--database-url',
      urlOf('till_serve'),
    ]);
    expect(stdout).toBe('');
    return { code, stderr };
  };
  const refusal = (text: string) => ({ code: 1, stderr: `tillhouse: ${text}\n` });
  const REMEDY = 'Run this with the role till_owner, which owns the database, and start again: tillhouse migrate';

  it('says so if the database is empty', async () => {
    await createEmpty();
    expect(await serve()).toEqual(
      refusal(
        `The role till_serve may not change the schema, and the database has no tables of Tillhouse. ${REMEDY} --serve-role till_serve`,
      ),
    );
  });

  it('says so if it has no rights', async () => {
    await createEmpty();
    await runAs('till_owner', 'migrate');
    expect(await serve()).toEqual(
      refusal(
        `The role till_serve may not use the schema ${await functionSchemaName()}. ${REMEDY} --serve-role till_serve`,
      ),
    );
    await runAs('till_owner', 'migrate', '--serve-role', 'till_serve');
    await asRole('till_owner', 'revoke update on payments from till_serve');
    expect(await serve()).toEqual(
      refusal(`The role till_serve may not use the table payments. ${REMEDY} --serve-role till_serve`),
    );
  });

  it('names the migrations that the database lacks', async () => {
    await prepare();
    const last = (await asRole('till_owner', 'select max(name) as name from schema_migrations')) as { name: string }[];
    await asRole(
      'till_owner',
      'delete from schema_migrations where version = (select max(version) from schema_migrations)',
    );
    expect(await serve()).toEqual(
      refusal(
        'The role till_serve may not change the schema, and this version has migrations that the database lacks: ' +
          `${last[0]?.name}. ${REMEDY}`,
      ),
    );
  });

  it('says so if the database lacks the functions of this version', async () => {
    await prepare();
    await asRole('till_owner', `drop schema ${await functionSchemaName()} cascade`);
    expect(await serve()).toEqual(
      refusal(
        `The role till_serve may not change the schema, and the database lacks the functions of this version. ${REMEDY}`,
      ),
    );
  });

  it('is refused by a database that is newer, as every server', async () => {
    await prepare();
    await migrateFurther();
    expect((await serve()).stderr).toMatch(/The database is newer than this program/);
  });

  async function functionSchemaName(): Promise<string> {
    const rows = (await asRole('till_owner', 'select name from function_schemas')) as { name: string }[];
    return rows[0]?.name ?? '';
  }
});

describe('migrate --serve-role', () => {
  it.each([
    ['nobody', /PostgreSQL has no role nobody. Create it first: create role nobody login password/],
    ['till_owner', /the role till_owner can change the tables, because it owns them/],
    ['till', /the role till can change the tables/],
  ])('refuses %s', async (role, message) => {
    await prepare();
    const { code, stderr } = await runAs('till_owner', 'migrate', '--serve-role', role);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('refuses a role that may create tables', async () => {
    await prepare();
    await asRole('till_owner', 'grant create on schema public to till_serve');
    const { code, stderr } = await runAs('till_owner', 'migrate', '--serve-role', 'till_serve');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('revoke create on schema public from public, till_serve'),
    ]);
  });

  it('is refused when the role that serves runs it', async () => {
    await prepare();
    const { code, stderr } = await runAs('till_serve', 'migrate', '--serve-role', 'till_serve');
    expect([code, stderr]).toEqual([2, 'tillhouse: --serve-role: only till_owner can grant rights, not till_serve.\n']);
  });
});
