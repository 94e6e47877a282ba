/** Creates businesses of any size with a history, each in one transaction (decision 0087). */
import { createPageKey } from '../access/devices/publishable-keys.js';
import { issuePersonalToken } from '../access/tokens.js';
import { clockAt } from '../base/clock.js';
import type { KeyedHash } from '../base/secrets.js';
import { DAY_MS, type Instant, instant, wholeSecond } from '../base/time.js';
import { createMerchant } from '../business/merchants/actions.js';
import { findMerchantWithLocations } from '../business/merchants/queries.js';
import { hasRollUps } from '../business/reports/queries.js';
import type { Database, Tx } from '../database/database.js';
import { issueCredentials } from '../identity/directory.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { openBusiness } from './history/opening.js';
import { rollUpHistory } from './history/roll-up.js';
import { ScenarioIds } from './history/scenario.js';
import { SeededRandom } from './history/seeded-random.js';
import { generateStaff, insertStaff } from './history/staff.js';
import { writeHistory } from './history/write.js';
import { commitWithoutWaiting, updateStatistics } from './queries.js';
import { chooseBusiness, MENU_OWNER, SEED_ACCOUNT } from './seed-business.js';

export interface Seeding {
  readonly merchants: number;
  readonly days: number;
  readonly paymentsPerDay: number;
  /** The same seed creates the same merchants; an existing one is not changed. */
  readonly seed: number;
  /** The end of the history, and the time of the merchants' clocks. */
  readonly now: Instant;
  readonly keyedHash: KeyedHash;
  /** The number of merchants that are created at the same time. */
  readonly concurrency: number;
}

export interface SeededMerchant {
  /** Starts at 1. The same seed and number identify the same merchant. */
  readonly number: number;
  readonly merchantId: string;
  readonly businessName: string;
  readonly locationIds: readonly string[];
  readonly accessToken: string;
  readonly existed: boolean;
}

export interface SeedListener {
  /** Called with the number of payments written since the last call. An error that it throws aborts the seeding. */
  onPayments(count: number): void;
  onMerchant(merchant: SeededMerchant): void;
}

const TOKEN_LABEL = 'seed';

/** Locations are opened and employees hired this long before the history begins. */
const PREPARING_DAYS = 30;

export async function seedBusinesses(database: Database, seeding: Seeding, listener: SeedListener): Promise<void> {
  let next = 1;
  const work = async (): Promise<void> => {
    while (next <= seeding.merchants) listener.onMerchant(await seedBusiness(database, seeding, next++, listener));
  };
  const outcomes = await Promise.allSettled(Array.from({ length: seeding.concurrency }, work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  await database.statement(updateStatistics);
}

async function seedBusiness(
  database: Database,
  seeding: Seeding,
  number: number,
  listener: SeedListener,
): Promise<SeededMerchant> {
  const seeded = await issueCredentials(database, async (issuing) => {
    const { tx } = issuing;
    await commitWithoutWaiting(tx);
    const existing = await findMerchantWithLocations(tx, merchantIdOf(seeding.seed, number));
    if (existing) listener.onPayments(Math.round(seeding.days * seeding.paymentsPerDay));
    const { merchant, locations } = existing ?? (await createBusiness(tx, seeding, number, listener));
    for (const { id } of locations)
      await createPageKey(issuing, seeding.keyedHash, { merchantId: merchant.id, locationId: id });
    return {
      number,
      merchantId: merchant.id,
      businessName: merchant.businessName,
      locationIds: locations.map(({ id }) => id),
      accessToken: await issuePersonalToken(issuing, {
        merchantId: merchant.id,
        permissions: PERMISSIONS,
        label: TOKEN_LABEL,
      }),
      existed: existing !== undefined,
    };
  });
  // An existing one too: its creation may have been killed after the commit.
  if (!(await hasRollUps(database.sql, seeded.merchantId))) await rollUpHistory(database, seeded.merchantId);
  return seeded;
}

/** Independent random numbers for each merchant of a seed. */
function randomFor(seed: number, number: number): SeededRandom {
  return new SeededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b));
}

/** The first random value of a merchant, so that it depends only on the seed and the number. */
function merchantIdOf(seed: number, number: number): string {
  return new ScenarioIds(randomFor(seed, number), instant(0)).newShortId('M');
}

async function createBusiness(
  tx: Tx,
  { seed, days, paymentsPerDay, now, keyedHash }: Seeding,
  number: number,
  { onPayments }: SeedListener,
) {
  const random = randomFor(seed, number);
  const from = instant(now - days * DAY_MS);
  const openedAt = wholeSecond(instant(from - PREPARING_DAYS * DAY_MS));
  const ids = new ScenarioIds(random, openedAt);
  // Another sequence, so that the merchant id remains the first value of the main one.
  const business = chooseBusiness(randomFor(~seed, number), { number, paymentsPerDay, clock: clockAt(now, false) });
  const created = await createMerchant(tx, ids, business.merchant, { now, openedAt });
  const payroll = { domain: business.domain, prefix: `E${number}` };
  const staff = generateStaff(ids, created, business.people, payroll);
  await insertStaff(tx, created.merchant.id, staff);
  const opened = await openBusiness(tx, {
    ...created,
    staff: staff.employees,
    locationPlans: business.locationPlans,
    accounts: [SEED_ACCOUNT],
    website: `https://${business.domain}`,
    menuOwner: MENU_OWNER,
    hasPictures: false,
    random,
    ids,
    now,
    keyedHash,
  });
  await writeHistory(tx, { ...opened, from, onProgress: onPayments });
  return created;
}
