/** `tillhouse check`: recomputes every law of the books from the raw rows. */
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataConfig } from '../base/config.js';
import { findBreaches, LAWS, LAWS_AT_ONCE } from '../check/laws.js';
import { type Command, printHelp, withDatabase } from './command.js';

export const check: Command = {
  name: 'check',
  summary: 'recompute every law of the books, and name what breaks one',
  async run(args) {
    const call = parseArguments(args, DATA_FLAGS);
    if (call.help)
      return printHelp('check [flags]', 'Recomputes every law of the books from the raw rows.', DATA_FLAGS);
    rejectExtraArguments(call, 0);
    const breaches = await withDatabase(toDataConfig(call.values), findBreaches, {
      maxConnections: LAWS_AT_ONCE,
      makes: false,
    });
    for (const { law, merchantId, subject, found } of breaches)
      console.error(`${law}\n  ${merchantId} ${subject}: ${found}`);
    if (breaches.length > 0) process.exitCode = 1;
    else console.log(`All ${LAWS.length} laws hold.`);
  },
};
