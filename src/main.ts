#!/usr/bin/env node
/** The entry point of the command line: runs a command and reports its failure in one line. */
import { readFile } from 'node:fs/promises';
import { UsageError } from './base/config.js';
import { Refusal } from './base/errors.js';
import type { Command } from './cli/command.js';
import { DataFolderInUse } from './database/embedded/embedded.js';
import { UnusableDatabase } from './database/migrate.js';
import { DatabaseUnavailable } from './database/unavailable.js';

/** Each command is loaded on demand, so that none waits for the modules of another. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./cli/serve.js')).serve,
  migrate: async () => (await import('./cli/migrate.js')).migrateCommand,
  token: async () => (await import('./cli/token.js')).token,
  merchant: async () => (await import('./cli/merchant.js')).merchant,
  owner: async () => (await import('./cli/owner.js')).owner,
  audit: async () => (await import('./cli/audit.js')).audit,
  app: async () => (await import('./cli/app.js')).app,
  adjustment: async () => (await import('./cli/adjustment.js')).adjustment,
  seed: async () => (await import('./cli/seed.js')).seed,
  listen: async () => (await import('./cli/listen.js')).listen,
  trigger: async () => (await import('./cli/trigger.js')).trigger,
  events: async () => (await import('./cli/events.js')).events,
  clock: async () => (await import('./cli/clock.js')).clock,
  fault: async () => (await import('./cli/fault.js')).fault,
  status: async () => (await import('./cli/status.js')).status,
  check: async () => (await import('./cli/check.js')).check,
};

/** Errors whose message is enough for the user; others are printed with their stack. */
const EXPLAINED = [UsageError, DataFolderInUse, UnusableDatabase, DatabaseUnavailable, Refusal];

/** A plain `Error` has a message for users or comes from the system; a subclass such as TypeError is a bug. */
function isExplained(error: unknown): error is Error {
  return EXPLAINED.some((kind) => error instanceof kind) || Object.getPrototypeOf(error) === Error.prototype;
}

async function main([name = 'help', ...args]: readonly string[]): Promise<void> {
  if (Object.hasOwn(COMMANDS, name)) return (await COMMANDS[name]?.())?.run(args);
  if (['version', '--version', '-v'].includes(name)) return console.log(await readVersion());
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const list = commands.map((each) => `  ${each.name.padEnd(10)} ${each.summary}`).join('\n');
  const hint = 'tillhouse COMMAND --help shows the flags of a command, tillhouse --version the version.';
  const help = `Usage: tillhouse COMMAND [flags]\n\n${list}\n\n${hint}`;
  if (!['help', '--help', '-h'].includes(name)) throw new UsageError(`There is no command '${name}'.\n\n${help}`);
  console.log(help);
}

async function readVersion(): Promise<string> {
  return JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')).version;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(isExplained(error) ? `tillhouse: ${error.message}` : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
