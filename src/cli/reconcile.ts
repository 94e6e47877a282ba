/** `tillhouse reconcile`: compares the records of the processor with ours, for one day (decision 0182). */
import { realNow } from '../base/clock.js';
import {
  DATA_FLAGS,
  parseArguments,
  processorSecretFromEnvironment,
  rejectExtraArguments,
  SERVE_FLAGS,
  toAdapter,
  toDataConfig,
  UsageError,
} from '../base/config.js';
import { DAY_MS, type Instant, instant, parseTime, printMilliseconds } from '../base/time.js';
import { printLocal, startOfDay } from '../base/time-zones.js';
import { isTimezone } from '../business/merchants/model.js';
import { findMerchant, listMerchants } from '../business/merchants/queries.js';
import { type Comparison, reconcile as compareRecords } from '../business/reconciliation/actions.js';
import { DIFFERENCES, type Difference } from '../business/reconciliation/model.js';
import type { Database } from '../database/database.js';
import { openAdapterBooks } from '../processor/adapter/books.js';
import { BooksUnavailable } from '../processor/contract.js';
import { type Command, OUTPUT_FLAG, printHelp, withDatabase } from './command.js';
import { printTable } from './table.js';
import { listWhole } from './whole-list.js';

const FLAGS = {
  date: { value: 'YYYY-MM-DD', fallback: '', about: 'the day; default: yesterday' },
  timezone: { value: 'ZONE', fallback: 'UTC', about: 'the time zone of the day' },
  merchant: { value: 'ID', fallback: '', about: 'compare the records of this merchant only' },
  processor: { ...SERVE_FLAGS.processor, value: 'URL', about: 'the address of the adapter, as for serve' },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

const ABOUT = `Compares the processor's records of a day with ours, and names every difference. Nothing is changed.
TILLHOUSE_PROCESSOR_SECRET must be the secret of the adapter.
The exit code is 0 without differences, 1 with some, and 2 if the records could not be compared.`;

export const reconcile: Command = {
  name: 'reconcile',
  summary: "compare a processor's records of a day with ours",
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('reconcile [flags]', ABOUT, FLAGS);
    rejectExtraArguments(call, 0);
    const { values } = call;
    const day = toDay(values.date, values.timezone);
    const adapter = toAdapter(values.processor, processorSecretFromEnvironment());
    if (!adapter) {
      throw new UsageError('The simulator keeps no records. --processor (TILLHOUSE_PROCESSOR) must name an adapter.');
    }
    const compare = (database: Database) => reconcileDay(database, values.merchant, { ...day, adapter });
    const comparison = await withDatabase(toDataConfig(values), compare, { creates: false }).catch(asUsageError);
    if (values.output === 'json') console.log(JSON.stringify(toOutput(day, adapter.url, comparison), null, 2));
    else printText(day.date, adapter.url, comparison);
    if (comparison.differences.length > 0) process.exitCode = 1;
  },
};

interface Day {
  readonly date: string;
  readonly begin: Instant;
  readonly end: Instant;
}

function toDay(text: string, timezone: string): Day {
  if (!isTimezone(timezone)) throw new UsageError(`--timezone: there is no time zone '${timezone}'.`);
  const date = text || dayBefore(printLocal(timezone, realNow()).slice(0, 10));
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(date) ? parseTime(`${date}T00:00:00Z`) : undefined;
  if (midnight === undefined) throw new UsageError(`--date must be a day such as 2026-11-16, not '${text}'.`);
  const begin = startOfDay(timezone, midnight);
  return { date, begin, end: startOfDay(timezone, instant(midnight + DAY_MS)) };
}

/** By the calendar: a day of 23 or 25 hours is one day, too. */
function dayBefore(date: string): string {
  const midnight = parseTime(`${date}T00:00:00Z`) as Instant;
  return printMilliseconds(instant(midnight - DAY_MS)).slice(0, 10);
}

/** The exit code 1 means differences, so what could not be compared has another one. */
function asUsageError(error: unknown): never {
  if (error instanceof UsageError) throw error;
  if (error instanceof BooksUnavailable) throw new UsageError(error.message, { cause: error });
  throw new UsageError(`The records could not be compared: ${(error as Error).message}`, { cause: error });
}

async function reconcileDay(
  database: Database,
  merchantId: string,
  { adapter, begin, end }: Day & { readonly adapter: { readonly url: string; readonly secret: string } },
): Promise<Comparison> {
  const { sql } = database;
  if (merchantId !== '' && !(await findMerchant(sql, merchantId))) {
    throw new UsageError(`There is no merchant ${merchantId}.`);
  }
  const merchants = merchantId ? [] : await listWhole((page) => listMerchants(sql, { text: undefined, page }));
  const merchantIds = new Set(merchantId ? [merchantId] : merchants.map(({ id }) => id));
  const books = openAdapterBooks(adapter);
  return compareRecords({ database, books, merchantIds, isWhole: merchantId === '', begin, end });
}

function toOutput({ date, begin, end }: Day, processor: string, { compared, differences }: Comparison) {
  return {
    date,
    begin_time: printMilliseconds(begin),
    end_time: printMilliseconds(end),
    processor,
    compared,
    differences: differences.map((each) => ({
      kind: each.kind,
      type: each.type,
      merchant_id: each.merchantId,
      payment_id: each.paymentId,
      key: each.key,
      record_id: each.recordId,
      ours: each.ours,
      theirs: each.theirs,
    })),
  };
}

function printText(date: string, processor: string, { compared, differences }: Comparison): void {
  const { length } = differences;
  const found = length === 0 ? 'no differences' : `${length} difference${length === 1 ? '' : 's'}`;
  if (differences.length > 0) {
    printTable(['difference', 'type', 'merchant', 'payment', 'record', 'ours', 'theirs'], differences.map(toRow));
    for (const kind of new Set(differences.map((each) => each.kind))) console.log(`${kind}: ${DIFFERENCES[kind]}.`);
  }
  console.log(`${date}, ${processor}: ${compared} records compared, ${found}.`);
}

function toRow({ kind, type, merchantId, paymentId, recordId, ours, theirs }: Difference): readonly string[] {
  return [kind, type, merchantId, paymentId, recordId, ours, theirs].map((each) => each ?? '-');
}
