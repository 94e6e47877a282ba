/** `tillhouse check`: checks every law against the stored records. */
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataConfig } from '../base/config.js';
import { findBreaches, LAWS, MAX_CONCURRENT_LAWS } from '../check/laws.js';
import { type Command, printHelp, withDatabase } from './command.js';

export const check: Command = {
  name: 'check',
  summary: 'check the stored records against every law, and list violations',
  async run(args) {
    const call = parseArguments(args, DATA_FLAGS);
    if (call.help)
      return printHelp(
        'check [flags]',
        'Checks the stored records against every law and lists violations.',
        DATA_FLAGS,
      );
    rejectExtraArguments(call, 0);
    const breaches = await withDatabase(toDataConfig(call.values), findBreaches, {
      maxConnections: MAX_CONCURRENT_LAWS,
      creates: false,
    });
    for (const { law, merchantId, subject, found } of breaches)
      console.error(`${law}\n  ${merchantId} ${subject}: ${found}`);
    if (breaches.length > 0) process.exitCode = 1;
    else console.log(`All ${LAWS.length} laws hold.`);
  },
};
