/** A merchant as a file: all records of the business, from which another server creates the same merchant (decision 0276). */

import { MERCHANT_FILE_BYTES } from '../api/body-limits.js';
import type { ServerContext } from '../api/operation.js';
import { clockAt, nowOn, realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { instant, parseTime, printMilliseconds, SECOND_MS } from '../base/time.js';
import type { Merchant } from '../business/merchants/model.js';
import { findMerchantWithLocations, updateClock } from '../business/merchants/queries.js';
import type { Tx } from '../database/database.js';
import { useRepeatableReadAlone } from '../database/locks.js';
import { MERCHANTS } from '../database/placement.js';
import { listTables } from '../database/tables.js';
import { codeOf } from '../database/unavailable.js';
import { type NewOwner, type OpenedMerchant, openMerchant, requireMerchant } from './actions.js';
import { checkMerchantFile, FILE_FORMAT, type MerchantFile } from './merchant-file-check.js';
import { insertRecords, listRecords, type Row } from './merchant-file-queries.js';
import { FILE_TABLES, LEFT_COLUMNS, MERCHANT_COLUMNS, ORDER_COLUMNS } from './merchant-file-tables.js';
import { findSize } from './snapshot-queries.js';
import { requirePlainDatabase } from './snapshots.js';

/** Stands for the id of the merchant: each server gives it another one. */
const MERCHANT = '{merchant}';
/** Work that is overdue by the clock of the file runs this long after. */
const OVERDUE_MS = SECOND_MS;
/** Of PostgreSQL: values that do not fit their columns, and broken constraints. */
const DOES_NOT_FIT = /^2[23]/;

export async function exportMerchant(context: ServerContext, merchantId: string): Promise<MerchantFile> {
  const { database } = context;
  await requirePlainDatabase(database, 'Files of merchants');
  const { clock } = await requireMerchant(context, merchantId);
  const tables = [MERCHANTS, ...FILE_TABLES];
  return database.transaction(async (tx) => {
    await useRepeatableReadAlone(tx, 'merchant_snapshots');
    const { bytes } = await findSize(tx, merchantId, tables);
    if (bytes > MERCHANT_FILE_BYTES) throw tooLarge(bytes);
    const columns = await readColumns(tx);
    const [[merchant = {}] = [], ...lists] = await listRecords(tx, merchantId, tables);
    const records = FILE_TABLES.flatMap((table, index) => {
      const rows = (lists[index] ?? []).map((row) => pick(row, columns.get(table) ?? []));
      return rows.length === 0 ? [] : [[table, inOrder(rows)] as const];
    });
    const file: MerchantFile = {
      tillhouse_merchant: FILE_FORMAT,
      merchant: pick(merchant, MERCHANT_COLUMNS),
      clock: { now: printMilliseconds(nowOn(clock)), frozen: clock.frozenAt !== null },
      records: Object.fromEntries(records),
    };
    return JSON.parse(JSON.stringify(file).replaceAll(merchantId, MERCHANT)) as MerchantFile;
  });
}

function tooLarge(bytes: number): Refusal {
  const megabytes = (count: number) => `${Math.ceil(count / 1024 / 1024)} MB`;
  return new Refusal('REQUEST_ENTITY_TOO_LARGE', {
    detail: `The records of the merchant take ${megabytes(bytes)}. A file has at most ${megabytes(MERCHANT_FILE_BYTES)}. Use a backup instead.`,
  });
}

/** The columns of each table that a file can have. */
async function readColumns(tx: Tx): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Map(
    (await listTables(tx)).map(({ table, columns }) => {
      const left = ['merchant_id', ...(LEFT_COLUMNS[table] ?? [])];
      return [table, columns.filter((column) => !left.includes(column))];
    }),
  );
}

/** Without what is absent. */
function pick(row: Row, columns: readonly string[]): Row {
  const kept = columns.map((column) => [column, row[column]] as const);
  return Object.fromEntries(
    kept.flatMap(([column, value]) => (value === null || value === undefined ? [] : [[column, printTime(value)]])),
  );
}

/** PostgreSQL prints times in its own form of UTC. */
function printTime(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/.test(value)) return value;
  const time = parseTime(value);
  // A time with microseconds stays as it is.
  return time === undefined || /\.\d{4,}/.test(value) ? value : printMilliseconds(time);
}

function inOrder(rows: readonly Row[]): readonly Row[] {
  const column = ORDER_COLUMNS.find((each) => rows.every((row) => row[each] !== undefined));
  const keyOf = (row: Row) => {
    const value = column === undefined ? '' : row[column];
    return `${typeof value === 'number' ? String(value).padStart(16, '0') : value} ${JSON.stringify(row)}`;
  };
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ row }) => row);
}

/** Creates the merchant of a file, with the same ids except its own, and a new access token. */
export async function importMerchant(
  context: ServerContext,
  given: unknown,
  owner: NewOwner | undefined,
): Promise<OpenedMerchant> {
  const { database } = context;
  await requirePlainDatabase(database, 'Files of merchants');
  const columns = await database.transaction(readColumns);
  const file = checkMerchantFile(given, { tables: FILE_TABLES, columns, merchantColumns: MERCHANT_COLUMNS });
  const now = parseTime(file.clock.now) ?? realNow();
  const clock = clockAt(now, file.clock.frozen);
  const { merchant } = file;
  const text = (name: string, otherwise: string) => String(merchant[name] ?? otherwise);
  const opened = await openMerchant(
    context,
    {
      businessName: text('business_name', 'Sandbox business'),
      ownerName: text('owner_name', ''),
      ownerEmail: owner?.email ?? null,
      country: text('country', 'US'),
      languageCode: text('language_code', 'en-US'),
      currency: text('currency', 'USD'),
      businessType: text('business_type', 'OTHER'),
      approved: merchant['approved'] !== false,
      isDemo: false,
      clock,
      locations: [{ name: 'Main', timezone: 'UTC' }], // those of the file replace it
    },
    {
      owner,
      tokenLabel: 'sandbox',
      fill: async (tx, created) => {
        await fill(tx, created.merchant, file);
        const overdueRunAt = instant(realNow() + OVERDUE_MS);
        await updateClock(tx, created.merchant.id, { clock, movedAt: realNow(), works: [], overdueRunAt });
      },
    },
  );
  const found = await findMerchantWithLocations(database.sql, opened.merchant.id);
  return { ...opened, ...found };
}

async function fill(tx: Tx, { id: merchantId, ownerEmail }: Merchant, file: MerchantFile): Promise<void> {
  const { merchant, records } = JSON.parse(JSON.stringify(file).replaceAll(MERCHANT, merchantId)) as MerchantFile;
  const [[opened = {}] = []] = await listRecords(tx, merchantId, [MERCHANTS]);
  try {
    await insertRecords(tx, merchantId, {
      // The owner who is given, instead of the one of the file.
      merchant: { ...opened, ...merchant, ...(ownerEmail !== null && { owner_email: ownerEmail }) },
      tables: FILE_TABLES,
      records: FILE_TABLES.map((table) => (records[table] ?? []).map((row) => ({ ...row, merchant_id: merchantId }))),
    });
  } catch (error) {
    if (!DOES_NOT_FIT.test(codeOf(error))) throw error;
    const { message, detail, table_name: table } = error as Error & { detail?: string; table_name?: string };
    const field = table === undefined ? 'file' : table === MERCHANTS ? 'file.merchant' : `file.records.${table}`;
    throw new Refusal('INVALID_VALUE', {
      field,
      detail: `${field} cannot be used: ${detail ?? message}.`.replace('..', '.'),
    });
  }
}
