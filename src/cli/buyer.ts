/** `tillhouse buyer export|erase`: shows or erases what is stored about a buyer (decision 0176). */
import { DATA_FLAGS, UsageError } from '../base/config.js';
import { eraseBuyer, exportBuyer } from '../business/buyers/actions.js';
import { findMerchantWithLocations } from '../business/merchants/queries.js';
import { required, withDatabase } from './command.js';
import { command } from './declare.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'the merchant that the buyer bought from' },
  email: { value: 'ADDRESS', fallback: '', about: 'the email address of the buyer' },
  ...DATA_FLAGS,
} as const;

const ABOUT =
  "Shows what is stored about a buyer as JSON, or erases the buyer's email address, name, phone number, addresses, notes, references and reasons of refunds.";

export const buyer = command({
  name: 'buyer',
  summary: "export or erase a buyer's personal data",
  usage: 'export|erase [flags]',
  about: ABOUT,
  flags: FLAGS,
  actions: { export: undefined, erase: undefined },
  async run({ values, action }) {
    const [merchantId, email] = [required(values.merchant, 'merchant'), required(values.email, 'email')];
    const work = action === 'export' ? exportBuyer : eraseBuyer;
    const output = await withDatabase(values, async (database) => {
      if (await findMerchantWithLocations(database.sql, merchantId)) return work(database, {}, merchantId, email);
      throw new UsageError(`There is no merchant ${merchantId}.`);
    });
    console.log(JSON.stringify(output, null, 2));
  },
});
