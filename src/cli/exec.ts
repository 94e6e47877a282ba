/** `tillhouse exec -- PROGRAM`: runs a program beside a sandbox of its own, and ends with the exit status of the program. */
import { environmentWith, SERVE_FLAGS, toServeConfig, type Values } from '../base/config.js';
import { createMerchant } from '../testing/merchants.js';
import { type OwnSandbox, startSandbox } from '../testing/sandbox.js';
import type { StartOptions } from '../testing/start-options.js';
import { ChildProgram } from './child-program.js';
import { command } from './declare.js';
import { isStartedByNpm, stopWithParent } from './parent.mjs';

/** Not from the environment: PORT and DATABASE_URL there are those of the program. */
const FLAGS = {
  port: { value: 'NUMBER', fallback: '0', about: 'port to listen on; 0: any free port' },
  'data-dir': {
    value: 'FOLDER',
    fallback: '',
    about: 'folder of the embedded database; if absent, one in the cache folder that no other server uses',
  },
  'database-url': { value: 'URL', fallback: '', about: 'PostgreSQL server to use instead of the embedded one' },
  'rate-limit': {
    value: 'NUMBER',
    fallback: '',
    about: 'requests per second and token; more get 429; if absent, no limit',
  },
  retired: { ...SERVE_FLAGS.retired, environment: 'TILLHOUSE_RETIRED' },
  strict: SERVE_FLAGS.strict,
  'log-level': { ...SERVE_FLAGS['log-level'], fallback: 'silent', about: 'what the server logs to standard error' },
} as const;

export const exec = command({
  name: 'exec',
  summary: 'run a program beside a sandbox of its own',
  usage: '[flags] -- PROGRAM [arguments]',
  about:
    'Starts a sandbox with one merchant, runs the program with TILLHOUSE_URL, TILLHOUSE_ACCESS_TOKEN, TILLHOUSE_MERCHANT_ID,\n' +
    'TILLHOUSE_LOCATION_ID, TILLHOUSE_OPERATOR_KEY and TILLHOUSE_DATA_DIR in its environment, stops the sandbox, and exits\n' +
    'with the exit status of the program.',
  flags: FLAGS,
  word: { is: 'program', like: '-- PROGRAM' },
  takesMore: true,
  async run({ values, words }) {
    const program = new ChildProgram(words);
    if (isStartedByNpm()) stopWithParent();
    const options = toOptions(values);
    let failure: Error | undefined;
    const sandbox = await startSandbox(options, (error) => {
      failure = error;
      program.end();
    });
    let status: number;
    try {
      status = await program.run(environmentWith(await describe(sandbox)));
    } finally {
      await sandbox.stop();
    }
    if (failure) throw failure;
    process.exit(status);
  },
});

function toOptions(values: Values<typeof FLAGS>): StartOptions {
  const defaults = Object.fromEntries(Object.entries(SERVE_FLAGS).map(([name, { fallback }]) => [name, fallback]));
  const config = toServeConfig({ ...(defaults as Values<typeof SERVE_FLAGS>), ...values });
  const { port, retired, logLevel, rateLimit, databaseUrl, dataDir, strict } = config;
  return {
    port,
    retired,
    logLevel,
    ...(strict && { strict }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(values['data-dir'] !== '' && { dataDir }),
  };
}

async function describe({ url, operatorKey, dataDir }: OwnSandbox): Promise<Record<string, string>> {
  const merchant = await createMerchant({ url, operatorKey }, {}, (inbox) => inbox);
  return {
    TILLHOUSE_URL: url,
    TILLHOUSE_ACCESS_TOKEN: merchant.accessToken,
    TILLHOUSE_MERCHANT_ID: merchant.id,
    TILLHOUSE_LOCATION_ID: merchant.locationId,
    TILLHOUSE_OPERATOR_KEY: operatorKey,
    TILLHOUSE_DATA_DIR: dataDir,
  };
}
