/** `tillhouse merchant create|approve`: how merchants come to be where there is no sandbox (decision 0050). */
import { type Call, DATA_FLAGS, readCall, refuseWords, toDataConfig, UsageError } from '../base/config.js';
import { newSecret, realIds } from '../base/ids.js';
import { isTimezone } from '../business/merchants/model.js';
import { updateApproval } from '../business/merchants/queries.js';
import type { Database } from '../database/database.js';
import { openMerchant } from '../sandbox/actions.js';
import { actionOf, type Command, printHelp, required, withDatabase } from './command.js';

const FLAGS = {
  name: { value: 'TEXT', fallback: '', about: 'the name of the business (create)' },
  'owner-email': { value: 'EMAIL', fallback: '', about: 'who signs in to the dashboard (create)' },
  country: { value: 'CODE', fallback: 'US', about: 'two letters (create)' },
  currency: { value: 'CODE', fallback: 'USD', about: 'three letters (create)' },
  timezone: { value: 'ZONE', fallback: 'America/Los_Angeles', about: 'of the first location (create)' },
  location: { value: 'TEXT', fallback: 'Main', about: 'the name of the first location (create)' },
  approved: {
    value: 'yes|no',
    fallback: '',
    choices: ['yes', 'no'],
    about: 'employee management; no for create, yes for approve',
  },
  ...DATA_FLAGS,
} as const;

type MerchantCall = Call<typeof FLAGS>;

export const merchant: Command = {
  name: 'merchant',
  summary: 'create and approve merchants',
  async run(args) {
    const call = readCall(args, FLAGS);
    if (call.help)
      return printHelp('merchant create|approve [MERCHANT_ID] [flags]', 'Makes and approves merchants.', FLAGS);
    const action = actionOf(call, ['create', 'approve']);
    refuseWords(call, action === 'approve' ? 2 : 1);
    await withDatabase(toDataConfig(call.values), (database) => ACTIONS[action](database, call));
  },
};

const ACTIONS = {
  async create(database: Database, { values }: MerchantCall): Promise<void> {
    if (!isTimezone(values.timezone)) throw new UsageError(`--timezone: there is no time zone '${values.timezone}'.`);
    if (!/^[A-Z]{2}$/.test(values.country)) throw new UsageError('--country must be two capital letters.');
    if (!/^[A-Z]{3}$/.test(values.currency)) throw new UsageError('--currency must be three capital letters.');
    const businessName = required(values.name, 'name');
    const owner = { email: required(values['owner-email'], 'owner-email'), password: newSecret('', 20) };
    const made = await openMerchant(
      { database, ids: realIds },
      {
        businessName,
        ownerName: businessName,
        ownerEmail: owner.email,
        country: values.country,
        languageCode: 'en-US',
        currency: values.currency,
        businessType: 'OTHER',
        approved: values.approved === 'yes',
        isDemo: false,
        clock: { offsetMs: 0, frozenAt: null },
        locations: [{ name: values.location, timezone: values.timezone }],
      },
      { owner, tokenLabel: 'command line' },
    );
    const shown = {
      merchant_id: made.merchant.id,
      location_ids: made.locations.map(({ id }) => id),
      access_token: made.accessToken,
      dashboard: owner,
    };
    console.log(JSON.stringify(shown, null, 2)); // the only time that the secrets are shown
  },

  async approve(database: Database, { values, words: [, id] }: MerchantCall): Promise<void> {
    if (id === undefined) throw new UsageError('Name the merchant: tillhouse merchant approve MERCHANT_ID.');
    const approved = values.approved !== 'no';
    if (!(await database.statement((tx) => updateApproval(tx, id, approved))))
      throw new UsageError(`There is no merchant ${id}.`);
    console.log(approved ? 'Approved for employee management.' : 'Approval taken back.');
  },
};
