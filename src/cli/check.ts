/** `tillhouse check`: checks every law against the stored records. */
import { type CommandFlag, DATA_FLAGS, UsageError } from '../base/config.js';
import { requireWholeNumber } from '../base/whole-number.js';
import { checkBooks, DEFAULT_JOBS, type Outcome } from '../check/check.js';
import { LAWS } from '../check/laws.js';
import { FULL_AFTER_DAYS } from '../check/progress.js';
import type { Database } from '../database/database.js';
import { acknowledgeFinding } from '../identity/acknowledgements.js';
import { withProgress } from '../identity/check-progress.js';
import { recordingFailure, recordRun } from '../identity/last-runs.js';
import { required, withDatabase } from './command.js';
import { command } from './declare.js';

const MAX_JOBS = 64;

const FLAGS = {
  ...DATA_FLAGS,
  full: {
    value: '',
    fallback: '',
    isSwitch: true,
    about: `read everything again, not only what has changed since the last check; default after ${FULL_AFTER_DAYS} days`,
  },
  jobs: {
    value: 'NUMBER',
    fallback: String(DEFAULT_JOBS),
    about:
      'laws that are checked beside each other, each on a connection of its own; default: the CPU cores, at most 4',
  },
  verbose: { value: '', fallback: '', isSwitch: true, about: 'print how many seconds each law took' },
  acknowledge: {
    value: 'ID',
    fallback: '',
    about: 'do not count what is found for the record with this id any more, unless its values change',
  },
  reason: { value: 'TEXT', fallback: '', about: 'why that is no fault of the books (--acknowledge); it is stored' },
} as const satisfies Record<string, CommandFlag>;

export const check = command({
  name: 'check',
  summary: 'check the stored records against every law, and list violations',
  usage: '[flags]',
  about: 'Checks the stored records against every law and lists violations.',
  flags: FLAGS,
  async run({ values }) {
    const { acknowledge: subject, reason } = values;
    if (subject === '' && reason !== '') throw new UsageError('--reason requires --acknowledge.');
    const options = { isFull: values.full === 'on', jobs: toJobs(values.jobs) };
    const work = (database: Database) => {
      const run = () => withProgress(database, () => checkBooks(database, options));
      if (subject !== '') return acknowledgeAll(database, run, subject, required(reason, 'reason'));
      return report(database, run, values.verbose === 'on');
    };
    await withDatabase(values, work, { maxConnections: options.jobs });
  },
});

function toJobs(value: string): number {
  return requireWholeNumber(value, '--jobs', { min: 1, max: MAX_JOBS });
}

async function report(database: Database, run: () => Promise<Outcome>, isVerbose: boolean): Promise<void> {
  const { breaches, ofLaws, since } = await recordingFailure(database, 'CHECK', run);
  const hasSucceeded = breaches.length === 0;
  const found = hasSucceeded ? `all ${LAWS.length} laws hold` : `violations: ${breaches.length}`;
  await database.statement((tx) => recordRun(tx, 'CHECK', { hasSucceeded, found }));
  for (const { law, merchantId, subject, found } of breaches)
    console.error(`${law}\n  ${merchantId} ${subject}: ${found}`);
  if (isVerbose) printSeconds(ofLaws);
  if (breaches.length > 0) process.exitCode = 1;
  else console.log(`All ${LAWS.length} laws hold.`);
  // Also with violations, because an operator who looks for their cause has to know what was read.
  if (since)
    console.log(
      `Sales that have not changed since the last check (all but ${since.touchedSales}) were not read again; all were read at ${since.fullyCheckedAt}.`,
    );
}

/** The slowest law first. */
function printSeconds(ofLaws: Outcome['ofLaws']): void {
  for (const { law, seconds } of [...ofLaws].sort((a, b) => b.seconds - a.seconds))
    console.log(`${seconds.toFixed(2).padStart(8)} s  ${law.name}`);
}

async function acknowledgeAll(
  database: Database,
  run: () => Promise<Outcome>,
  subject: string,
  reason: string,
): Promise<void> {
  const breaches = (await run()).breaches.filter((each) => each.subject === subject);
  if (breaches.length === 0) throw new UsageError(`No law is violated by ${subject}.`);
  for (const breach of breaches) {
    await acknowledgeFinding(database, breach, reason);
    console.log(`Acknowledged: ${breach.law}`);
  }
}
