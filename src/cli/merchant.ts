/** `tillhouse merchant create|approve`: creates and approves merchants, also without a sandbox (decision 0050). */
import {
  DATA_FLAGS,
  type ParsedArguments,
  parseArguments,
  rejectExtraArguments,
  toDataConfig,
  UsageError,
} from '../base/config.js';
import { newSecret, realIds } from '../base/ids.js';
import { isTimezone } from '../business/merchants/model.js';
import { updateApproval } from '../business/merchants/queries.js';
import type { Database } from '../database/database.js';
import { openMerchant } from '../sandbox/actions.js';
import { actionOf, type Command, printHelp, required, withDatabase } from './command.js';

const FLAGS = {
  name: { value: 'TEXT', fallback: '', about: 'the name of the business (create)' },
  'owner-email': { value: 'EMAIL', fallback: '', about: 'the email address that signs in to the dashboard (create)' },
  country: { value: 'CODE', fallback: 'US', about: 'country code, two letters (create)' },
  currency: { value: 'CODE', fallback: 'USD', about: 'currency code, three letters (create)' },
  timezone: { value: 'ZONE', fallback: 'America/Los_Angeles', about: 'the time zone of the first location (create)' },
  location: { value: 'TEXT', fallback: 'Main', about: 'the name of the first location (create)' },
  approved: {
    value: 'yes|no',
    fallback: '',
    choices: ['yes', 'no'],
    about: 'whether employee management is approved; default: no for create, yes for approve',
  },
  ...DATA_FLAGS,
} as const;

type MerchantCall = ParsedArguments<typeof FLAGS>;

export const merchant: Command = {
  name: 'merchant',
  summary: 'create and approve merchants',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help)
      return printHelp('merchant create|approve [MERCHANT_ID] [flags]', 'Creates and approves merchants.', FLAGS);
    const action = actionOf(call, ['create', 'approve']);
    rejectExtraArguments(call, action === 'approve' ? 2 : 1);
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
    const created = await openMerchant(
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
    const output = {
      merchant_id: created.merchant.id,
      location_ids: created.locations.map(({ id }) => id),
      access_token: created.accessToken,
      dashboard: owner,
    };
    console.log(JSON.stringify(output, null, 2)); // only hashes of the secrets are stored, so they cannot be printed again
  },

  async approve(database: Database, { values, words: [, id] }: MerchantCall): Promise<void> {
    if (id === undefined) throw new UsageError('The merchant id is missing: tillhouse merchant approve MERCHANT_ID');
    const approved = values.approved !== 'no';
    if (!(await database.statement((tx) => updateApproval(tx, id, approved))))
      throw new UsageError(`There is no merchant ${id}.`);
    console.log(approved ? 'Approved for employee management.' : 'Approval removed.');
  },
};
