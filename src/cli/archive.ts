/** `tillhouse archive`: moves sales of years that are over to tables of their own (decision 0253). */
import { DATA_FLAGS, UsageError, type Values } from '../base/config.js';
import { type Instant, parseTime, printMilliseconds } from '../base/time.js';
import { archiveSales } from '../business/archive/actions.js';
import { addTallies, NOTHING, STAY_REASONS, type StayReason, type Tally } from '../business/archive/model.js';
import type { Merchant } from '../business/merchants/model.js';
import { findMerchant, listMerchants } from '../business/merchants/queries.js';
import { createArchive } from '../database/archive/tables.js';
import { findIndexBytes, rebuildIndexes, tidyUp } from '../database/archive/upkeep.js';
import type { Database } from '../database/database.js';
import { lockArchiving } from '../database/migration-locks.js';
import { keepServing, requireOwner } from '../database/serving-role.js';
import { onlyNews } from '../database/short-locks.js';
import { describeSessions, OUTPUT_FLAG, required, withDatabase } from './command.js';
import { command } from './declare.js';
import { count } from './progress.js';
import { printTable } from './table.js';
import { listWhole } from './whole-list.js';

const FLAGS = {
  before: { value: 'YYYY-MM-DD', fallback: '', about: 'move what happened before this day (UTC)' },
  merchant: { value: 'ID', fallback: '', about: 'move the sales of this merchant only; default: of all' },
  'dry-run': {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'only say what would move, and what would stay and why',
  },
  'rebuild-indexes': {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'afterwards, make the files of the indexes in use as small as they can be. Servers keep running',
  },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

const ABOUT = `Moves finished sales from before a day, with all that belongs to them, to tables of their own, so that the indexes in use stay small.
Every id, list, report and idempotency key finds them as before. A sale stays if it is less than a year old, or not finished.
Servers keep running. A run that was stopped is continued by the next one.`;

const LINE_EVERY_MS = 5000;

export const archive = command({
  name: 'archive',
  summary: 'move the sales of years that are over to an archive',
  usage: '--before YYYY-MM-DD [flags]',
  about: ABOUT,
  flags: FLAGS,
  async run({ values }) {
    const before = toBefore(required(values.before, 'before'));
    if (values['dry-run'] === 'on' && values['rebuild-indexes'] === 'on') {
      throw new UsageError('--dry-run cannot be used with --rebuild-indexes.');
    }
    // The first connection keeps migrations out.
    await withDatabase(values, (database) => move(database, values, before), { maxConnections: 3 });
  },
});

function toBefore(text: string): Instant {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTime(`${text}T00:00:00Z`) : undefined;
  if (midnight === undefined) throw new UsageError(`--before must be a day such as 2025-01-01, not '${text}'.`);
  return midnight;
}

async function move(database: Database, values: Values<typeof FLAGS>, before: Instant): Promise<void> {
  if (await database.isDistributed()) {
    throw new UsageError('The database is distributed. Only a database on one PostgreSQL can have an archive.');
  }
  const merchants = await findMerchants(database, values.merchant);
  const isDryRun = values['dry-run'] === 'on';
  if (!isDryRun) await requireOwner(database.sql, 'archive');
  const isText = values.output === 'text';
  const bytes = () => findIndexBytes(database.sql);
  const bytesBefore = await bytes();
  const tally = isDryRun
    ? await archiveAll(database, merchants, { before, isDryRun, isText })
    : await database.transaction(async (guard) => {
        await lockArchiving(guard, sayOnce('Another archive command is running. This one begins when it has ended.'));
        await database.transaction(async (tx) => {
          await createArchive(tx);
          await keepServing(tx);
        });
        const moved = await archiveAll(database, merchants, { before, isDryRun, isText });
        if (moved.moved > 0) await tidyUp(database);
        if (values['rebuild-indexes'] === 'on') await rebuildIndexes(database, sayBlocked());
        return moved;
      });
  const result = { before, isDryRun, merchants: merchants.length, tally, bytesBefore, bytesAfter: await bytes() };
  if (isText) printResult(result);
  else console.log(JSON.stringify(toJson(result), null, 2));
}

async function findMerchants({ sql }: Database, id: string): Promise<readonly Merchant[]> {
  if (id === '') return listWhole((page) => listMerchants(sql, { text: undefined, page }));
  const found = await findMerchant(sql, id);
  if (!found) throw new UsageError(`There is no merchant ${id}.`);
  return [found];
}

interface Plan {
  readonly before: Instant;
  readonly isDryRun: boolean;
  readonly isText: boolean;
}

async function archiveAll(
  database: Database,
  merchants: readonly Merchant[],
  { before, isDryRun, isText }: Plan,
): Promise<Tally> {
  let moved = 0;
  let shownAt = performance.now();
  const onBatch = (some: Tally): void => {
    moved += some.moved;
    if (!isText || isDryRun || performance.now() - shownAt < LINE_EVERY_MS) return;
    shownAt = performance.now();
    console.error(`${count(moved)} sales have moved.`);
  };
  let tally = NOTHING;
  const options = { before, isDryRun, onBlocked: sayBlocked(), onBatch };
  for (const merchant of merchants) tally = addTallies(tally, await archiveSales(database, merchant, options));
  return tally;
}

function sayBlocked() {
  return onlyNews((blockers) => console.error(`The archive waits for ${describeSessions(blockers)}.`));
}

function sayOnce(text: string): () => void {
  let isSaid = false;
  return () => {
    if (!isSaid) console.error(text);
    isSaid = true;
  };
}

interface Result {
  readonly before: Instant;
  readonly isDryRun: boolean;
  readonly merchants: number;
  readonly tally: Tally;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

function reasonsOf({ stayed }: Tally): readonly [StayReason, number][] {
  const reasons = Object.keys(STAY_REASONS) as StayReason[];
  return reasons.flatMap((reason): [StayReason, number][] => (stayed[reason] ? [[reason, stayed[reason]]] : []));
}

function printResult({ before, isDryRun, merchants, tally, bytesBefore, bytesAfter }: Result): void {
  const day = printMilliseconds(before).slice(0, 10);
  const verb = isDryRun ? 'would move' : 'moved';
  const whose = merchants === 1 ? '1 merchant' : `${count(merchants)} merchants`;
  console.log(`${count(tally.moved)} sales and payments without a sale of ${whose} ${verb}: from before ${day}.`);
  const rows = reasonsOf(tally).map(([reason, staying]) => [count(staying), STAY_REASONS[reason]]);
  if (rows.length > 0) printTable([isDryRun ? 'would stay' : 'stayed', 'because'], rows);
  if (isDryRun) return;
  console.log(
    `Indexes of the tables in use: ${printMegabytes(bytesBefore)} before, ${printMegabytes(bytesAfter)} now. ` +
      'What became free in them is used again.',
  );
}

function printMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function toJson({ before, isDryRun, merchants, tally, bytesBefore, bytesAfter }: Result) {
  return {
    before: printMilliseconds(before).slice(0, 10),
    dry_run: isDryRun,
    merchants,
    moved: tally.moved,
    stayed: Object.fromEntries(reasonsOf(tally)),
    index_bytes: { before: bytesBefore, after: bytesAfter },
  };
}
