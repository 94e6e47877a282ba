/** `tillhouse migrate`: brings the schema forward without starting a server. */
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataConfig } from '../base/config.js';
import { type Command, printHelp, withDatabase } from './command.js';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the database schema forward',
  async run(args) {
    const call = parseArguments(args, DATA_FLAGS);
    if (call.help) return printHelp('migrate [flags]', 'Brings the database schema forward.', DATA_FLAGS);
    rejectExtraArguments(call, 0);
    await withDatabase(toDataConfig(call.values), async () => console.log('The schema is up to date.'));
  },
};
