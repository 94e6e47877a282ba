/** Makes businesses of any size with their history, each in one piece or not at all (decision 0087). */
import { createPersonalToken } from '../access/tokens.js';
import { clockAt } from '../base/clock.js';
import { DAY_MS, type Instant, instant, wholeSecond } from '../base/time.js';
import { createMerchant } from '../business/merchants/actions.js';
import { findMerchantWithLocations } from '../business/merchants/queries.js';
import type { Database, Tx } from '../database/database.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { Chance } from './history/chance.js';
import { openBusiness } from './history/opening.js';
import { chooseStaff, hireStaff } from './history/staff.js';
import { StoryIds } from './history/story.js';
import { writeHistory } from './history/write.js';
import { commitWithoutWaiting, updateStatistics } from './queries.js';
import { chooseBusiness, SEED_ACCOUNT } from './seed-business.js';

export interface Seeding {
  readonly merchants: number;
  readonly days: number;
  readonly paymentsPerDay: number;
  /** The same seed makes the same merchants; one that is there already is left as it is. */
  readonly seed: number;
  /** Where the history ends: the merchants' clocks show this time. */
  readonly now: Instant;
  readonly keyedHash: (text: string) => Buffer;
  /** So many merchants are made side by side. */
  readonly atOnce: number;
}

export interface SeededMerchant {
  /** From one on: the same seed and number are the same merchant. */
  readonly number: number;
  readonly merchantId: string;
  readonly businessName: string;
  readonly locationIds: readonly string[];
  readonly accessToken: string;
  /** It was there already. */
  readonly isKnown: boolean;
}

export interface SeedWatch {
  /** Is told how many payments were written since it was last told; what it throws ends the seeding. */
  onPayments(count: number): void;
  onMerchant(merchant: SeededMerchant): void;
}

const TOKEN_LABEL = 'seed';

/** They opened this long before their history begins, and hired their people. */
const PREPARING_DAYS = 30;

export async function seedBusinesses(database: Database, seeding: Seeding, watch: SeedWatch): Promise<void> {
  let next = 1;
  const work = async (): Promise<void> => {
    while (next <= seeding.merchants) watch.onMerchant(await seedBusiness(database, seeding, next++, watch));
  };
  const outcomes = await Promise.allSettled(Array.from({ length: seeding.atOnce }, work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  await database.statement(updateStatistics);
}

async function seedBusiness(
  database: Database,
  seeding: Seeding,
  number: number,
  watch: SeedWatch,
): Promise<SeededMerchant> {
  return database.transaction(async (tx) => {
    await commitWithoutWaiting(tx);
    const known = await findMerchantWithLocations(tx, merchantIdOf(seeding.seed, number));
    if (known) watch.onPayments(Math.round(seeding.days * seeding.paymentsPerDay));
    const { merchant, locations } = known ?? (await makeBusiness(tx, seeding, number, watch));
    return {
      number,
      merchantId: merchant.id,
      businessName: merchant.businessName,
      locationIds: locations.map(({ id }) => id),
      accessToken: await createPersonalToken(tx, {
        merchantId: merchant.id,
        permissions: PERMISSIONS,
        label: TOKEN_LABEL,
      }),
      isKnown: known !== undefined,
    };
  });
}

/** Of one merchant of a seed. Neighbours share nothing. */
function chanceOf(seed: number, number: number): Chance {
  return new Chance(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b));
}

/** The first thing that chance decides, so that it does not depend on anything else. */
function merchantIdOf(seed: number, number: number): string {
  return new StoryIds(chanceOf(seed, number), instant(0)).newShortId('M');
}

async function makeBusiness(
  tx: Tx,
  { seed, days, paymentsPerDay, now, keyedHash }: Seeding,
  number: number,
  { onPayments }: SeedWatch,
) {
  const chance = chanceOf(seed, number);
  const from = instant(now - days * DAY_MS);
  const openedAt = wholeSecond(instant(from - PREPARING_DAYS * DAY_MS));
  const ids = new StoryIds(chance, openedAt);
  // What is chosen does not disturb the first identifier.
  const business = chooseBusiness(chanceOf(~seed, number), { number, paymentsPerDay, clock: clockAt(now, false) });
  const made = await createMerchant(tx, ids, business.merchant, { now, openedAt });
  const payroll = { domain: business.domain, prefix: `E${number}` };
  const staff = chooseStaff(ids, made, business.people, payroll);
  await hireStaff(tx, made.merchant.id, staff);
  const opened = await openBusiness(tx, {
    ...made,
    staff: staff.employees,
    places: business.places,
    accounts: [SEED_ACCOUNT],
    website: `https://${business.domain}`,
    chance,
    ids,
    now,
    keyedHash,
  });
  await writeHistory(tx, { ...opened, from, onProgress: onPayments });
  return made;
}
