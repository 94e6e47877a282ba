/** `tillhouse app create|list`: registers OAuth applications and lists them. */
import { registerApplication } from '../access/oauth/applications.js';
import { listAllApplications } from '../access/oauth/queries.js';
import { DATA_FLAGS, type Mode, SERVE_FLAGS, UsageError } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { printSeconds } from '../base/time.js';
import { findDatabaseMode } from '../business/merchants/mode-queries.js';
import { findMerchant } from '../business/merchants/queries.js';
import type { Database } from '../database/database.js';
import { OUTPUT_FLAG, required, withDatabase } from './command.js';
import { type Call, command } from './declare.js';
import { listWhole } from './whole-list.js';

const FLAGS = {
  name: { value: 'TEXT', fallback: '', about: 'the name that the authorization page shows to merchants' },
  'redirect-urls': { value: 'LIST', fallback: '', about: 'allowed redirect URLs, separated by spaces' },
  type: {
    value: 'confidential|public',
    fallback: 'confidential',
    choices: ['confidential', 'public'],
    about: 'public: for a client that cannot keep a secret; it gets none and must use PKCE',
  },
  merchant: { value: 'ID', fallback: '', about: 'the merchant whose dashboard lists it; default: none' },
  mode: {
    ...SERVE_FLAGS.mode,
    fallback: '',
    about:
      'the mode of the server, for a database that no server has opened yet; sandbox application ids begin with sandbox-',
  },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

type AppCall = Call<typeof FLAGS>;

export const app = command({
  name: 'app',
  summary: 'create and list applications for OAuth',
  usage: 'create|list [flags]',
  about: 'Registers applications for OAuth 2.0, and lists them.',
  flags: FLAGS,
  actions: { create: undefined, list: undefined },
  run(call) {
    const run = call.action === 'create' ? create : list;
    return withDatabase(call.values, (database) => run(database, call));
  },
});

async function create(database: Database, { values }: AppCall): Promise<void> {
  const merchantId = values.merchant === '' ? null : values.merchant;
  if (merchantId !== null && !(await findMerchant(database.sql, merchantId))) {
    throw new UsageError(`There is no merchant ${merchantId}.`);
  }
  const request = {
    name: required(values.name, 'name'),
    clientType: values.type === 'public' ? ('PUBLIC' as const) : ('CONFIDENTIAL' as const),
    redirectUrls: required(values['redirect-urls'], 'redirect-urls').split(/\s+/).filter(Boolean),
    merchantId,
  };
  const mode = modeOf(await findDatabaseMode(database.sql), values.mode);
  const { application, secret } = await registerApplication({ database, mode }, request).catch((error: unknown) => {
    throw error instanceof Refusal ? new UsageError(`--redirect-urls: ${error.message}`) : error;
  });
  const output = {
    application_id: application.id,
    client_type: application.clientType,
    application_secret: secret,
    redirect_urls: application.redirectUrls,
  };
  console.log(JSON.stringify(output, null, 2)); // only the hash of the secret is stored, so it cannot be printed again
}

async function list({ sql }: Database, { values }: AppCall): Promise<void> {
  const all = await listWhole((page) => listAllApplications(sql, page));
  const found = all.filter(({ merchantId }) => values.merchant === '' || merchantId === values.merchant);
  if (values.output === 'json') {
    const output = found.map(({ id, name, clientType, redirectUrls, merchantId, createdAt }) => ({
      application_id: id,
      name,
      client_type: clientType,
      redirect_urls: redirectUrls,
      merchant_id: merchantId,
      created_at: printSeconds(createdAt),
    }));
    return console.log(JSON.stringify(output, null, 2));
  }
  for (const { id, name, clientType, createdAt } of found) {
    console.log([id, printSeconds(createdAt), clientType.toLowerCase().padEnd(12), name].join('  '));
  }
}

/** The first server that opens a database records its mode (decision 0104). */
function modeOf(recorded: Mode | undefined, flag: string): Mode {
  if (recorded === undefined) return flag === 'production' ? 'production' : 'sandbox';
  if (flag === '' || flag === recorded) return recorded;
  throw new UsageError(`--mode ${flag}: this database belongs to a ${recorded} server.`);
}
