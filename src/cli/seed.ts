/** `tillhouse seed`: creates businesses of any size with a history. */

import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { realNow } from '../base/clock.js';
import {
  accountKeyFromEnvironment,
  DATA_FLAGS,
  type DataConfig,
  toDataConfig,
  UsageError,
  type Values,
} from '../base/config.js';
import { hashWithKey } from '../base/secrets.js';
import { type Instant, parseTime, printSeconds } from '../base/time.js';
import { requireWholeNumber } from '../base/whole-number.js';
import { enterMode, requireSandbox } from '../business/merchants/mode.js';
import { hasMerchants } from '../business/merchants/queries.js';
import type { Database } from '../database/database.js';
import { type SeededMerchant, type Seeding, seedBusinesses } from '../demo/seed.js';
import { openHashKey } from '../identity/hash-key.js';
import { OUTPUT_FLAG, withDatabase } from './command.js';
import { command } from './declare.js';
import { count, ProgressReport } from './progress.js';

const FLAGS = {
  merchants: { value: 'NUMBER', fallback: '1', about: 'the number of businesses' },
  days: { value: 'NUMBER', fallback: '90', about: 'how many days their history has' },
  'payments-per-day': { value: 'NUMBER', fallback: '50', about: 'payments of each business per day, on average' },
  seed: { value: 'NUMBER', fallback: '', about: 'the same number creates the same businesses; default: random' },
  now: {
    value: 'TIME',
    fallback: '',
    about: 'the end of the history, and the time of their clocks; default: the current time',
  },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

type SeedValues = Values<typeof FLAGS>;

const MAX = { merchants: 100_000, days: 3650, 'payments-per-day': 100_000, seed: 2 ** 31 - 1 } as const;
const MAX_PAYMENTS = 100_000_000;
/** The upper limit of businesses in progress. Below it, two per core: one is generated while the other is written to the database. */
const MAX_CONCURRENCY = 8;

export const seed = command({
  name: 'seed',
  summary: 'create businesses of any size, with a history',
  usage: '[flags]',
  about: 'Creates businesses of any size, with a history.',
  flags: FLAGS,
  async run({ values }) {
    const plan = toPlan(values);
    const work = async (database: Database): Promise<readonly SeededMerchant[]> => {
      await requireSandbox(database, 'seed');
      await enterMode(database, { mode: 'sandbox' }); // a database with generated businesses must not become a production database
      const seeding = { ...plan, keyedHash: await keyedHashOf(database, toDataConfig(values)) };
      return seedWithProgress(database, seeding, values.output);
    };
    const created = await withDatabase(values, work, { maxConnections: plan.concurrency, creates: true });
    if (values.output === 'json') console.log(JSON.stringify(toJson(plan, created), null, 2));
  },
});

function toPlan(values: SeedValues): Omit<Seeding, 'keyedHash'> {
  const merchants = toCount(values, 'merchants', 1);
  const days = toCount(values, 'days', 1);
  const paymentsPerDay = toCount(values, 'payments-per-day', 1);
  const payments = merchants * days * paymentsPerDay;
  if (payments > MAX_PAYMENTS) {
    throw new UsageError(
      `These flags ask for ${count(payments)} payments; the limit is ${count(MAX_PAYMENTS)}. ` +
        'Reduce --merchants, --days or --payments-per-day, and run the command again for more.',
    );
  }
  return {
    merchants,
    days,
    paymentsPerDay,
    seed: values.seed === '' ? randomInt(MAX.seed) : toCount(values, 'seed', 0),
    now: toNow(values.now),
    concurrency: Math.min(merchants, 2 * availableParallelism(), MAX_CONCURRENCY),
  };
}

function toCount(values: SeedValues, name: keyof typeof MAX, min: number): number {
  return requireWholeNumber(values[name], `--${name}`, { min, max: MAX[name] });
}

function toNow(text: string): Instant {
  const now = text === '' ? realNow() : parseTime(text);
  if (now === undefined) throw new UsageError(`--now must be a time such as 2026-03-20T19:30:00Z, not '${text}'.`);
  return now;
}

async function keyedHashOf(database: Database, { dataDir }: DataConfig): Promise<Seeding['keyedHash']> {
  const source = { accountKey: accountKeyFromEnvironment(), dataDir };
  const key = await openHashKey(database, source, async () => (await hasMerchants(database.sql)).any);
  return (text) => hashWithKey(key, text);
}

/** Each business is one transaction: a signal rolls back the businesses in progress and keeps the finished ones. */
async function seedWithProgress(
  database: Database,
  seeding: Seeding,
  output: string,
): Promise<readonly SeededMerchant[]> {
  const { merchants, days, paymentsPerDay, seed: number } = seeding;
  const report = new ProgressReport(process.stderr, { noun: 'payments', total: merchants * days * paymentsPerDay });
  const created: SeededMerchant[] = [];
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
        created.push(merchant);
        report.clear();
        if (output === 'text') console.log(toLine(merchant));
      },
    });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new UsageError(
      `Interrupted: ${created.length} of ${merchants} businesses were created completely, the others not at all. ` +
        `The same command with --seed ${number} creates the rest.`,
    );
  } finally {
    report.clear();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
  console.error(
    `${report.summary(`${count(created.length)} ${created.length === 1 ? 'business' : 'businesses'}`)} Seed: ${number}.`,
  );
  return created;
}

function toLine({ merchantId, accessToken, businessName, existed }: SeededMerchant): string {
  return `${merchantId}  ${accessToken}  ${businessName}${existed ? '  (existed already)' : ''}`;
}

function toJson({ seed: number, now }: Pick<Seeding, 'seed' | 'now'>, created: readonly SeededMerchant[]): unknown {
  return {
    seed: number,
    now: printSeconds(now),
    merchants: created
      .toSorted((one, other) => one.number - other.number)
      .map(({ merchantId, businessName, locationIds, accessToken }) => ({
        merchant_id: merchantId,
        business_name: businessName,
        location_ids: locationIds,
        access_token: accessToken,
      })),
  };
}
