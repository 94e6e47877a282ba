/** `tillhouse check`: checks every law against the stored records. */
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataConfig } from '../base/config.js';
import { findBreaches, LAWS, LAWS_AT_ONCE } from '../check/laws.js';
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
      maxConnections: LAWS_AT_ONCE,
      creates: false,
    });
    for (const { law, merchantId, subject, found } of breaches)
      console.error(`${law}\n  ${merchantId} ${subject}: ${found}`);
    if (breaches.length > 0) process.exitCode = 1;
    else console.log(`All ${LAWS.length} laws hold.`);
  },
};
