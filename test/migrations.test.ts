import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { constraintOf } from '../src/database/constraints.js';
import { type Database, openDatabase } from '../src/database/database.js';
import { migrate } from '../src/database/migrate.js';
import { UnusableDatabase } from '../src/database/migrations.js';
import { buildProgram } from './support/built.js';
import { runHere } from './support/commands.js';
import { isLong } from './support/long.js';
import { run } from './support/process.js';
import { cloneDatabase, startTestServer } from './support/server.js';

const CHECKOUT = fileURLToPath(new URL('../', import.meta.url));
const MIGRATIONS = readdirSync(join(CHECKOUT, 'migrations')).sort();
const AT_ONCE = 5;
/** A lock inside a process fails with two of them. */
const PROCESSES_AT_ONCE = isLong ? 5 : 2;

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let step = cleanUp.pop(); step; step = cleanUp.pop()) await step();
});

/** A new database, and a function that opens connections to it. */
async function newDatabase({ empty }: { empty: boolean }): Promise<{ url: string; open: () => Database }> {
  const { url, drop } = await cloneDatabase({ empty });
  cleanUp.push(drop);
  const open = (): Database => {
    const database = openDatabase(url, { maxConnections: 2, hasLongTimeouts: true });
    cleanUp.push(() => database.close());
    return database;
  };
  return { url, open };
}

async function appliedIn({ sql }: Database): Promise<{ version: number; name: string }[]> {
  return [
    ...(await sql<{ version: number; name: string }[]>`select version, name from schema_migrations order by version`),
  ];
}

/** The definitions of all objects in a schema, as text. */
async function schemaOf({ sql }: Database): Promise<unknown> {
  const columns = await sql`
    select table_name, column_name, data_type, is_nullable, column_default
    from information_schema.columns where table_schema = 'public' order by 1, 2`;
  const indexes = await sql`select indexdef from pg_indexes where schemaname = 'public' order by 1`;
  const constraints = await sql`
    select conname, pg_get_constraintdef(oid) as definition from pg_constraint
    where connamespace = 'public'::regnamespace order by 1`;
  return { columns: [...columns], indexes: [...indexes], constraints: [...constraints] };
}

const SCHEMA_MIGRATIONS =
  'create table schema_migrations (version integer primary key, name text not null, checksum text not null, ' +
  'applied_at timestamptz not null default now())';

const EXPECTED = MIGRATIONS.map((name, index) => ({ version: index + 1, name }));

describe('migrate', () => {
  it('migrates an empty database to the latest version, reports each migration, and does nothing on the second run', async () => {
    const database = (await newDatabase({ empty: true })).open();
    expect(MIGRATIONS.length).toBeGreaterThan(7);
    expect(await migrate(database)).toEqual(MIGRATIONS);
    expect(await appliedIn(database)).toEqual(EXPECTED);
    const [schema, rows] = [await schemaOf(database), await database.sql`select * from schema_migrations order by 1`];
    expect(await migrate(database)).toEqual([]);
    expect(await schemaOf(database)).toEqual(schema);
    expect([...(await database.sql`select * from schema_migrations order by 1`)]).toEqual([...rows]);
  });

  it('applies each migration once when five connections start at the same moment', async () => {
    const { open } = await newDatabase({ empty: true });
    const databases = Array.from({ length: AT_ONCE }, open);
    await Promise.all(databases.map(({ sql }) => sql`select 1`)); // already connected, so that they start at the same time
    const done = await Promise.all(databases.map((each) => migrate(each)));
    expect(done.filter((names) => names.length > 0)).toEqual([MIGRATIONS]);
    expect(await appliedIn(open())).toEqual(EXPECTED);
  });

  it('applies each migration once when several processes start at the same moment', async () => {
    const { url, open } = await newDatabase({ empty: true });
    const program = join(await buildProgram(), 'dist/main.js');
    const start = () => promisify(execFile)(process.execPath, [program, 'migrate', '--database-url', url]);
    const ends = await Promise.all(Array.from({ length: PROCESSES_AT_ONCE }, start)); // rejects if one of them fails
    for (const each of ends) expect(each).toEqual({ stdout: 'The schema is up to date.\n', stderr: '' });
    expect(await appliedIn(open())).toEqual(EXPECTED);
  });

  it('lets two servers start at the same moment on an empty database', async () => {
    const { url, open } = await newDatabase({ empty: true });
    const servers = await Promise.all([startTestServer({ databaseUrl: url }), startTestServer({ databaseUrl: url })]);
    cleanUp.push(...servers.map((server) => () => server.stop()));
    for (const server of servers) expect((await server.call('GET', '/readyz')).status).toBe(200);
    expect(await appliedIn(open())).toEqual(EXPECTED);
  });

  it('continues after the last migration of an older version', async () => {
    const done = Math.floor(MIGRATIONS.length / 2);
    const [whole, older] = [(await newDatabase({ empty: false })).open(), (await newDatabase({ empty: true })).open()];
    await older.sql.unsafe(SCHEMA_MIGRATIONS);
    const rows = await whole.sql<{ version: number; name: string; checksum: string }[]>`
      select version, name, checksum from schema_migrations where version <= ${done} order by version`;
    expect(rows).toHaveLength(done);
    for (const { version, name, checksum } of rows) {
      await older.sql.unsafe(readFileSync(join(CHECKOUT, 'migrations', name), 'utf8'));
      await older.sql`
        insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksum})`;
    }
    expect(await migrate(older)).toEqual(MIGRATIONS.slice(done));
    expect(await schemaOf(older)).toEqual(await schemaOf(whole));
  });

  it('refuses a database that is newer than the program, and names the unknown migrations', async () => {
    const database = (await newDatabase({ empty: false })).open();
    const next = MIGRATIONS.length + 1;
    await database.sql`
      insert into schema_migrations (version, name, checksum) values (${next}, '0999-from-the-future.sql', 'x')`;
    const schema = await schemaOf(database);
    const failure = await migrate(database).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnusableDatabase);
    expect(String(failure)).toMatch(/newer than this program.*0999-from-the-future\.sql/);
    expect(await schemaOf(database)).toEqual(schema);
  });

  it('refuses a database whose migration has another text, and names it', async () => {
    const database = (await newDatabase({ empty: false })).open();
    await database.sql`update schema_migrations set checksum = 'changed' where version = 2`;
    const failure = await migrate(database).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnusableDatabase);
    expect(String(failure)).toContain(MIGRATIONS[1]);
    expect(await appliedIn(database)).toEqual(EXPECTED);
  });

  describe('on a database from before the baseline', () => {
    /** As the development versions left it: their records of the first two migrations, and one of their tables. */
    async function beforeBaseline(): Promise<{ url: string; database: Database }> {
      const { url, open } = await newDatabase({ empty: true });
      const database = open();
      await database.sql.unsafe(`
        ${SCHEMA_MIGRATIONS};
        insert into schema_migrations (version, name, checksum) values
          (1, '0001-merchants.sql', 'b265c9cd0ef39caddef8b548dbc3b1e3ae4d184d27594f7762224b405c2a9298'),
          (2, '0002-access.sql', '7def83bbff7a76512e5d2ddf7d4863488e54c9d59a938e5f72e074d26e97d780');
        create table merchants (merchant_id text primary key)`);
      return { url, database };
    }

    const REFUSAL =
      'The database was created by a development version from before the baseline of the schema and cannot be migrated: ' +
      'use a new database. Move the data folder away, set another folder with --data-dir, ' +
      'or set another database with --database-url.';

    it('is refused with instructions, and nothing is changed', async () => {
      const { database } = await beforeBaseline();
      const [schema, applied] = [await schemaOf(database), await appliedIn(database)];
      const failure = await migrate(database).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(UnusableDatabase);
      expect((failure as Error).message).toBe(REFUSAL);
      expect(await schemaOf(database)).toEqual(schema);
      expect(await appliedIn(database)).toEqual(applied);
    });

    it('makes tillhouse serve, migrate, check and audit exit with only that message', async () => {
      const { url } = await beforeBaseline();
      const dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-before-baseline-'));
      cleanUp.push(() => rm(dataDir, { recursive: true, force: true }));
      const at = ['--database-url', url, '--data-dir', dataDir];
      const refusal = { code: 1, stdout: '', stderr: `tillhouse: ${REFUSAL}\n` };
      expect(await run(['serve', '--port', '0', ...at])).toMatchObject(refusal);
      for (const command of ['migrate', 'check', 'audit']) {
        expect([command, await runHere([command, ...at])]).toMatchObject([command, refusal]);
      }
    });
  });

  it('rolls back a migration that fails', async () => {
    const database = (await newDatabase({ empty: true })).open();
    // This table conflicts with a later migration.
    await database.sql.unsafe('create table employees (mine text)');
    await expect(migrate(database)).rejects.toThrow(/employees/);
    const [row] = await database.sql<{ found: string | null }[]>`select to_regclass('public.merchants') as found`;
    expect(row?.found).toBeNull();
    const [kept] = await database.sql<
      { found: string | null }[]
    >`select to_regclass('public.schema_migrations') as found`;
    expect(kept?.found).toBeNull();
  });
});

/**
 * Indexes that do not begin with the merchant, and why: lookups before the merchant is known (architecture
 * 1.10), and those by which a worker finds merchants (architecture 6).
 */
const WITHOUT_MERCHANT: Readonly<Record<string, string>> = {
  schema_migrations_pkey: 'belongs to the program, not to a merchant',
  function_schemas_pkey: 'as above',
  applications_pkey: 'applications belong to no merchant',
  applications_secret: 'an application is found by the hash of its secret',
  credential_directory_pkey: 'a credential is found by its hash',
  credential_directory_created: 'finds new entries of all merchants',
  accounts_pkey: 'a session names its account',
  accounts_email: 'an owner signs in with an email',
  sign_in_attempts_pkey: 'counted before the caller is known',
  pairing_codes_pkey: 'they have no merchant yet',
  pairing_codes_token_hash_key: 'as above',
  pairing_codes_expired: 'as above',
  agenda_pkey: 'names merchants and shards to look at',
  agenda_due: 'as above',
  due_work_run: 'finds the merchants with due work',
  processor_calls_retry: 'as above',
  fault_rules_pkey: 'a rule may be for every merchant',
  stubs_pkey: 'a stub may be for every merchant',
  webhook_deliveries_run: 'finds the receivers with due deliveries',
  webhook_subscriptions_pkey: 'a subscription belongs to an application',
  webhook_subscriptions_application: 'as above',
  webhook_subscriptions_address: 'as above',
  webhook_subscriptions_key: 'as above',
  webhook_events_old: 'retention finds old rows by time, for all merchants',
  pictures_uploaded: 'as above',
  idempotency_keys_created: 'as above',
  register_writes_created: 'as above',
  sign_in_attempts_ended: 'as above',
  audit_events_time: 'as above, and the operator reads those of all merchants',
  audit_events_positions: 'the export of the operator reads all merchants in one order',
  audit_numbering_pkey: 'one row, which makes exports give positions one after the other',
  last_runs_pkey: 'backup, check and reconcile are of all merchants',
  database_mode_pkey: 'the mode applies to all merchants',
  check_progress_pkey: 'one row, of all merchants',
  hash_key_pkey: 'one key hashes for all merchants',
};

describe('the schema', () => {
  it('has indexes that begin with the merchant, except the listed ones', async () => {
    const { sql } = (await newDatabase({ empty: false })).open();
    const indexes = await sql<{ name: string; first: string | null }[]>`
      select c.relname as name, a.attname as first
      from pg_index i
      join pg_class c on c.oid = i.indexrelid
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where c.relnamespace = 'public'::regnamespace`;
    const others = indexes.filter(({ first }) => first !== 'merchant_id').map(({ name }) => name);
    expect(indexes.length).toBeGreaterThan(45);
    expect([...others].sort()).toEqual(Object.keys(WITHOUT_MERCHANT).sort());
  });

  describe('ties a sale and a payment to their kind', () => {
    const AT = "timestamptz '2026-01-01'";
    const EMPLOYEE = "uuid '00000000-0000-4000-8000-000000000001'";
    const REGISTER = { device_id: "'D'", device_name: "'Till'", employee_id: EMPLOYEE, register_sale_id: "'1'" };
    const SOLD = { rung_up_at: AT, due: '5', paid: '5', receipt: "'{}'", tender_ids: "'{P}'" };
    const SALES = {
      API: {},
      REGISTER: { ...REGISTER, ...SOLD, request_hash: "''" },
      ONLINE_STORE: SOLD,
    };
    const PAYMENTS = {
      API: { application_id: "'A'" },
      REGISTER: { employee_id: EMPLOYEE, register_tender_id: "'1'" },
      ONLINE_STORE: {},
    };
    type Columns = Readonly<Record<string, string>>;
    type Kind = keyof typeof SALES;
    const KINDS = Object.keys(SALES) as Kind[];

    const insert = (table: string, row: Columns): string =>
      `insert into ${table} (${Object.keys(row).join()}) values (${Object.values(row).join()})`;
    const insertSale = (kind: Kind, more: Columns): string =>
      insert('sales', {
        ...{ merchant_id: "'M'", sale_id: "'S'", location_id: "'L'", kind: `'${kind}'`, state: "'COMPLETED'" },
        ...{ created_at: AT, ...SALES[kind], ...more },
      });
    const insertPayment = (channel: Kind, more: Columns): string =>
      insert('payments', {
        ...{ merchant_id: "'M'", payment_id: "'P'", sale_id: "'S'", location_id: "'L'", channel: `'${channel}'` },
        ...{ status: "'COMPLETED'", source_type: "'CARD'", created_at: AT, updated_at: AT, currency: "'USD'" },
        ...{ amount: '5', total: '5', details: "'{}'", ...PAYMENTS[channel], ...more },
      });

    /** The constraint that a row violates. */
    async function brokenBy({ sql }: Database, statement: string): Promise<unknown> {
      return constraintOf(await sql.unsafe(statement).catch((error: unknown) => error));
    }

    it('accepts one row of each kind', async () => {
      const database = (await newDatabase({ empty: false })).open();
      for (const kind of KINDS) {
        expect(await brokenBy(database, insertSale(kind, { sale_id: `'${kind}'` }))).toBeUndefined();
        expect(await brokenBy(database, insertPayment(kind, { payment_id: `'${kind}'` }))).toBeUndefined();
      }
      expect(await database.sql`select kind from sales order by kind`).toHaveLength(KINDS.length);
      expect(await database.sql`select channel from payments`).toHaveLength(KINDS.length);
    });

    it('rejects a row that lacks a column of its kind, or has a column of another kind', async () => {
      const database = (await newDatabase({ empty: false })).open();
      const sale = (kind: Kind, more: Columns) => brokenBy(database, insertSale(kind, more));
      const payment = (channel: Kind, more: Columns) => brokenBy(database, insertPayment(channel, more));
      for (const column of Object.keys({ ...REGISTER, request_hash: '' })) {
        expect([column, await sale('REGISTER', { [column]: 'null' })]).toEqual([column, 'sales_register']);
        for (const kind of ['API', 'ONLINE_STORE'] as const) {
          const value = { ...REGISTER, request_hash: "''" }[column as keyof typeof REGISTER];
          expect([column, await sale(kind, { [column]: value })]).toEqual([column, 'sales_register']);
        }
      }
      for (const column of ['rung_up_at', 'due', 'receipt', 'tender_ids'] as const) {
        for (const kind of ['REGISTER', 'ONLINE_STORE'] as const) {
          expect([column, await sale(kind, { [column]: 'null' })]).toEqual([column, 'sales_receipt']);
        }
        expect([column, await sale('API', { paid: '5', [column]: SOLD[column] })]).toEqual([column, 'sales_receipt']);
      }
      expect(await sale('API', { state: "'OPEN'" })).toBe('sales_api');
      expect(await payment('API', { application_id: 'null' })).toBe('payments_application');
      expect(await payment('ONLINE_STORE', { application_id: "'A'" })).toBe('payments_application');
      expect(await payment('REGISTER', { application_id: "'A'" })).toBe('payments_application');
      for (const column of ['employee_id', 'register_tender_id'] as const) {
        expect(await payment('REGISTER', { [column]: 'null' })).toBe('payments_register');
        expect(await payment('API', { [column]: PAYMENTS.REGISTER[column] })).toBe('payments_register');
        expect(await payment('ONLINE_STORE', { [column]: PAYMENTS.REGISTER[column] })).toBe('payments_register');
      }
      for (const channel of ['API', 'ONLINE_STORE'] as const) {
        expect(await payment(channel, { source_type: "'CASH'" })).toBe('payments_by_hand');
        expect(await payment(channel, { drawer_shift_id: EMPLOYEE })).toBe('payments_by_hand');
      }
    });
  });

  it('has a primary key on every table', async () => {
    const { sql } = (await newDatabase({ empty: false })).open();
    const tables = await sql<{ name: string; keyed: boolean }[]>`
      select c.relname as name, exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) as keyed
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;
    expect(tables.length).toBeGreaterThan(22);
    expect(tables.filter(({ keyed }) => !keyed)).toEqual([]);
  });
});
