/** The command line: runs a command and reports its failure in one line. */
import { UsageError } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { readVersion } from '../base/version.js';
import { ClockDiffers } from '../database/clock-difference.js';
import { DataFolderInUse } from '../database/embedded/embedded.js';
import { UnusableDatabase } from '../database/migrations.js';
import { DatabaseUnavailable, UnreachableDatabase } from '../database/unavailable.js';
import type { Command } from './declare.js';

/** Each command is loaded on demand, so that none waits for the modules of another. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.js')).serve,
  migrate: async () => (await import('./migrate.js')).migrateCommand,
  token: async () => (await import('./token.js')).token,
  merchant: async () => (await import('./merchant.js')).merchant,
  buyer: async () => (await import('./buyer.js')).buyer,
  owner: async () => (await import('./owner.js')).owner,
  audit: async () => (await import('./audit.js')).audit,
  app: async () => (await import('./app.js')).app,
  adjustment: async () => (await import('./adjustment.js')).adjustment,
  seed: async () => (await import('./seed.js')).seed,
  listen: async () => (await import('./listen.js')).listen,
  trigger: async () => (await import('./trigger.js')).trigger,
  logs: async () => (await import('./logs.js')).logs,
  events: async () => (await import('./events.js')).events,
  clock: async () => (await import('./clock.js')).clock,
  fault: async () => (await import('./fault.js')).fault,
  status: async () => (await import('./status.js')).status,
  processor: async () => (await import('./processor.js')).processor,
  reconcile: async () => (await import('./reconcile.js')).reconcile,
  secrets: async () => (await import('./secrets.js')).secrets,
  check: async () => (await import('./check.js')).check,
  archive: async () => (await import('./archive.js')).archive,
  backup: async () => (await import('./backup.js')).backup,
  restore: async () => (await import('./restore.js')).restore,
};

/** Errors whose message is enough for the user; others are printed with their stack. */
const EXPLAINED = [
  UsageError,
  DataFolderInUse,
  UnusableDatabase,
  ClockDiffers,
  DatabaseUnavailable,
  UnreachableDatabase,
  Refusal,
];

/** A plain `Error` has a message for users or comes from the system; a subclass such as TypeError is a bug. */
function isExplained(error: unknown): error is Error {
  return EXPLAINED.some((kind) => error instanceof kind) || Object.getPrototypeOf(error) === Error.prototype;
}

/** Prints to the console and sets the exit code of the process. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    console.error(isExplained(error) ? `tillhouse: ${error.message}` : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

async function run([name = 'help', ...args]: readonly string[]): Promise<void> {
  if (Object.hasOwn(COMMANDS, name)) return (await COMMANDS[name]?.())?.run(args);
  if (['version', '--version', '-v'].includes(name)) return console.log(await readVersion());
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const list = commands.map((each) => `  ${each.name.padEnd(10)} ${each.summary}`).join('\n');
  const hint = 'tillhouse COMMAND --help shows the flags of a command, tillhouse --version the version.';
  const help = `Usage: tillhouse COMMAND [flags]\n\n${list}\n\n${hint}`;
  if (!['help', '--help', '-h'].includes(name)) throw new UsageError(`There is no command '${name}'.\n\n${help}`);
  console.log(help);
}
