/** `tillhouse migrate`: applies pending migrations without starting a server. */
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataConfig } from '../base/config.js';
import { type Command, printHelp, withDatabase } from './command.js';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'apply pending database migrations',
  async run(args) {
    const call = parseArguments(args, DATA_FLAGS);
    if (call.help) return printHelp('migrate [flags]', 'Applies pending database migrations.', DATA_FLAGS);
    rejectExtraArguments(call, 0);
    await withDatabase(toDataConfig(call.values), async () => console.log('The schema is up to date.'));
  },
};
