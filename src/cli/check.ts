/** `tillhouse check`: checks every law against the stored records. */
import {
  type CommandFlag,
  DATA_FLAGS,
  parseArguments,
  rejectExtraArguments,
  toDataConfig,
  UsageError,
} from '../base/config.js';
import { findBreaches, LAWS, MAX_CONCURRENT_LAWS } from '../check/laws.js';
import type { Database } from '../database/database.js';
import { acknowledgeFinding } from '../identity/acknowledgements.js';
import { recordingFailure, recordRun } from '../identity/last-runs.js';
import { type Command, printHelp, required, withDatabase } from './command.js';

const FLAGS = {
  ...DATA_FLAGS,
  acknowledge: {
    value: 'ID',
    fallback: '',
    about: 'do not count what is found for the record with this id any more, unless its values change',
  },
  reason: { value: 'TEXT', fallback: '', about: 'why that is no fault of the books (--acknowledge); it is stored' },
} as const satisfies Record<string, CommandFlag>;

export const check: Command = {
  name: 'check',
  summary: 'check the stored records against every law, and list violations',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help)
      return printHelp('check [flags]', 'Checks the stored records against every law and lists violations.', FLAGS);
    rejectExtraArguments(call, 0);
    const { acknowledge: subject, reason } = call.values;
    if (subject === '' && reason !== '') throw new UsageError('--reason requires --acknowledge.');
    const work = (database: Database) =>
      subject === '' ? report(database) : acknowledgeAll(database, subject, required(reason, 'reason'));
    await withDatabase(toDataConfig(call.values), work, { maxConnections: MAX_CONCURRENT_LAWS, creates: false });
  },
};

async function report(database: Database): Promise<void> {
  const breaches = await recordingFailure(database, 'CHECK', () => findBreaches(database));
  const hasSucceeded = breaches.length === 0;
  const found = hasSucceeded ? `all ${LAWS.length} laws hold` : `violations: ${breaches.length}`;
  await database.statement((tx) => recordRun(tx, 'CHECK', { hasSucceeded, found }));
  for (const { law, merchantId, subject, found } of breaches)
    console.error(`${law}\n  ${merchantId} ${subject}: ${found}`);
  if (breaches.length > 0) process.exitCode = 1;
  else console.log(`All ${LAWS.length} laws hold.`);
}

async function acknowledgeAll(database: Database, subject: string, reason: string): Promise<void> {
  const breaches = (await findBreaches(database)).filter((each) => each.subject === subject);
  if (breaches.length === 0) throw new UsageError(`No law is violated by ${subject}.`);
  for (const breach of breaches) {
    await acknowledgeFinding(database, breach, reason);
    console.log(`Acknowledged: ${breach.law}`);
  }
}
