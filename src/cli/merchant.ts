/** `tillhouse merchant create|approve|list|show|snapshot|reset|export|import`: manages merchants; the last four need a sandbox (decision 0050). */
import { nowOn } from '../base/clock.js';
import { DATA_FLAGS, UsageError } from '../base/config.js';
import { newSecret, realIds } from '../base/ids.js';
import { printSeconds } from '../base/time.js';
import { setApproval } from '../business/merchants/actions.js';
import { isTimezone, type Merchant } from '../business/merchants/model.js';
import { findMerchantWithLocations, listMerchants } from '../business/merchants/queries.js';
import type { Database } from '../database/database.js';
import { openMerchant } from '../sandbox/actions.js';
import { FILE, OUTPUT_FLAG, required, withDatabase } from './command.js';
import { type Call, type Command, command } from './declare.js';
import { FILE_ACTIONS } from './merchant-file.js';
import { merchantProcessor } from './merchant-processor.js';
import { findRunningSandbox } from './running-server.js';
import { SNAPSHOT_ACTIONS } from './snapshot.js';
import { listWhole } from './whole-list.js';

const FLAGS = {
  name: { value: 'TEXT', fallback: '', about: 'the name of the business (create), or a part of it (list)' },
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
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

type MerchantCall = Call<typeof FLAGS>;

/** The word after the action. */
const MERCHANT_ID = { is: 'merchant id', like: 'MERCHANT_ID' };

const own = command({
  name: 'merchant',
  summary: 'create, approve, list, show, reset, export and import merchants',
  usage: 'create|approve|list|show|snapshot|reset|export|import [MERCHANT_ID | FILE] [flags]',
  about:
    'Creates, approves, lists and shows merchants; keeps a snapshot of one in a running sandbox, and resets it; prints one\n' +
    'as a file, and creates one from a file.\n' +
    'tillhouse merchant processor --help shows how to choose the card processor of a merchant.',
  flags: FLAGS,
  actions: {
    ...{ create: undefined, approve: MERCHANT_ID, list: undefined, show: MERCHANT_ID },
    ...{ snapshot: MERCHANT_ID, reset: MERCHANT_ID, export: MERCHANT_ID, import: FILE },
    processor: { is: 'action', like: 'ACTION' },
  },
  async run(call) {
    const { values, action, word } = call;
    if (action === 'processor')
      throw new UsageError('Flags come after the action: tillhouse merchant processor ACTION');
    if (action === 'snapshot' || action === 'reset') {
      return SNAPSHOT_ACTIONS[action](await findRunningSandbox(values), word, values.output);
    }
    if (action in FILE_ACTIONS) {
      return FILE_ACTIONS[action as keyof typeof FILE_ACTIONS](await findRunningSandbox(values), word);
    }
    await withDatabase(values, (database) => ACTIONS[action as keyof typeof ACTIONS](database, call), {
      creates: action === 'create' || action === 'approve',
    });
  },
});

/** `merchant processor` has flags of its own. */
export const merchant: Command = {
  ...own,
  run: (args) => (args[0] === 'processor' ? merchantProcessor.run(args.slice(1)) : own.run(args)),
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

  async approve(database: Database, { values, word: id }: MerchantCall): Promise<void> {
    const approved = values.approved !== 'no';
    if (!(await setApproval(database, id, approved))) throw new UsageError(`There is no merchant ${id}.`);
    console.log(approved ? 'Approved for employee management.' : 'Approval removed.');
  },

  async list({ sql }: Database, { values }: MerchantCall): Promise<void> {
    const merchants = await listWhole((page) => listMerchants(sql, { text: values.name || undefined, page }));
    if (values.output === 'json') return console.log(JSON.stringify(merchants.map(toOutput), null, 2));
    for (const { id, createdAt, currency, clock, businessName } of merchants) {
      const time = printSeconds(nowOn(clock)) + (clock.frozenAt === null ? '' : ' (frozen)');
      console.log([id, printSeconds(createdAt), currency, `clock ${time}`, businessName].join('  '));
    }
  },

  async show({ sql }: Database, { values, word: id }: MerchantCall): Promise<void> {
    const found = await findMerchantWithLocations(sql, id);
    if (!found) throw new UsageError(`There is no merchant ${id}.`);
    const locations = found.locations.map(({ id: location_id, name, timezone }) => ({ location_id, name, timezone }));
    const output = { ...toOutput(found.merchant), locations };
    if (values.output === 'json') return console.log(JSON.stringify(output, null, 2));
    for (const [name, value] of Object.entries(toOutput(found.merchant))) console.log(`${name.padEnd(14)} ${value}`);
    for (const { location_id, name, timezone } of locations) {
      console.log(`${'location'.padEnd(14)} ${location_id}  ${name}  ${timezone}`);
    }
  },
};

function toOutput({ id, businessName, country, currency, approved, isDemo, clock, createdAt }: Merchant) {
  return {
    merchant_id: id,
    business_name: businessName,
    country,
    currency,
    approved,
    is_demo: isDemo,
    clock: printSeconds(nowOn(clock)),
    clock_frozen: clock.frozenAt !== null,
    created_at: printSeconds(createdAt),
  };
}
