/** Checks that the files in deploy/ parse, and that the server has every flag, variable, path and port that they use. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { CommandFlag } from '../../src/base/command-flag.js';
import { parseArguments, SERVE_FLAGS, toServeConfig } from '../../src/base/config.js';

const FOLDER = fileURLToPath(new URL('../../deploy', import.meta.url));
const read = (name: string): Promise<string> => readFile(join(FOLDER, name), 'utf8');
const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true });
const files = entries.filter((each) => each.isFile()).map((each) => relative(FOLDER, join(each.parentPath, each.name)));

const SECRETS = ['TILLHOUSE_ACCOUNT_KEY', 'TILLHOUSE_PROCESSOR_SECRET', 'TILLHOUSE_SECRETS_KEY'];
/** Variables of commands. */
const OF_COMMANDS = ['TILLHOUSE_BACKUP_RECIPIENT'];
/** Variables of the files themselves, not of the server. */
const OF_PROXY = ['TILLHOUSE_DOMAIN', 'TILLHOUSE_UPSTREAM'];
const ofServer = Object.values<CommandFlag>(SERVE_FLAGS).flatMap(({ environment }) => environment ?? []);

async function parsed(name: string): Promise<Record<string, never>[]> {
  return parseAllDocuments(await read(name)).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS();
  });
}

/** What a server would read from the environment and the command line; throws if it would not start. */
function configure(env: Record<string, string>, args: readonly string[] = []) {
  const flags = Object.entries<CommandFlag>(SERVE_FLAGS).flatMap(([name, { environment = '' }]) =>
    env[environment] === undefined ? [] : [`--${name}=${env[environment]}`],
  );
  return toServeConfig(parseArguments([...flags, ...args], SERVE_FLAGS).values);
}

/** Lines such as NAME=value. */
function assignments(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^ *(?:ENV )?([A-Z_]+)=(\S*?)(?: \\)?$/gm)].map(([, name, value]) => [name, value]),
  );
}

describe('deploy/', () => {
  it.each(files)('%s uses only variables that the server has', async (name) => {
    const used = (await read(name)).match(/\b(?:TILLHOUSE_[A-Z_]+|DATABASE_URL)\b/g) ?? [];
    expect(used.filter((each) => ![...ofServer, ...OF_COMMANDS, ...SECRETS, ...OF_PROXY].includes(each))).toEqual([]);
  });

  it.each(files.filter((name) => /\.ya?ml$/.test(name)))('%s is YAML', async (name) => {
    expect(await parsed(name)).not.toEqual([]);
  });

  it('has an environment file with which a server starts behind the proxy on the same machine', async () => {
    const text = await read('tillhouse.env');
    expect(text.split('\n').filter((line) => !/^(?:# .*|#?[A-Z_]+=\S*|)$/.test(line))).toEqual([]);
    const suggested = assignments(text.replaceAll(/^#(?=[A-Z_]+=)/gm, ''));
    expect(suggested).toMatchObject({
      DATABASE_URL: expect.stringMatching(/^postgres:\/\/\w+:\w+@[\w.]+\/\w+\?[\w=-]+$/),
    });
    const config = configure(assignments(text));
    expect(config).toMatchObject({ mode: 'production', trustProxy: { addresses: ['127.0.0.1'] } });
    expect(await read('nginx.conf')).toContain(`server ${config.host}:${config.port} `);
    expect(await read('haproxy.cfg')).toContain(`server one ${config.host}:${config.port}\n`);
    expect(await read('Caddyfile')).toContain(`${config.host}:${config.port}}`);
    expect(await read('tillhouse.service')).toContain('EnvironmentFile=/etc/tillhouse/tillhouse.env\nExecStart=');
  });

  it('installs the optional packages with which they were tested', async () => {
    const { devDependencies } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    for (const name of ['@opentelemetry/api', '@opentelemetry/sdk-node', 'stripe']) {
      expect(await read('Containerfile')).toContain(`${name}@${devDependencies[name]}`);
    }
  });

  it('leaves compression to the server, which knows what has secrets', async () => {
    expect(await read('nginx.conf')).toContain('gzip off;');
    expect(await read('Caddyfile')).not.toContain('encode');
    expect(await read('haproxy.cfg')).not.toContain('compression');
  });

  it('has a container that starts with the settings of the compose file', async () => {
    const image = assignments(await read('Containerfile'));
    const [{ services }] = (await parsed('compose.yaml')) as never as [{ services: Record<string, Service> }];
    const { server, proxy } = services as Record<'server' | 'proxy', Service>;
    const [, ...flags] = server.command;
    const env = {
      ...image,
      ...server.environment,
      TILLHOUSE_PUBLIC_URL: 'https://pos.example',
      TILLHOUSE_PROCESSOR: 'simulator',
    };
    const composed = configure(env, flags);
    expect(composed.trustProxy).toEqual({ addresses: [proxy.networks.inside.ipv4_address] });
    expect(proxy.environment['TILLHOUSE_UPSTREAM']).toBe(`server:${composed.port}`);
  });
});

interface Service {
  readonly command: readonly string[];
  readonly environment: Record<string, string>;
  readonly networks: { readonly inside: { readonly ipv4_address: string } };
}
