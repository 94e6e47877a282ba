/** What commands share: flags, and the database that they work on. */
import { constants } from 'node:os';
import { type CommandFlag, type DataConfig, type DataValues, toDataConfig, UsageError } from '../base/config.js';
import { translateDatabaseError } from '../database/constraints.js';
import { type Database, openDatabase } from '../database/database.js';
import { hasEmbedded, shareEmbedded } from '../database/embedded/embedded.js';
import { type MigrationOptions, migrate, requireServerVersion } from '../database/migrate.js';
import type { Session } from '../database/sessions.js';
import { explainUnreachable, unavailableReason } from '../database/unavailable.js';

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

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `process.exit` also stops a PostgreSQL that was started for the command; the default action of a signal would leave it running. */
function exitOnSignal(signal: NodeJS.Signals): void {
  const hasOtherListeners = process.listenerCount(signal) > 1;
  if (!hasOtherListeners) process.exit(128 + constants.signals[signal]);
}

interface OpenOptions {
  readonly maxConnections?: number | undefined;
  readonly creates?: boolean | undefined;
}

/**
 * Runs `work` on the database that the flags name. An embedded PostgreSQL that a server already runs is used; otherwise one is
 * started for this command. Without `creates`, a data folder without a database is an error: it is probably the wrong folder.
 */
export async function withDatabase<Result>(
  values: DataValues,
  work: (database: Database) => Promise<Result>,
  { maxConnections, creates, ...migration }: OpenOptions & MigrationOptions = {},
): Promise<Result> {
  const config = toDataConfig(values);
  const migrateFirst = async (database: Database): Promise<Result> => {
    await migrate(database, { onBlocked: sayBlocked, ...migration }).catch(explainFor(config));
    return work(database);
  };
  return withDatabaseAt(config, migrateFirst, { maxConnections, creates });
}

/** Like `withDatabase`, but does not migrate. */
export async function withDatabaseAsItIs<Result>(
  values: DataValues,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  return withDatabaseAt(toDataConfig(values), work);
}

/** Like `withDatabaseAsItIs`, for a database that no flags name. */
export async function withDatabaseAt<Result>(
  config: DataConfig,
  work: (database: Database) => Promise<Result>,
  { maxConnections = 2, creates = false }: OpenOptions = {},
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

export function required(value: string, flag: string): string {
  if (value === '') throw new UsageError(`--${flag} is required.`);
  return value;
}

/** The word of commands that read or write a backup. */
export const FILE = { is: 'file', like: 'FILE' };
