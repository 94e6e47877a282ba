/**
 * Migrations of a database with a million payments, while clients pay and read, a backup runs, and a report stays open: no request waits
 * longer than three seconds (decision 0177). `TILLHOUSE_PAYMENTS=100000 npm run test:long -- test/long/migrations-on-many-rows.test.ts` has
 * fewer payments.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { NAMED_PRINTER, PAYMENT_PRINTER } from '../../src/business/payments/copies.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { listBackups } from '../../src/database/migration-locks.js';
import { MIGRATIONS as FOLDER } from '../../src/database/migrations.js';
import { pollUntil } from '../support/clock.js';
import { callApi } from '../support/http.js';
import { MIGRATIONS } from '../support/migrations.js';
import { paymentBody } from '../support/payments.js';
import { expectNothingLeft, newFolder, Program, Server } from '../support/process.js';
import { ACCOUNT_KEY, cloneDatabase, OPERATOR_KEY, type TestDatabase } from '../support/server.js';

const PAYMENTS = Number(process.env['TILLHOUSE_PAYMENTS'] ?? 1_000_000);
const MERCHANTS = 20;
const CLIENTS = 6;
/** Of each client, between two requests. */
const PAUSE_MS = 25;
/** No request may wait longer. */
const LONGEST_MS = 3_000;
/** How long a report keeps the migrations waiting. */
const REPORT_MS = 15_000;

/** Every tenth payment gets a note. */
const TEXTS = [
  '-- What a test writes down.\nalter table payments add column test_note text;',
  '-- Concurrently: finds payments without a note.\ncreate index concurrently if not exists payments_test_note on payments (merchant_id, payment_id) where test_note is null and total = 1000;',
  "-- Batches: a note for every tenth payment.\nupdate payments set test_note = 'x' where (merchant_id, payment_id) in (select merchant_id, payment_id from payments where test_note is null and total = 1000 limit 1000);",
];

let database: TestDatabase;
let server: Server;
/** For the fill and the report. */
let other: Database;
let migrator: Database;
let folder: string;
let merchants: readonly Merchant[];

interface Merchant {
  readonly id: string;
  readonly token: string;
  readonly locationId: string;
}

beforeAll(async () => {
  database = await cloneDatabase({ empty: true });
  folder = await mkdtemp(join(tmpdir(), 'tillhouse-migrations-'));
  server = await Server.start({
    args: ['--database-url', database.url, '--demo', 'off'],
    env: { TILLHOUSE_OPERATOR_KEY: OPERATOR_KEY, TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY },
  });
  other = openDatabase(database.url, { maxConnections: 2, hasLongTimeouts: true });
  migrator = openDatabase(database.url, { maxConnections: 2, hasLongTimeouts: true });
  merchants = await Promise.all(Array.from({ length: MERCHANTS }, newMerchant));
  await fill();
}, 3_600_000);
afterEach(async () => {
  await server.stop();
  await expectNothingLeft();
});
afterAll(async () => {
  await Promise.all([other.close(), migrator.close()]);
  await rm(folder, { recursive: true });
  await database.drop();
});

async function newMerchant(): Promise<Merchant> {
  const { body } = await server.call('POST', '/api/sandbox/merchants', { token: OPERATOR_KEY, body: {} });
  const { merchant, access_token: token } = body as {
    merchant: { id: string; locations: [{ id: string }] };
    access_token: string;
  };
  return { id: merchant.id, token, locationId: merchant.locations[0].id };
}

/** Payments of all merchants, one a minute each, without the indexes, which are built afterwards: that takes a fraction of the time. */
async function fill(): Promise<void> {
  const { sql } = other;
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index
    where indrelid = 'payments'::regclass and not indisprimary`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  for (const { id, locationId } of merchants) {
    await sql`
      insert into payments (
        merchant_id, payment_id, sale_id, location_id, channel, application_id, status, source_type, created_at,
        updated_at, captured_at, currency, amount, total, fee, card_brand, last_4, card_details, details, v2_json,
        v2_json_version, v2_json_printer
      )
      select
        ${id}, payment_id, payment_id, ${locationId}, 'API', 'A', 'COMPLETED', 'CARD', at, at, at, 'USD', amount, amount, 29,
        'VISA', '1111', json_build_object('card', repeat('c', 200)), json_build_object('note', repeat('n', 50)),
        rtrim(json_build_object('id', payment_id, 'created_at', at, 'updated_at', at, 'note', repeat('n', 700))::text, '}'),
        ${NAMED_PRINTER}::smallint, ${PAYMENT_PRINTER}
      from generate_series(1, ${Math.ceil(PAYMENTS / MERCHANTS)}::int) n, lateral (
        select
          'P' || lpad(n::text, 26, '0') as payment_id, case n % 10 when 0 then 1000 else 100 + n % 900 end as amount,
          timestamptz '2020-01-01' + n * interval '1 minute' as at
      ) as each`;
  }
  for (const { definition } of indexes) await sql.unsafe(definition);
  await sql`analyze payments`;
}

interface Waits {
  readonly requests: number;
  readonly longestMs: number;
}

/** Clients that pay, read a payment, and list payments of all merchants in turn. */
class Load {
  readonly #clients: Promise<unknown>;
  #isOver = false;
  #requests = 0;
  #longestMs = 0;
  readonly failures: unknown[] = [];

  constructor() {
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, (_, client) => this.#send(client)));
  }

  /** What was seen since the last call. */
  takeWaits(): Waits {
    const seen = { requests: this.#requests, longestMs: Math.round(this.#longestMs) };
    this.#requests = 0;
    this.#longestMs = 0;
    return seen;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  async #send(client: number): Promise<void> {
    for (let turn = client; !this.#isOver; turn += CLIENTS) {
      const { token } = merchants[turn % MERCHANTS] as Merchant;
      const number = 1 + ((turn * 7919) % Math.ceil(PAYMENTS / MERCHANTS));
      await this.#ask('POST', '/v2/payments', { token, body: paymentBody() });
      await this.#ask('GET', `/v2/payments/P${String(number).padStart(26, '0')}`, { token });
      await this.#ask('GET', '/v2/payments?sort_order=ASC', { token });
    }
  }

  async #ask(method: string, path: string, options: object): Promise<void> {
    const since = performance.now();
    const { status, body } = await callApi(server.baseUrl, method, path, options);
    this.#longestMs = Math.max(this.#longestMs, performance.now() - since);
    this.#requests++;
    if (status !== 200) this.failures.push(body);
    await sleep(PAUSE_MS);
  }
}

/** Reads all payments and stays open. Returns how to end it. */
async function openReport(): Promise<() => Promise<void>> {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let done: Promise<void> | undefined;
  await new Promise<void>((begun, fail) => {
    done = other.transaction(async (tx) => {
      await tx`set transaction isolation level repeatable read`;
      await tx`select set_config('application_name', 'a report', true)`;
      await tx`select count(*) from payments`;
      begun();
      await ended;
    });
    done.catch(fail);
  });
  return async () => {
    end();
    await done;
  };
}

async function backUpTo(file: string): Promise<Program> {
  return Program.start(['backup', file, '--database-url', database.url], {
    env: { TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY },
  });
}

it(`lets no request wait longer than 3 s, with ${PAYMENTS} payments`, { timeout: 3_600_000 }, async () => {
  const migrations = join(folder, 'migrations');
  await cp(FOLDER, migrations, { recursive: true });
  const names = TEXTS.map((_, index) => `${String(MIGRATIONS.length + index + 1).padStart(4, '0')}-test.sql`);
  await Promise.all(names.map((name, index) => writeFile(join(migrations, name), TEXTS[index] ?? '')));

  const waits: Record<string, Waits> = {};
  const load = new Load();
  const blocked: string[] = [];
  const isBlockedBy = (program: string) =>
    pollUntil(
      async () => blocked,
      (found) => found.some((application) => application.includes(program)),
      600_000,
    );
  await sleep(10_000);
  waits['before'] = load.takeWaits();

  const backup = await backUpTo(join(await newFolder(), 'backup'));
  await pollUntil(
    () => listBackups(other.sql),
    (found) => found.length > 0 || backup.hasExited,
    60_000,
  );
  const endReport = await openReport();
  const migrated = migrate(migrator, {
    folder: migrations,
    onBlocked: (sessions) => blocked.push(...sessions.map(({ application }) => application)),
  });
  expect(await backup.exited, backup.stderr).toMatchObject({ code: 0 });
  waits['backup and report'] = load.takeWaits();

  await isBlockedBy('a report');
  await sleep(REPORT_MS);
  await endReport();
  waits['column behind the report'] = load.takeWaits();

  const found = async () =>
    other.sql`select from schema_migrations where name = any (${[names[0], names[1]] as string[]})`;
  await pollUntil(found, (rows) => rows.length === 2, 1_800_000);
  waits['index'] = load.takeWaits();

  expect(await migrated).toEqual(names);
  waits['rows'] = load.takeWaits();
  await load.end();

  console.log(`${PAYMENTS} payments:`, JSON.stringify(waits));
  expect(load.failures).toEqual([]);
  for (const [phase, { longestMs }] of Object.entries(waits)) expect(longestMs, phase).toBeLessThan(LONGEST_MS);
  const [left] = await other.sql<{ count: number }[]>`
    select count(*) from payments where total = 1000 and application_id = 'A' and test_note is null`;
  const [noted] = await other.sql<{ count: number }[]>`select count(*) from payments where test_note = 'x'`;
  expect(left?.count).toBe(0);
  expect(noted?.count).toBeGreaterThanOrEqual(Math.floor(PAYMENTS / 10));
});
