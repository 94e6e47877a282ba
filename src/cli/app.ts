/** `tillhouse app create`: registers an application that merchants can be asked to allow. */
import { registerApplication } from '../access/oauth/applications.js';
import {
  DATA_FLAGS,
  type Mode,
  type ParsedArguments,
  parseArguments,
  rejectExtraArguments,
  SERVE_FLAGS,
  toDataConfig,
  UsageError,
} from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { findDatabaseMode } from '../business/merchants/mode-queries.js';
import { findMerchant } from '../business/merchants/queries.js';
import type { Database } from '../database/database.js';
import { actionOf, type Command, printHelp, required, withDatabase } from './command.js';

const FLAGS = {
  name: { value: 'TEXT', fallback: '', about: 'what merchants see when they are asked' },
  'redirect-urls': { value: 'LIST', fallback: '', about: 'where they may be sent back to, separated by blanks' },
  type: {
    value: 'confidential|public',
    fallback: 'confidential',
    choices: ['confidential', 'public'],
    about: 'public: it runs where no secret can be kept, has none, and must use PKCE',
  },
  merchant: { value: 'ID', fallback: '', about: 'whose dashboard lists it; absent: nobody' },
  mode: {
    ...SERVE_FLAGS.mode,
    fallback: '',
    about: 'the mode of the server, where the database does not have it yet: ids of a sandbox begin with sandbox-',
  },
  ...DATA_FLAGS,
} as const;

type AppCall = ParsedArguments<typeof FLAGS>;

export const app: Command = {
  name: 'app',
  summary: 'create applications for OAuth',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('app create [flags]', 'Registers an application for OAuth 2.0.', FLAGS);
    actionOf(call, ['create']);
    rejectExtraArguments(call, 1);
    await withDatabase(toDataConfig(call.values), (database) => create(database, call), { makes: false });
  },
};

async function create(database: Database, { values }: AppCall): Promise<void> {
  const merchantId = values.merchant === '' ? null : values.merchant;
  if (merchantId !== null && !(await findMerchant(database.sql, merchantId))) {
    throw new UsageError(`There is no merchant ${merchantId}.`);
  }
  const asked = {
    name: required(values.name, 'name'),
    clientType: values.type === 'public' ? ('PUBLIC' as const) : ('CONFIDENTIAL' as const),
    redirectUrls: required(values['redirect-urls'], 'redirect-urls').split(/\s+/).filter(Boolean),
    merchantId,
  };
  const mode = modeOf(await findDatabaseMode(database.sql), values.mode);
  const { application, secret } = await registerApplication({ database, mode }, asked).catch((error: unknown) => {
    throw error instanceof Refusal ? new UsageError(`--redirect-urls: ${error.message}`) : error;
  });
  const shown = {
    application_id: application.id,
    client_type: application.clientType,
    application_secret: secret,
    redirect_urls: application.redirectUrls,
  };
  console.log(JSON.stringify(shown, null, 2)); // the only time that the secret is shown
}

/** That of the database, once a server has opened it (decision 0104). */
function modeOf(recorded: Mode | undefined, given: string): Mode {
  if (recorded === undefined) return given === 'production' ? 'production' : 'sandbox';
  if (given === '' || given === recorded) return recorded;
  throw new UsageError(`--mode ${given}: this database belongs to a ${recorded} server.`);
}
