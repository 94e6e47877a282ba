/** The settings of the command line and the environment, and the messages for wrong values. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CommandFlag, DATA_FLAGS, parseArguments, SERVE_FLAGS, toServeConfig } from '../../src/base/config.js';
import { runHere } from '../support/commands.js';
import { listeningAddresses } from '../support/ports.js';
import { expectOneLine, migratedDataDir, newDataDir, newFolder, processesIn, run, Server } from '../support/process.js';

const PRODUCTION = ['--mode', 'production', '--processor', 'simulator'];

/** Every secret, and the flag that has one. */
const SECRETS = [
  'DATABASE_URL',
  'TILLHOUSE_OPERATOR_KEY',
  'TILLHOUSE_ACCOUNT_KEY',
  'TILLHOUSE_PROCESSOR_SECRET',
  'TILLHOUSE_SECRETS_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
];

describe('a secret in a file', () => {
  it.each(SECRETS)('%s_FILE that is not there, is empty, or has a rival is refused', async (name) => {
    const cwd = await newFolder();
    await writeFile(join(cwd, 'empty'), '\n');
    const start = (env: Record<string, string>) => runHere(['serve'], { env, cwd });
    const says = async (env: Record<string, string>): Promise<string> => {
      const { code, stderr } = await start(env);
      expect(code).toBe(2);
      expectOneLine(stderr);
      return stderr;
    };
    expect(await says({ [`${name}_FILE`]: '/nowhere' })).toContain(`${name}_FILE: /nowhere cannot be read (ENOENT)`);
    expect(await says({ [`${name}_FILE`]: join(cwd, 'empty') })).toContain('is empty');
    expect(await says({ [`${name}_FILE`]: '/nowhere', [name]: 'x' })).toContain('not both');
  });

  it('is read without the white space around it', async () => {
    const cwd = await newFolder();
    const secrets = {
      DATABASE_URL: 'postgres://till:secret@127.0.0.1:1/till',
      TILLHOUSE_OPERATOR_KEY: 'c1f6f0c5a5a94f6c8a3b7d2e9f101112',
      TILLHOUSE_ACCOUNT_KEY: 'the-account-key',
      TILLHOUSE_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      STRIPE_SECRET_KEY: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
      STRIPE_WEBHOOK_SECRET: 'whsec_3f1c9a7be04d5862d7c1a9e05b3f8c46',
    };
    const names = Object.keys(secrets) as (keyof typeof secrets)[];
    for (const name of names) await writeFile(join(cwd, name), `${secrets[name]}\n`);
    const before = process.env;
    process.env = { ...before, ...Object.fromEntries(names.map((name) => [`${name}_FILE`, join(cwd, name)])) };
    try {
      expect(toServeConfig(parseArguments(['--processor', 'stripe'], SERVE_FLAGS).values)).toMatchObject({
        databaseUrl: secrets.DATABASE_URL,
        operatorKey: secrets.TILLHOUSE_OPERATOR_KEY,
        accountKey: secrets.TILLHOUSE_ACCOUNT_KEY,
        secretsKeys: [secrets.TILLHOUSE_SECRETS_KEY],
        stripe: { secretKey: secrets.STRIPE_SECRET_KEY, webhookSecret: secrets.STRIPE_WEBHOOK_SECRET },
      });
      const named = parseArguments(['--database-url', 'postgres://till@127.0.0.1:2/till'], SERVE_FLAGS);
      expect(toServeConfig(named.values).databaseUrl).toContain(':2/');
    } finally {
      process.env = before;
    }
  });
});

describe('a wrong value', () => {
  it.each([
    [['--port', 'abc'], {}, '--port', 'abc'],
    [['--port', '65536'], {}, '--port', '65536'],
    [[], { PORT: '99999' }, 'PORT', '99999'],
    [['--host', ''], {}, '--host', 'empty'],
    [['--data-dir', ''], {}, '--data-dir', 'empty'],
    [['--data-dir', '/dev/null/data'], {}, '--data-dir', '/dev/null/data'],
    [['--mode', 'x'], {}, '--mode', 'sandbox, production'],
    [[], { TILLHOUSE_MODE: 'x' }, 'TILLHOUSE_MODE', 'sandbox, production'],
    [['--log-level', 'x'], {}, '--log-level', 'info'],
    [[], { TILLHOUSE_LOG_LEVEL: 'x' }, 'TILLHOUSE_LOG_LEVEL', 'info'],
    [['--demo', 'x'], {}, '--demo', 'on, off'],
    [[], { TILLHOUSE_DEMO: 'x' }, 'TILLHOUSE_DEMO', 'on, off'],
    [[], { TILLHOUSE_DEMO_BEYOND_LOOPBACK: 'x' }, 'TILLHOUSE_DEMO_BEYOND_LOOPBACK', 'on, off'],
    [['--retired', 'x'], {}, '--retired', 'serve, gone'],
    [[], { TILLHOUSE_RETIRED: 'x' }, 'TILLHOUSE_RETIRED', 'serve, gone'],
    [[], { TILLHOUSE_PROCESSOR: 'x' }, 'TILLHOUSE_PROCESSOR', 'simulator'],
    [['--rate-limit', 'x'], {}, '--rate-limit', "'x'"],
    [[], { TILLHOUSE_RATE_LIMIT: '-1' }, 'TILLHOUSE_RATE_LIMIT', "'-1'"],
    [['--stop-delay', '301'], {}, '--stop-delay', "from 0 to 300, not '301'"],
    [['--stop-delay', '1.5'], {}, '--stop-delay', "'1.5'"],
    [[], { TILLHOUSE_STOP_DELAY: '10s' }, 'TILLHOUSE_STOP_DELAY', "'10s'"],
    [['--processes', '0'], {}, '--processes', "from 1 to 64, or auto, not '0'"],
    [['--processes', '65'], {}, '--processes', "'65'"],
    [[], { TILLHOUSE_PROCESSES: 'all' }, 'TILLHOUSE_PROCESSES', "'all'"],
    [['--public-url', 'nonsense'], {}, '--public-url', 'nonsense'],
    [['--keep-events', '1'], {}, '--keep-events', 'from 2 to 3650'],
    [['--keep-codes', '31'], {}, '--keep-codes', 'from 1 to 30'],
    [['--keep-tokens', '0'], {}, '--keep-tokens', 'from 1 to 3650'],
    [[], { TILLHOUSE_KEEP_REGISTER_SESSIONS: '10' }, 'TILLHOUSE_KEEP_REGISTER_SESSIONS', 'from 11 to 3650'],
    [['--keep-keys', '29'], {}, '--keep-keys', "from 30 to 3650, or forever, not '29'"],
    [['--keep-register-writes', 'ever'], {}, '--keep-register-writes', 'or forever'],
    [['--keep-events', 'forever'], {}, '--keep-events', "'forever'"],
    [['--keep-requests', '0'], {}, '--keep-requests', "from 1 to 100000, not '0'"],
    [[], { TILLHOUSE_KEEP_AUDIT: '1 year' }, 'TILLHOUSE_KEEP_AUDIT', "'1 year'"],
    [[], { TILLHOUSE_OPERATOR_KEY: 'the-key-of-this-test' }, 'TILLHOUSE_OPERATOR_KEY', 'openssl rand -hex 32'],
    [[...PRODUCTION, '--demo', 'on'], {}, '--demo on', 'sandbox'],
    [[...PRODUCTION, '--host', '0.0.0.0'], {}, '--public-url', 'https'],
    [[...PRODUCTION, '--host', '::', '--public-url', 'http://pos.example'], {}, '--public-url', 'https'],
    [[...PRODUCTION, '--public-url', 'http://pos.example'], {}, '--public-url', 'https'],
    [['--change-mode=on'], {}, '--change-mode', 'takes no value'],
    [[], { TILLHOUSE_PUBLIC_URL: 'ftp://x' }, 'TILLHOUSE_PUBLIC_URL', 'ftp://x'],
    [[], { DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL', 'postgres://'],
    [['--database-url', 'localhost:5432'], {}, '--database-url', 'postgres://'],
    [['--no-such-flag', '1'], {}, '--no-such-flag', 'Known flags: --port, --host'],
    [['--port'], {}, '--port', 'requires a value'],
    [['port=5000'], {}, 'port=5000', '--'],
  ])('is named in the message: serve %j %j', async (args, env, name, hint) => {
    const cwd = await newFolder();
    const result = await runHere(['serve', ...args], { env, cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expectOneLine(result.stderr);
    expect(result.stderr).toContain(name);
    expect(result.stderr).toContain(hint);
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each([
    ['not a URL', 2, 'postgres://tillhouse:s3cret word@127.0.0.1:99999/x', 'is not a valid URL'],
    ['badly encoded', 2, 'postgres://tillhouse:s3cret%@127.0.0.1/x', 'is not a valid URL'],
    // The server may come back, so this is no wrong value.
    ['without a server', 1, 'postgres://tillhouse:s3cret@127.0.0.1:1/x', 'ECONNREFUSED'],
    ['with an unknown sslmode', 2, 'postgres://t:s3cret@127.0.0.1:1/x?sslmode=yes', 'sslmode=yes'],
  ])('of DATABASE_URL, %s, is reported without its password', async (_what, code, DATABASE_URL, hint) => {
    for (const command of ['serve', 'migrate']) {
      const result = await runHere([command, '--data-dir', await newDataDir()], { env: { DATABASE_URL } });
      expect(result).toMatchObject({ code, stdout: '' });
      expectOneLine(result.stderr);
      expect(result.stderr).toContain('DATABASE_URL');
      expect(result.stderr).toContain(hint);
      expect(result.stderr).not.toContain('s3cret');
    }
  });

  it.each(['migrate', 'seed', 'listen', 'status', 'check'])(
    'is reported if it is an unexpected argument: %s',
    async (command) => {
      const result = await runHere([command, 'everything', '--data-dir', await newDataDir()]);
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expectOneLine(result.stderr);
      expect(result.stderr).toContain("Unexpected argument 'everything'");
    },
  );

  it('on the command line takes precedence over the environment', async () => {
    const result = await run(['serve', '--mode', 'y'], { env: { TILLHOUSE_MODE: 'x' } });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/--mode .*'y'/);
  });

  it.each([
    [['nonsense'], "'nonsense'"],
    [['token'], 'create, list, revoke'],
    [['token', 'frob'], "'frob'"],
    [['token', 'revoke', '--label'], '--label'],
    [['merchant', 'create', 'Shop'], "'Shop'"],
    [['migrate', 'up'], "'up'"],
    [['status', '-o', 'yaml'], 'text, env, json'],
  ])('of another command is reported too: %j', async (args, name) => {
    const cwd = await newFolder();
    const result = await runHere(args, { cwd });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(/^tillhouse: /);
    expect(result.stderr).toContain(name);
    expect(result.stderr).not.toMatch(/^ {4}at /m);
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('--help', () => {
  it('of serve lists every flag with its environment variable and its default', async () => {
    const { code, stdout, stderr } = await run(['serve', '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const [name, flag] of Object.entries<CommandFlag>(SERVE_FLAGS)) {
      const line = stdout.split('\n').find((each) => each.startsWith(`  --${name} `));
      expect(line, name).toContain(flag.environment ?? flag.about);
      expect(line, name).toContain(flag.fallback);
    }
    for (const name of ['PORT', 'HOST', 'DATABASE_URL', 'TILLHOUSE_DATA_DIR']) expect(stdout).toContain(name);
  });

  it.each(['migrate', 'token', 'merchant', 'app', 'clock', 'fault', 'status'])(
    'of %s lists the flags for the data folder',
    async (command) => {
      const { code, stdout } = await runHere([command, '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: tillhouse ${command}`);
      expect(stdout).toContain(DATA_FLAGS['data-dir'].environment);
    },
  );

  it.each([[[]], [['help']], [['--help']]])('of the program lists the commands: %j', async (args) => {
    const { code, stdout } = await runHere(args);
    expect(code).toBe(0);
    for (const name of ['serve', 'migrate', 'token', 'merchant', 'app', 'listen', 'clock', 'fault', 'status'])
      expect(stdout).toContain(`\n  ${name} `);
  });
});

describe('--host beyond loopback', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await migratedDataDir();
  });

  it('is refused while the demo is on, in one line that names both solutions', async () => {
    const result = await runHere(['serve', '--port', '0', '--data-dir', dataDir, '--host', '0.0.0.0']);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expectOneLine(result.stderr);
    for (const name of ['--host 0.0.0.0', '--demo off', '--demo-beyond-loopback on']) {
      expect(result.stderr).toContain(name);
    }
    expect(await processesIn(dataDir)).toEqual([]);
    expect(await readdir(dataDir)).not.toContain('demo.json');
  });

  it.each([
    ['--demo off', ['--demo', 'off'], false],
    ['--demo-beyond-loopback on', ['--demo-beyond-loopback', 'on'], true],
  ])('is allowed with %s, and the banner explains the consequences', async (_flag, flags, hasDemo) => {
    const server = await Server.start({ dataDir, args: ['--host', '0.0.0.0', ...flags] });
    expect(server.baseUrl).toBe(`http://127.0.0.1:${server.port}`);
    expect((await server.call('GET', '/healthz')).status).toBe(200);
    if (process.platform === 'linux') expect(await listeningAddresses(server.port)).toEqual(['00000000']);
    await server.program.said(/^Listening on 0\.0\.0\.0 without TLS.*--host 127\.0\.0\.1\.$/m);
    expect((await readdir(dataDir)).includes('demo.json')).toBe(hasDemo);
    await server.stop();
  });

  it('is refused in one line if this machine does not have the address', async () => {
    const args = ['serve', '--port', '0', '--data-dir', dataDir, '--demo', 'off', '--host', '192.0.2.1'];
    const result = await runHere(args);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expectOneLine(result.stderr);
    expect(result.stderr).toContain('--host');
    expect(await processesIn(dataDir)).toEqual([]);
  });
});

describe('a data folder that cannot be opened', () => {
  it('is reported in one line, without a stack', async () => {
    const dataDir = await newDataDir();
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '18\n');
    const result = await runHere(['serve', '--port', '0', '--data-dir', dataDir]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expectOneLine(result.stderr);
    expect(result.stderr).toContain('postgres-password is missing');
  });
});
