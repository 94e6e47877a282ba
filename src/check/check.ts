/** Checks the books: all of them, or without what was read before and has not changed since (decision 0249). */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Database, Tx } from '../database/database.js';
import { functionsSchema } from '../database/functions.js';
import { readAcknowledged } from './acknowledged.js';
import { type Checked, type FoundOfLaw, findBreachesOf, firstOf, prepareForLaws, skipsDocuments } from './find.js';
import type { Breach, Law } from './law.js';
import { LAWS } from './laws.js';
import { atOneMoment } from './moment.js';
import { findMoment, findPlace, type Key, type Moment, type Progress, readProgress } from './progress.js';

/** The laws that are checked beside each other, unless the operator says otherwise. */
export const DEFAULT_JOBS = Math.min(availableParallelism(), 4);

interface CheckOptions {
  readonly laws?: readonly Law[];
  readonly jobs?: number;
  /** What was checked before. Default: nothing. */
  readonly checked?: Checked | undefined;
}

interface AllFound {
  readonly breaches: readonly Breach[];
  /** In the order of the laws. */
  readonly ofLaws: readonly FoundOfLaw[];
  readonly moment: Moment;
}

export interface Outcome {
  readonly breaches: readonly Breach[];
  readonly ofLaws: readonly FoundOfLaw[];
  /** Present if this check skipped what an earlier one had read. */
  readonly since: Progress | undefined;
  /** What the next check may skip; the caller stores it. Undefined: nothing, or as much as before. */
  readonly progress: (Key & Progress) | undefined;
}

/** The first rows that break each law, except those that were acknowledged. */
export async function findBreaches(database: Database, options: CheckOptions = {}): Promise<readonly Breach[]> {
  return (await findAll(database, options)).breaches;
}

/** Checks all laws. Skips what an earlier check has read, unless `isFull` or that check says too little. */
export async function checkBooks(
  database: Database,
  { isFull, jobs, laws = LAWS }: { readonly isFull: boolean; readonly jobs?: number; readonly laws?: readonly Law[] },
): Promise<Outcome> {
  const place = (await database.isDistributed()) ? undefined : await findPlace(database.sql);
  const key = place === undefined ? undefined : { place, laws: hashOf(laws) };
  const since = key && !isFull ? await readProgress(database.sql, key) : undefined;
  const { breaches, ofLaws, moment } = await findAll(database, { laws, checked: since, ...(jobs && { jobs }) });
  const ofDocuments = ofLaws.filter(({ law }) => skipsDocuments(law));
  const open = ofDocuments.flatMap(({ all }) =>
    all.map(({ law, merchantId, subject }) => ({ law, merchantId, subject })),
  );
  // Findings beyond the limit are unknown, so the next check must not skip their rows.
  const isKnown = key !== undefined && !ofDocuments.some(({ isCutOff }) => isCutOff);
  const fullyCheckedAt = since?.fullyCheckedAt ?? moment.at;
  const progress = isKnown ? { ...key, horizon: moment.horizon, open, fullyCheckedAt } : undefined;
  return { breaches, ofLaws, since, progress };
}

async function findAll(
  database: Database,
  { laws = LAWS, jobs = DEFAULT_JOBS, checked }: CheckOptions,
): Promise<AllFound> {
  const ofLaws: FoundOfLaw[] = [];
  const remaining = laws.entries();
  const { moment, isKnown } = await atOneMoment(database, jobs, {
    prepare: async (tx) => ({ moment: await findMoment(tx), isKnown: await readAcknowledged(tx) }),
    async run(tx: Tx) {
      await prepareForLaws(tx);
      for (const [index, law] of remaining) ofLaws[index] = await findBreachesOf(tx, law, checked);
    },
  });
  return { ofLaws, moment, breaches: ofLaws.flatMap((found) => firstOf(found, isKnown)) };
}

/** Also names the functions that the laws use. What other laws have found says nothing. */
function hashOf(laws: readonly Law[]): string {
  const texts = [functionsSchema(), ...laws.flatMap(({ name, statement }) => [name, statement])];
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}
