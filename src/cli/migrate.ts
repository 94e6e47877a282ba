/** `tillhouse migrate`: applies pending migrations without starting a server, and distributes the tables over a cluster. */
import { type CommandFlag, DATA_FLAGS, UsageError } from '../base/config.js';
import { parseWholeNumber } from '../base/whole-number.js';
import { type MigrationPlan, planMigrations } from '../database/migration-plan.js';
import { describeSessions, withDatabase, withDatabaseAsItIs } from './command.js';
import { command } from './declare.js';
import { printTable } from './table.js';

const DEFAULT_SHARDS = 32;

const FLAGS = {
  ...DATA_FLAGS,
  plan: {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'only show what would be applied, what it locks, and for how long',
  },
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
  'serve-role': {
    value: 'ROLE',
    fallback: '',
    about: 'a role of PostgreSQL that may serve from now on, but not change the schema. Later migrations keep it',
  },
} as const satisfies Record<string, CommandFlag>;

export const migrateCommand = command({
  name: 'migrate',
  summary: 'apply pending database migrations',
  usage: '[flags]',
  about: 'Applies pending database migrations.',
  flags: FLAGS,
  async run({ values }) {
    const shards = toShards(values);
    const serveRole = toServeRole(values);
    if (values.plan === 'on') {
      if (shards !== undefined) throw new UsageError('--plan cannot be used with --distribute.');
      if (serveRole !== undefined) throw new UsageError('--plan cannot be used with --serve-role.');
      return withDatabaseAsItIs(values, async (database) => print(await planMigrations(database)));
    }
    await withDatabase(
      values,
      async () => {
        console.log(
          shards === undefined ? 'The schema is up to date.' : `The tables are distributed into ${shards} shards.`,
        );
        if (serveRole !== undefined) console.log(`The role ${serveRole} may serve.`);
      },
      { creates: true, ...(shards !== undefined && { shards }), ...(serveRole !== undefined && { serveRole }) },
    );
  },
});

function toServeRole(values: Record<'serve-role' | 'database-url', string>): string | undefined {
  const { 'serve-role': role, 'database-url': url } = values;
  if (role === '') return undefined;
  if (url === '') throw new UsageError('--serve-role requires --database-url: the embedded PostgreSQL has one role.');
  return role;
}

function print({ migrations, backups, openTransactions }: MigrationPlan): void {
  if (migrations.length === 0) console.log('The schema is up to date.');
  for (const { name, reason, tables } of migrations) {
    console.log(`${name}: ${reason}`);
    const rows = tables.map(({ table, rows, waits, seconds }) => [
      `  ${table}`,
      String(rows),
      waits,
      seconds <= 1 ? 'about a second at most' : `about ${seconds} s`,
    ]);
    if (rows.length > 0) printTable(['  table', 'rows', 'who waits', 'how long'], rows);
    else console.log('  Nobody waits: it only adds what is new.');
  }
  if (backups.length > 0) console.log(`It will wait for a backup to end: ${describeSessions(backups)}.`);
  if (openTransactions.length > 0) {
    console.log(`It will wait for open transactions: ${describeSessions(openTransactions)}.`);
  }
}

function toShards({ distribute, shards }: Record<'distribute' | 'shards', string>): number | undefined {
  if (distribute === '') {
    if (shards !== '') throw new UsageError('--shards requires --distribute.');
    return undefined;
  }
  if (shards === '') return DEFAULT_SHARDS;
  const count = parseWholeNumber(shards, { min: 1, max: 1024 });
  if (count === undefined) throw new UsageError(`--shards must be a number from 1 to 1024, not '${shards}'.`);
  return count;
}
