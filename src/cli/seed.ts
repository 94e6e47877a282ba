/** `tillhouse seed`: fills a database with businesses of any size. */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { realNow } from '../base/clock.js';
import {
  accountKeyOfEnvironment,
  DATA_FLAGS,
  type DataConfig,
  parseArguments,
  rejectExtraArguments,
  toDataConfig,
  UsageError,
} from '../base/config.js';
import { readOrCreateAccountKey } from '../base/secret-files.js';
import { hashWithKey } from '../base/secrets.js';
import { type Instant, parseTime, printSeconds } from '../base/time.js';
import { enterMode, requireSandbox } from '../business/merchants/mode.js';
import type { Database } from '../database/database.js';
import { type SeededMerchant, type Seeding, seedBusinesses } from '../demo/seed.js';
import { type Command, OUTPUT_FLAG, printHelp, withDatabase } from './command.js';
import { count, ProgressReport } from './progress.js';

const FLAGS = {
  merchants: { value: 'NUMBER', fallback: '1', about: 'how many businesses' },
  days: { value: 'NUMBER', fallback: '90', about: 'how long their history is' },
  'payments-per-day': { value: 'NUMBER', fallback: '50', about: 'of each business, on average' },
  seed: { value: 'NUMBER', fallback: '', about: 'the same number makes the same businesses; absent: any' },
  now: { value: 'TIME', fallback: '', about: 'where the history ends, and what their clocks show then; absent: now' },
  output: { ...OUTPUT_FLAG, about: 'how tokens are told' },
  ...DATA_FLAGS,
} as const;

type Values = Readonly<Record<keyof typeof FLAGS, string>>;

const MAX = { merchants: 100_000, days: 3650, 'payments-per-day': 100_000, seed: 2 ** 31 - 1 } as const;
const MAX_PAYMENTS = 100_000_000;
/** Twice as many as there are cores: while one is told, others are being written. */
const MAX_CONCURRENCY = 8;

export const seed: Command = {
  name: 'seed',
  summary: 'make businesses of any size, with a history',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('seed [flags]', 'Makes businesses of any size, with all that they did.', FLAGS);
    rejectExtraArguments(call, 0);
    const plan = toPlan(call.values);
    const config = toDataConfig(call.values);
    const seeding = { ...plan, keyedHash: await keyedHashOf(config) };
    const work = async (database: Database): Promise<readonly SeededMerchant[]> => {
      await requireSandbox(database, 'seed');
      await enterMode(database, { mode: 'sandbox' }); // made-up businesses never become a production database unnoticed
      return runWatched(database, seeding, call.values.output);
    };
    const made = await withDatabase(config, work, { maxConnections: seeding.atOnce });
    if (call.values.output === 'json') console.log(JSON.stringify(toJson(seeding, made), null, 2));
  },
};

function toPlan(values: Values): Omit<Seeding, 'keyedHash'> {
  const merchants = toCount(values, 'merchants', 1);
  const days = toCount(values, 'days', 1);
  const paymentsPerDay = toCount(values, 'payments-per-day', 1);
  const payments = merchants * days * paymentsPerDay;
  if (payments > MAX_PAYMENTS) {
    throw new UsageError(
      `That comes to ${count(payments)} payments; at most ${count(MAX_PAYMENTS)} are made at once. ` +
        'Use fewer --merchants, --days or --payments-per-day, and call it again for more.',
    );
  }
  return {
    merchants,
    days,
    paymentsPerDay,
    seed: values.seed === '' ? randomInt(MAX.seed) : toCount(values, 'seed', 0),
    now: toNow(values.now),
    atOnce: Math.min(merchants, 2 * availableParallelism(), MAX_CONCURRENCY),
  };
}

function toCount(values: Values, name: keyof typeof MAX, least: number): number {
  const [text, number] = [values[name], Number(values[name])];
  if (/^\d{1,12}$/.test(text) && number >= least && number <= MAX[name]) return number;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${MAX[name]}, not '${text}'.`);
}

function toNow(text: string): Instant {
  const now = text === '' ? realNow() : parseTime(text);
  if (now === undefined) throw new UsageError(`--now must be a time such as 2026-03-20T19:30:00Z, not '${text}'.`);
  return now;
}

async function keyedHashOf({ dataDir }: DataConfig): Promise<Seeding['keyedHash']> {
  const key = accountKeyOfEnvironment() ?? (await readOrCreateAccountKey(dataDir));
  return (text) => hashWithKey(key, text);
}

/** What is not whole when a signal comes is not there afterwards; the others stay. */
async function runWatched(database: Database, seeding: Seeding, output: string): Promise<readonly SeededMerchant[]> {
  const { merchants, days, paymentsPerDay, seed: number } = seeding;
  const report = new ProgressReport(process.stderr, { noun: 'payments', total: merchants * days * paymentsPerDay });
  const made: SeededMerchant[] = [];
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await seedBusinesses(database, seeding, {
      onPayments(more) {
        interrupted.signal.throwIfAborted();
        report.add(more);
      },
      onMerchant(merchant) {
        made.push(merchant);
        report.clear();
        if (output === 'text') console.log(toLine(merchant));
      },
    });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new UsageError(
      `Interrupted: ${made.length} of ${merchants} businesses are whole, and nothing of the others is there. ` +
        `The same call with --seed ${number} makes the rest.`,
    );
  } finally {
    report.clear();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  console.error(
    `${report.summary(`${count(made.length)} ${made.length === 1 ? 'business' : 'businesses'}`)} Seed: ${number}.`,
  );
  return made;
}

function toLine({ merchantId, accessToken, businessName, isKnown }: SeededMerchant): string {
  return `${merchantId}  ${accessToken}  ${businessName}${isKnown ? '  (was there already)' : ''}`;
}

function toJson({ seed: number, now }: Seeding, made: readonly SeededMerchant[]): unknown {
  return {
    seed: number,
    now: printSeconds(now),
    merchants: made
      .toSorted((one, other) => one.number - other.number)
      .map(({ merchantId, businessName, locationIds, accessToken }) => ({
        merchant_id: merchantId,
        business_name: businessName,
        location_ids: locationIds,
        access_token: accessToken,
      })),
  };
}
