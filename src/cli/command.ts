/** What a command of the command line is, and what they share. */
import { constants } from 'node:os';
import { type DataConfig, describeFlags, type Flag, type ParsedArguments, UsageError } from '../base/config.js';
import { translateDatabaseError } from '../database/constraints.js';
import { type Database, openDatabase } from '../database/database.js';
import { borrowEmbedded, hasEmbedded } from '../database/embedded/embedded.js';
import { migrate } from '../database/migrate.js';
import { explainUnreachable, whyUnavailable } from '../database/unavailable.js';

export interface Command {
  readonly name: string;
  readonly summary: string;
  run(args: readonly string[]): Promise<void>;
}

/** The form of an answer, for people or for programs. */
export const OUTPUT_FLAG = {
  value: 'text|json',
  short: 'o',
  fallback: 'text',
  choices: ['text', 'json'],
  about: 'the form of the answer',
} as const satisfies Flag;

export const TOKEN_FLAG = {
  environment: 'TILLHOUSE_ACCESS_TOKEN',
  value: 'TOKEN',
  fallback: '',
  about: 'an access token of the merchant; absent: that of the demo',
} as const satisfies Flag;

export function printHelp(usage: string, about: string, flags: Record<string, Flag>): void {
  console.log(`${about}\n\nUsage: tillhouse ${usage}\n\n${describeFlags(flags)}`);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** An orderly exit also ends a PostgreSQL that was started for a command; a signal that nobody hears would leave it behind. */
function leave(signal: NodeJS.Signals): void {
  const hasOtherListeners = process.listenerCount(signal) > 1;
  if (!hasOtherListeners) process.exit(128 + constants.signals[signal]);
}

/**
 * Runs on the database of the flags: a live server's own one if there is one, else one started just for this. Where the command
 * makes none, a folder without a database is the wrong folder.
 */
export async function withDatabase<Result>(
  config: DataConfig,
  work: (database: Database) => Promise<Result>,
  { maxConnections = 2, makes = true }: { readonly maxConnections?: number; readonly makes?: boolean } = {},
): Promise<Result> {
  if (!makes && config.databaseUrl === undefined && !(await hasEmbedded(config.dataDir))) {
    throw new UsageError(
      `There is no database in ${config.dataDir}. Name its folder with --data-dir, or make one: tillhouse migrate`,
    );
  }
  for (const signal of SIGNALS) process.on(signal, leave);
  const embedded = config.databaseUrl === undefined ? await borrowEmbedded({ dataDir: config.dataDir }) : undefined;
  try {
    const url = config.databaseUrl ?? embedded?.url ?? '';
    const database = openDatabase(url, { maxConnections, hasLongTimeouts: true, requireScram: embedded !== undefined });
    try {
      await migrate(database).catch((error: unknown) => {
        throw config.databaseUrl === undefined ? error : explainUnreachable(error);
      });
      return await work(database).catch((error: unknown) => {
        throw explainLoss(error) ?? translateDatabaseError(error) ?? error;
      });
    } finally {
      await database.close();
    }
  } finally {
    await embedded?.stop();
    for (const signal of SIGNALS) process.off(signal, leave);
  }
}

/** Nobody tries again for a command: whoever called it learns what was wrong. */
function explainLoss(error: unknown): Error | undefined {
  const reason = whyUnavailable(error);
  return reason === undefined ? undefined : new Error(`${reason} (${(error as Error).message})`, { cause: error });
}

/** The word after the command's name: which of its actions is meant. */
export function actionOf<const Actions extends readonly string[]>(
  call: ParsedArguments<unknown>,
  actions: Actions,
): Actions[number] {
  const [word] = call.words;
  if (word === undefined || !actions.includes(word)) {
    throw new UsageError(`Say what to do: ${actions.join(', ')}${word === undefined ? '.' : ` (not '${word}').`}`);
  }
  return word;
}

export function required(value: string, flag: string): string {
  if (value === '') throw new UsageError(`--${flag} is required.`);
  return value;
}
