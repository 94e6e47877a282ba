/** The interface of a command, and the functions and flags that commands share. */
import { constants } from 'node:os';
import { type CommandFlag, type DataConfig, describeFlags, type ParsedArguments, UsageError } from '../base/config.js';
import { translateDatabaseError } from '../database/constraints.js';
import { type Database, openDatabase } from '../database/database.js';
import { hasEmbedded, shareEmbedded } from '../database/embedded/embedded.js';
import { type MigrationOptions, migrate, requireServerVersion } from '../database/migrate.js';
import type { Session } from '../database/sessions.js';
import { explainUnreachable, unavailableReason } from '../database/unavailable.js';

export interface Command {
  readonly name: string;
  readonly summary: string;
  run(args: readonly string[]): Promise<void>;
}

export const OUTPUT_FLAG = {
  value: 'text|json',
  short: 'o',
  fallback: 'text',
  choices: ['text', 'json'],
  about: 'the output format',
} as const satisfies CommandFlag;

export const TOKEN_FLAG = {
  environment: 'TILLHOUSE_ACCESS_TOKEN',
  value: 'TOKEN',
  fallback: '',
  about: 'an access token of the merchant; default: the token of the demo merchant',
} as const satisfies CommandFlag;

export function printHelp(usage: string, about: string, flags: Record<string, CommandFlag>): void {
  console.log(`${about}\n\nUsage: tillhouse ${usage}\n\n${describeFlags(flags)}`);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `process.exit` also stops a PostgreSQL that was started for the command; the default action of a signal would leave it running. */
function exitOnSignal(signal: NodeJS.Signals): void {
  const hasOtherListeners = process.listenerCount(signal) > 1;
  if (!hasOtherListeners) process.exit(128 + constants.signals[signal]);
}

interface OpenOptions {
  readonly maxConnections?: number;
  readonly creates?: boolean;
}

/**
 * Runs `work` on the database that the flags name. An embedded PostgreSQL that a server already runs is used; otherwise one is
 * started for this command. With `creates: false`, a data folder without a database is an error: it is probably the wrong folder.
 */
export function withDatabase<Result>(
  config: DataConfig,
  work: (database: Database) => Promise<Result>,
  { maxConnections = 2, creates = true, ...migration }: OpenOptions & MigrationOptions = {},
): Promise<Result> {
  const migrateFirst = async (database: Database): Promise<Result> => {
    await migrate(database, { onBlocked: sayBlocked, ...migration }).catch(explainFor(config));
    return work(database);
  };
  return withDatabaseAsItIs(config, migrateFirst, { maxConnections, creates });
}

/** Like `withDatabase`, but does not migrate. */
export async function withDatabaseAsItIs<Result>(
  config: DataConfig,
  work: (database: Database) => Promise<Result>,
  { maxConnections = 2, creates = true }: OpenOptions = {},
): Promise<Result> {
  if (!creates && config.databaseUrl === undefined && !(await hasEmbedded(config.dataDir))) {
    throw new UsageError(
      `There is no database in ${config.dataDir}. Use --data-dir to name another folder, or create a database: tillhouse migrate`,
    );
  }
  const begin = async (database: Database): Promise<Result> => {
    await requireServerVersion(database.sql).catch(explainFor(config));
    return work(database);
  };
  for (const signal of SIGNALS) process.on(signal, exitOnSignal);
  const embedded = config.databaseUrl === undefined ? await shareEmbedded({ dataDir: config.dataDir }) : undefined;
  try {
    const url = config.databaseUrl ?? embedded?.url ?? '';
    const database = openDatabase(url, { maxConnections, hasLongTimeouts: true, requireScram: embedded !== undefined });
    try {
      return await begin(database).catch((error: unknown) => {
        throw explainLoss(error) ?? translateDatabaseError(error) ?? error;
      });
    } finally {
      await database.close();
    }
  } finally {
    await embedded?.stop();
    for (const signal of SIGNALS) process.off(signal, exitOnSignal);
  }
}

function sayBlocked(blockers: readonly Session[]): void {
  console.error(`The migration waits for ${describeSessions(blockers)}.`);
}

/** Sessions of PostgreSQL, for people. */
export function describeSessions(sessions: readonly Session[]): string {
  return sessions
    .map(
      ({ pid, application, state, seconds }) =>
        `process ${pid} (${[application || 'unknown program', state, `open for ${seconds} s`].filter(Boolean).join(', ')})`,
    )
    .join(', ');
}

/** Throws the error in the words of the flags, before the work begins. */
function explainFor({ databaseUrl }: DataConfig): (error: unknown) => never {
  return (error) => {
    throw databaseUrl === undefined ? error : explainUnreachable(error);
  };
}

/** A command does not retry when the connection is lost: it reports the reason. */
function explainLoss(error: unknown): Error | undefined {
  const reason = unavailableReason(error);
  return reason === undefined ? undefined : new Error(`${reason} (${(error as Error).message})`, { cause: error });
}

/** The action is the word after the command's name. */
export function actionOf<const Actions extends readonly string[]>(
  call: ParsedArguments<unknown>,
  actions: Actions,
): Actions[number] {
  const [word] = call.words;
  if (word === undefined || !actions.includes(word)) {
    throw new UsageError(
      `The action must be one of ${actions.join(', ')}${word === undefined ? '.' : `, not '${word}'.`}`,
    );
  }
  return word;
}

export function required(value: string, flag: string): string {
  if (value === '') throw new UsageError(`--${flag} is required.`);
  return value;
}
