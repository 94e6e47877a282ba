/** `tillhouse reconcile`: compares the records of the processor with ours, for one day (decision 0182). */
import { realNow } from '../base/clock.js';
import {
  type AdapterAddress,
  DATA_FLAGS,
  processorSecretFromEnvironment,
  SERVE_FLAGS,
  type StripeAccess,
  secretsKeysFromEnvironment,
  stripeFromEnvironment,
  toAdapter,
  toStripe,
  UsageError,
} from '../base/config.js';
import { SealingKeys, UnopenedSecret } from '../base/sealing.js';
import { DAY_MS, type Instant, instant, parseTime, printMilliseconds } from '../base/time.js';
import { printLocal, startOfDay } from '../base/time-zones.js';
import { isTimezone } from '../business/merchants/model.js';
import { findMerchant, listMerchants } from '../business/merchants/queries.js';
import { type Comparison, reconcile as compareRecords } from '../business/reconciliation/actions.js';
import { DIFFERENCES, type Difference } from '../business/reconciliation/model.js';
import type { Database } from '../database/database.js';
import { recordingFailure, recordRun } from '../identity/last-runs.js';
import { openAdapterBooks } from '../processor/adapter/books.js';
import { BooksUnavailable, type ProcessorBooks, type ProcessorRecord } from '../processor/contract.js';
import {
  listAllMerchantProcessors,
  listMerchantProcessors,
  type MerchantProcessor,
} from '../processor/merchant-processor-queries.js';
import { openMerchantProcessor } from '../processor/merchant-processors.js';
import { OUTPUT_FLAG, withDatabase } from './command.js';
import { command } from './declare.js';
import { printTable } from './table.js';
import { listWhole } from './whole-list.js';

const FLAGS = {
  date: { value: 'YYYY-MM-DD', fallback: '', about: 'the day; default: yesterday' },
  timezone: { value: 'ZONE', fallback: 'UTC', about: 'the time zone of the day' },
  merchant: { value: 'ID', fallback: '', about: 'compare the records of this merchant only' },
  processor: {
    ...SERVE_FLAGS.processor,
    value: 'stripe|URL',
    about: 'the processor of the server, as for serve: stripe, or the address of an adapter',
  },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

const ABOUT = `Compares the processors' records of a day with ours, and lists every difference. Nothing is changed.
TILLHOUSE_PROCESSOR_SECRET must be the secret of the server's adapter, or STRIPE_SECRET_KEY the key of its account at Stripe.
TILLHOUSE_SECRETS_KEY decrypts the secrets of merchants' own adapters.
The exit code is 0 without differences, 1 with some, and 2 if the records could not be compared.`;

export const reconcile = command({
  name: 'reconcile',
  summary: "compare a processor's records of a day with ours",
  usage: '[flags]',
  about: ABOUT,
  flags: FLAGS,
  async run({ values }) {
    const day = toDay(values.date, values.timezone);
    const adapter = toAdapter(values.processor, processorSecretFromEnvironment());
    const stripe = toStripe(values.processor, stripeFromEnvironment());
    const keys = new SealingKeys(secretsKeysFromEnvironment());
    const compare = (database: Database) => {
      const work = () =>
        reconcileDay(database, values.merchant, { ...day, server: booksOfServer(database, adapter, stripe), keys });
      return isDailyRun(day, values.merchant) ? recorded(database, day, work) : work();
    };
    const { compared, failures } = await withDatabase(values, compare).catch(asUsageError);
    if (values.output === 'json' && compared.length > 0) console.log(JSON.stringify(toOutput(day, compared), null, 2));
    if (values.output === 'text') for (const each of compared) printText(day.date, each);
    if (failures.length > 0) throw new UsageError(failures.join('\n'));
    if (compared.some(({ differences }) => differences.length > 0)) process.exitCode = 1;
  },
});

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

/** The exit code 1 means that there are differences, so a failed comparison needs another one. */
function asUsageError(error: unknown): never {
  if (error instanceof UsageError) throw error;
  throw new UsageError(`The records could not be compared: ${(error as Error).message}`, { cause: error });
}

/** Whether it is the comparison that has to be made every day. One of an earlier day, or of one merchant, does not replace it. */
function isDailyRun({ end }: Day, merchantId: string): boolean {
  return merchantId === '' && end > realNow() - DAY_MS;
}

async function recorded(database: Database, { date }: Day, work: () => Promise<ComparedDay>): Promise<ComparedDay> {
  const day = await recordingFailure(database, 'RECONCILE', work);
  const count = day.compared.reduce((sum, { differences }) => sum + differences.length, 0);
  const hasSucceeded = count === 0 && day.failures.length === 0;
  const found = [`${date}: differences: ${count}`, ...day.failures].join('; ');
  await database.statement((tx) => recordRun(tx, 'RECONCILE', { hasSucceeded, found }));
  return day;
}

interface ComparedBooks extends Comparison {
  readonly processor: string;
}

/** What could be compared, and why the rest could not. One processor that is down does not hide the differences of another. */
interface ComparedDay {
  readonly compared: readonly ComparedBooks[];
  readonly failures: readonly string[];
}

async function reconcileDay(
  database: Database,
  merchantId: string,
  { server, keys, begin, end }: Day & { readonly server: BooksSource | undefined; readonly keys: SealingKeys },
): Promise<ComparedDay> {
  const { sql } = database;
  if (merchantId !== '' && !(await findMerchant(sql, merchantId))) {
    throw new UsageError(`There is no merchant ${merchantId}.`);
  }
  const isWhole = merchantId === '';
  const merchants = isWhole ? await listWhole((page) => listMerchants(sql, { text: undefined, page })) : [];
  const merchantIds = isWhole ? merchants.map(({ id }) => id) : [merchantId];
  const rows = await (isWhole ? listAllMerchantProcessors(sql) : listMerchantProcessors(sql, merchantId));
  const { books, failures } = collectBooks(keys, { server, merchantIds, rows });
  if (books.length === 0 && failures.length === 0) {
    throw new UsageError(
      'The simulator keeps no records. --processor (TILLHOUSE_PROCESSOR) must be stripe, or name an adapter.',
    );
  }
  const compared: ComparedBooks[] = [];
  for (const { name, open, merchants } of books) {
    const others = books.filter((each) => each.name === name);
    const isUnexpected = ({ merchantId: id = '' }: ProcessorRecord) =>
      isWhole && !others.some((each) => each.merchants.has(id));
    try {
      const comparison = { database, books: await open(), merchants, isUnexpected, begin, end };
      compared.push({ processor: name, ...(await compareRecords(comparison)) });
    } catch (error) {
      if (!(error instanceof BooksUnavailable)) throw error;
      failures.push(error.message);
    }
  }
  return { compared, failures };
}

/** Where a processor keeps its books. */
interface BooksSource {
  /** The address of an adapter, or the name of the processor. */
  readonly name: string;
  readonly secret: string;
  open(): Promise<ProcessorBooks>;
}

function booksOfServer(
  database: Database,
  adapter: AdapterAddress | undefined,
  stripe: StripeAccess | undefined,
): BooksSource | undefined {
  if (adapter) return booksSourceOf(adapter);
  if (!stripe) return undefined;
  const open = async () => {
    const { openStripeBooks } = await import('../processor/stripe/open.js'); // loads an optional package
    return openStripeBooks(stripe, database);
  };
  return { name: 'stripe', secret: stripe.secretKey, open };
}

function booksSourceOf(adapter: AdapterAddress): BooksSource {
  return { name: adapter.url, secret: adapter.secret, open: async () => openAdapterBooks(adapter) };
}

/** The books of one source, as one secret shows them. */
interface Books extends BooksSource {
  readonly merchants: Map<string, (string | null)[]>;
}

function collectBooks(
  keys: SealingKeys,
  {
    server,
    merchantIds,
    rows,
  }: {
    readonly server: BooksSource | undefined;
    readonly merchantIds: readonly string[];
    readonly rows: readonly MerchantProcessor[];
  },
): { readonly books: readonly Books[]; readonly failures: string[] } {
  const books: Books[] = [];
  const failures: string[] = [];
  if (server) books.push({ ...server, merchants: new Map(merchantIds.map((id) => [id, [null]])) });
  for (const row of rows) {
    try {
      const source = booksSourceOf(openMerchantProcessor(keys, row));
      const known = books.find((each) => each.name === source.name && each.secret === source.secret);
      const found = known ?? { ...source, merchants: new Map<string, (string | null)[]>() };
      if (!known) books.push(found);
      found.merchants.set(row.merchantId, [...(found.merchants.get(row.merchantId) ?? []), row.id]);
    } catch (error) {
      if (!(error instanceof UnopenedSecret)) throw error;
      failures.push(`The records at ${row.address} of merchant ${row.merchantId} could not be read: ${error.message}.`);
    }
  }
  return { books, failures };
}

function toOutput({ date, begin, end }: Day, compared: readonly ComparedBooks[]) {
  return {
    date,
    begin_time: printMilliseconds(begin),
    end_time: printMilliseconds(end),
    processors: compared.map(({ processor }) => processor),
    compared: compared.reduce((sum, each) => sum + each.compared, 0),
    differences: compared.flatMap(({ processor, differences }) =>
      differences.map((each) => ({
        kind: each.kind,
        type: each.type,
        processor,
        merchant_id: each.merchantId,
        payment_id: each.paymentId,
        key: each.key,
        record_id: each.recordId,
        ours: each.ours,
        theirs: each.theirs,
      })),
    ),
  };
}

function printText(date: string, { processor, compared, differences }: ComparedBooks): void {
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
