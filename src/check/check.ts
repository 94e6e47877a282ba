/** Checks the books: all of them, or without what was read before and has not changed since (decisions 0249 and 0259). */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Database, Tx } from '../database/database.js';
import { functionsSchema } from '../database/functions.js';
import { readAcknowledged } from './acknowledged.js';
import { findChanges, type Sums } from './changes.js';
import {
  type FoundOfLaw,
  findBreachesOf,
  firstOf,
  isNarrowed,
  type OpenFinding,
  prepareForLaws,
  type Reading,
} from './find.js';
import type { Breach, Law } from './law.js';
import { LAWS } from './laws.js';
import { atOneMoment } from './moment.js';
import { findMoment, findPlace, type Key, type Moment, type Progress, readProgress } from './progress.js';
import { DAY_TOTAL_LAW } from './report-laws.js';
import { findTouched } from './touched.js';
import { WATCHED } from './watched.js';

/** The laws that are checked beside each other, unless the operator says otherwise. */
export const DEFAULT_JOBS = Math.min(availableParallelism(), 4);

interface CheckOptions {
  readonly laws?: readonly Law[];
  readonly jobs?: number;
  /** What was checked before. Default: nothing. */
  readonly checked?: Checked | undefined;
  /** Whether the next check may skip something. */
  readonly isKept?: boolean;
}

/** What was checked before. */
export type Checked = Omit<Progress, 'fullyCheckedAt'>;

interface AllFound {
  readonly breaches: readonly Breach[];
  /** In the order of the laws. */
  readonly ofLaws: readonly FoundOfLaw[];
  readonly moment: Moment;
  /** Undefined: everything was read. */
  readonly touchedSales: number | undefined;
  /** What the next check needs, if it is kept. */
  readonly kept: Kept | undefined;
}

interface Kept {
  readonly sums: Sums;
  /** What no law has compared yet. */
  readonly unchecked: readonly OpenFinding[];
}

export interface Outcome {
  readonly breaches: readonly Breach[];
  readonly ofLaws: readonly FoundOfLaw[];
  /** Present if this check skipped what an earlier one had read. */
  readonly since: (Progress & { readonly touchedSales: number }) | undefined;
  /** What the next check may skip; the caller stores it. Undefined: nothing, or as much as before. */
  readonly progress: (Key & Progress) | undefined;
}

/** The first rows that break each law, except those that were acknowledged. */
export async function findBreaches(database: Database, options: CheckOptions = {}): Promise<readonly Breach[]> {
  return (await findAll(database, options)).breaches;
}

/** What a check at the moment of a transaction would leave to the next one, if it found nothing. */
export async function readChecked(tx: Tx): Promise<Checked> {
  const { at, horizon } = await findMoment(tx);
  const { sums } = await findChanges(tx, at);
  return { horizon, sums, open: [] };
}

/** Checks all laws. Skips what an earlier check has read, unless `isFull` or that check says too little. */
export async function checkBooks(
  database: Database,
  { isFull, jobs, laws = LAWS }: { readonly isFull: boolean; readonly jobs?: number; readonly laws?: readonly Law[] },
): Promise<Outcome> {
  const place = (await database.isDistributed()) ? undefined : await findPlace(database.sql);
  const key = place === undefined ? undefined : { place, laws: hashOf(laws) };
  const checked = key && !isFull ? await readProgress(database.sql, key) : undefined;
  const options = { laws, checked, isKept: key !== undefined, ...(jobs && { jobs }) };
  const { breaches, ofLaws, moment, touchedSales, kept } = await findAll(database, options);
  const since = checked && touchedSales !== undefined ? { ...checked, touchedSales } : undefined;
  const narrowed = ofLaws.filter(({ law }) => isNarrowed(law));
  const found = narrowed.flatMap(({ all }) =>
    all.map(({ law, merchantId, subject }) => ({ law, merchantId, subject })),
  );
  // Findings beyond the limit are unknown, so the next check must not skip their rows.
  const isKnown = !narrowed.some(({ isCutOff }) => isCutOff);
  const { horizon, at } = moment;
  const fullyCheckedAt = since?.fullyCheckedAt ?? at;
  const progress =
    key && kept && isKnown
      ? { ...key, horizon, sums: kept.sums, open: [...found, ...kept.unchecked], fullyCheckedAt }
      : undefined;
  return { breaches, ofLaws, since, progress };
}

interface Found {
  readonly kept: Kept;
  readonly reading: Reading | undefined;
}

async function findAll(
  database: Database,
  { laws = LAWS, jobs = DEFAULT_JOBS, checked, isKept = false }: CheckOptions,
): Promise<AllFound> {
  const ofLaws: FoundOfLaw[] = [];
  // The laws that read everything need not wait until it is known what has changed.
  const remaining = [...laws.entries()]
    .sort(([, one], [, other]) => (checked ? Number(isNarrowed(one)) - Number(isNarrowed(other)) : 0))
    .values();
  let finding: Promise<Found> | undefined;
  const { moment, isKnown } = await atOneMoment(database, jobs, {
    prepare: async (tx) => ({ moment: await findMoment(tx), isKnown: await readAcknowledged(tx) }),
    async run(tx: Tx, { moment: { at } }) {
      await prepareForLaws(tx);
      if (!finding && (checked || isKept)) {
        finding = findReading(tx, at, checked);
        await finding;
      }
      for (const [index, law] of remaining) {
        const reading = isNarrowed(law) && checked ? (await finding)?.reading : undefined;
        ofLaws[index] = await findBreachesOf(tx, law, reading);
      }
    },
  });
  const found = await finding;
  return {
    ...{ ofLaws, moment, kept: found?.kept, touchedSales: found?.reading?.touched.sales.size },
    breaches: ofLaws.flatMap((each) => firstOf(each, isKnown)),
  };
}

async function findReading(tx: Tx, at: string, checked?: Checked): Promise<Found> {
  const changes = await findChanges(tx, at, checked);
  const kept = { sums: changes.sums, unchecked: await findUncheckedDays(tx) };
  if (!checked) return { kept, reading: undefined };
  const { horizon, open } = checked;
  const ofSales = open.filter(({ law }) => law !== DAY_TOTAL_LAW);
  const touched = await findTouched(
    tx,
    changes,
    // The movements of no payment have no id in common.
    ofSales.map(({ merchantId, subject }) => ({ merchantId, id: subject ?? '' })),
  );
  return { kept, reading: touched && { horizon, open, touched } };
}

/** Late days are compared with nothing until they are rolled up again. */
async function findUncheckedDays(tx: Tx): Promise<readonly OpenFinding[]> {
  return tx<OpenFinding[]>`
    select ${DAY_TOTAL_LAW}::text as law, merchant_id, location_id || ' ' || day as subject
    from report_late_days`;
}

/** Also names the functions that the laws use. What other laws have found says nothing. */
function hashOf(laws: readonly Law[]): string {
  const texts = [
    functionsSchema(),
    JSON.stringify(WATCHED),
    ...laws.flatMap(({ name, statement }) => [name, statement]),
  ];
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}
