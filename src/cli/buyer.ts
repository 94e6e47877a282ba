/** `tillhouse buyer export|erase`: shows or erases what is stored about a buyer (decision 0176). */
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataConfig, UsageError } from '../base/config.js';
import { eraseBuyer, exportBuyer } from '../business/buyers/actions.js';
import { findMerchantWithLocations } from '../business/merchants/queries.js';
import { actionOf, type Command, printHelp, required, withDatabase } from './command.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'the merchant that the buyer bought from' },
  email: { value: 'ADDRESS', fallback: '', about: 'the email address of the buyer' },
  ...DATA_FLAGS,
} as const;

const ABOUT =
  "Shows what is stored about a buyer as JSON, or erases the buyer's email address, name, phone number, addresses, notes, references and reasons of refunds.";

export const buyer: Command = {
  name: 'buyer',
  summary: "export or erase a buyer's personal data",
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('buyer export|erase [flags]', ABOUT, FLAGS);
    const action = actionOf(call, ['export', 'erase']);
    rejectExtraArguments(call, 1);
    const [merchantId, email] = [required(call.values.merchant, 'merchant'), required(call.values.email, 'email')];
    const work = action === 'export' ? exportBuyer : eraseBuyer;
    const output = await withDatabase(
      toDataConfig(call.values),
      async (database) => {
        if (await findMerchantWithLocations(database.sql, merchantId)) return work(database, {}, merchantId, email);
        throw new UsageError(`There is no merchant ${merchantId}.`);
      },
      { creates: false },
    );
    console.log(JSON.stringify(output, null, 2));
  },
};
