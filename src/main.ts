#!/usr/bin/env node
/** The entry of the command line: picks a command and reports its failure in one line. */
import { UsageError } from './base/config.js';
import { Refusal } from './base/errors.js';
import { app } from './cli/app.js';
import { check } from './cli/check.js';
import { clock } from './cli/clock.js';
import type { Command } from './cli/command.js';
import { events } from './cli/events.js';
import { fault } from './cli/fault.js';
import { listen } from './cli/listen.js';
import { merchant } from './cli/merchant.js';
import { migrateCommand } from './cli/migrate.js';
import { serve } from './cli/serve.js';
import { status } from './cli/status.js';
import { token } from './cli/token.js';
import { trigger } from './cli/trigger.js';
import { DataFolderInUse } from './database/embedded.js';
import { UnusableDatabase } from './database/migrate.js';

const COMMANDS: readonly Command[] = [
  ...[serve, migrateCommand, token, merchant, app],
  ...[listen, trigger, events, clock, fault, status, check],
];

/** Failures whose message says all that a person needs; others show where they came from. */
const EXPLAINED = [UsageError, DataFolderInUse, UnusableDatabase, Refusal];

/** A plain error is one that was written for people, or the system's own; a TypeError and its like is a mistake in here. */
function isExplained(error: unknown): error is Error {
  return EXPLAINED.some((kind) => error instanceof kind) || Object.getPrototypeOf(error) === Error.prototype;
}

async function main([name = 'help', ...args]: readonly string[]): Promise<void> {
  const command = COMMANDS.find((each) => each.name === name);
  if (command) return command.run(args);
  const list = COMMANDS.map((each) => `  ${each.name.padEnd(10)} ${each.summary}`).join('\n');
  const help = `Usage: tillhouse COMMAND [flags]\n\n${list}\n\ntillhouse COMMAND --help shows the flags of a command.`;
  if (!['help', '--help', '-h'].includes(name)) throw new UsageError(`There is no command '${name}'.\n\n${help}`);
  console.log(help);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(isExplained(error) ? `tillhouse: ${error.message}` : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
