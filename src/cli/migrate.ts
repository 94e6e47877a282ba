/** `tillhouse migrate`: applies pending migrations without starting a server, and distributes the tables over a cluster. */
import {
  type CommandFlag,
  DATA_FLAGS,
  parseArguments,
  rejectExtraArguments,
  toDataConfig,
  UsageError,
} from '../base/config.js';
import { type Command, printHelp, withDatabase } from './command.js';

const DEFAULT_SHARDS = 32;

const FLAGS = {
  ...DATA_FLAGS,
  distribute: {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'distribute the tables over the nodes of a Citus cluster. The database is that of its coordinator',
  },
  shards: {
    value: 'NUMBER',
    fallback: '',
    about: `into how many shards --distribute divides each table; ${DEFAULT_SHARDS} if absent`,
  },
} as const satisfies Record<string, CommandFlag>;

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'apply pending database migrations',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('migrate [flags]', 'Applies pending database migrations.', FLAGS);
    rejectExtraArguments(call, 0);
    const shards = toShards(call.values);
    await withDatabase(
      toDataConfig(call.values),
      async () =>
        console.log(
          shards === undefined ? 'The schema is up to date.' : `The tables are distributed into ${shards} shards.`,
        ),
      shards === undefined ? {} : { shards },
    );
  },
};

function toShards({ distribute, shards }: Record<'distribute' | 'shards', string>): number | undefined {
  if (distribute === '') {
    if (shards !== '') throw new UsageError('--shards requires --distribute.');
    return undefined;
  }
  const count = shards === '' ? DEFAULT_SHARDS : Number(shards);
  if (!Number.isInteger(count) || count < 1 || count > 1024) {
    throw new UsageError(`--shards must be a number from 1 to 1024, not '${shards}'.`);
  }
  return count;
}
