/** The command line: runs a command and reports its failure in one line. */
import { UsageError } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';
import { readVersion } from '../base/version.js';
import { ClockDiffers } from '../database/clock-difference.js';
import { DataFolderInUse, StartFailure } from '../database/embedded/embedded.js';
import { UnusableDatabase } from '../database/migrations.js';
import { DatabaseUnavailable, UnreachableDatabase } from '../database/unavailable.js';
import type { Command } from './declare.js';

/** Each command is loaded on demand, so that none waits for the modules of another. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.js')).serve,
  stop: async () => (await import('./stop.js')).stopCommand,
  exec: async () => (await import('./exec.js')).exec,
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
  get: async () => (await import('./request.js')).get,
  post: async () => (await import('./request.js')).post,
  put: async () => (await import('./request.js')).put,
  delete: async () => (await import('./request.js')).deleteCommand,
  trigger: async () => (await import('./trigger.js')).trigger,
  logs: async () => (await import('./logs.js')).logs,
  events: async () => (await import('./events.js')).events,
  clock: async () => (await import('./clock.js')).clock,
  fault: async () => (await import('./fault.js')).fault,
  open: async () => (await import('./open.js')).open,
  doctor: async () => (await import('./doctor.js')).doctor,
  completion: async () => (await import('./completion.js')).completion,
  stub: async () => (await import('./stub.js')).stub,
  record: async () => (await import('./record.js')).record,
  replay: async () => (await import('./replay.js')).replay,
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
  StartFailure,
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
    console.error(isExplained(error) ? `tillhouse: ${messageOf(error)}` : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

function messageOf(error: Error): string {
  const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
  return isFull ? `The disk is full. Free some space and try again (${error.message}).` : error.message;
}

async function run([name = 'help', ...args]: readonly string[]): Promise<void> {
  if (Object.hasOwn(COMMANDS, name)) return (await COMMANDS[name]?.())?.run(args, loadCommands);
  if (['version', '--version', '-v'].includes(name)) return console.log(await readVersion());
  const hint = 'tillhouse COMMAND --help shows the flags of a command, tillhouse --version the version.';
  if (!['help', '--help', '-h'].includes(name)) {
    const known = Object.keys(COMMANDS);
    throw new UsageError(
      `There is no command '${name}'.${didYouMean(name, known)} The commands are ${known.join(', ')}. ${hint}`,
    );
  }
  const commands = await loadCommands();
  const list = commands.map((each) => `  ${each.name.padEnd(10)} ${each.summary}`).join('\n');
  console.log(`Usage: tillhouse COMMAND [flags]\n\n${list}\n\n${hint}`);
}

/** All of them, for lists. */
function loadCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
