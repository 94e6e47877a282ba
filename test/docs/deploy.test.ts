/** Checks that the files in deploy/ parse, and that the server has every flag, variable, path and port that they use. */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { CommandFlag } from '../../src/base/command-flag.js';
import { parseArguments, SERVE_FLAGS, toServeConfig } from '../../src/base/config.js';
import { estimateBits } from '../../src/base/key-strength.js';
import { assignments, readStage } from '../support/containerfile.js';

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

/** The YAML of a page of docs/languages. */
async function snippets(page: string): Promise<Record<string, never>[]> {
  const text = await readFile(new URL(`../../docs/languages/${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml));
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
    const image = assignments(await readStage());
    expect(image['TILLHOUSE_MODE']).toBe('production');
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

describe('the image of a sandbox', () => {
  it('has the defaults of a sandbox for tests: no demo, one port, no volume, its database inside', async () => {
    const stage = await readStage('sandbox');
    const config = configure(assignments(stage));
    expect(config).toMatchObject({ mode: 'sandbox', demo: false, host: '0.0.0.0' });
    expect([...stage.matchAll(/^EXPOSE (.*)$/gm)].map(([, port]) => port)).toEqual([String(config.port)]);
    expect(stage).not.toContain('VOLUME');
    expect(stage).toMatch(/^RUN \["tillhouse", "migrate"\]$/m);
    expect(stage).toMatch(/^ENTRYPOINT \["tini", "--", "tillhouse"\]\nCMD \["serve"\]$/m);
  });

  it('is healthy as soon as the server is ready, and production has the same check', async () => {
    const text = await read('Containerfile');
    const checks = [...text.matchAll(/^HEALTHCHECK .*\\\n {2}CMD (\[.*\])$/gm)].map(([, command = '']) =>
      JSON.parse(command),
    );
    expect(checks).toHaveLength(2);
    expect(checks[0]).toEqual(checks[1]);
    const [program, ...args] = checks[0] as [string, ...string[]];
    const answers = (status: number) =>
      new Promise<number | null>((resolve) => {
        const server = createServer((request, response) =>
          response.writeHead(request.url === '/readyz' ? status : 404).end(),
        ).listen(0, '127.0.0.1', () => {
          const { port } = server.address() as AddressInfo;
          const child = spawn(program, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
          child.once('exit', (code) => {
            server.close();
            resolve(code);
          });
        });
      });
    expect([await answers(200), await answers(503)]).toEqual([0, 1]);
  });

  it('is used by GitHub, GitLab and compose as the page shows, with the port and a key that the server accepts', async () => {
    const { port } = configure(assignments(await readStage('sandbox')));
    const [github, gitlab, compose] = (await snippets('README.md')) as never as [GitHub, GitLab, Compose];
    const { services, env } = github.jobs.test;
    expect(services.tillhouse.ports).toEqual([`${port}:${port}`]);
    expect(env['TILLHOUSE_URL']).toBe(`http://127.0.0.1:${port}`);
    const [service] = gitlab.test.services;
    expect(gitlab.test.variables['TILLHOUSE_URL']).toBe(`http://${service.alias}:${port}`);
    const { tillhouse, shop } = compose.services;
    expect(tillhouse.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(shop.environment['TILLHOUSE_URL']).toBe(`http://tillhouse:${port}`);
    for (const { image } of [services.tillhouse, { image: service.name }, tillhouse]) {
      expect(image).toMatch(/(?:^|\/)tillhouse-sandbox:0\.1\.0$/);
    }
    const given = [services.tillhouse.env, env, gitlab.test.variables, tillhouse.environment, shop.environment];
    const keys = new Set(given.map((variables) => variables['TILLHOUSE_OPERATOR_KEY'] ?? ''));
    expect(keys.size).toBe(1);
    for (const key of keys) expect(estimateBits(key)).toBeGreaterThanOrEqual(128);
    const names = given.flatMap(Object.keys).filter((name) => name !== 'TILLHOUSE_URL');
    expect(new Set(names)).toEqual(new Set(['TILLHOUSE_OPERATOR_KEY']));
  });
});

type Variables = Readonly<Record<string, string>>;

interface GitHub {
  readonly jobs: {
    readonly test: {
      readonly services: {
        readonly tillhouse: { readonly image: string; readonly env: Variables; readonly ports: string[] };
      };
      readonly env: Variables;
    };
  };
}

interface GitLab {
  readonly test: {
    readonly services: readonly [{ readonly name: string; readonly alias: string }];
    readonly variables: Variables;
  };
}

interface Compose {
  readonly services: {
    readonly tillhouse: { readonly image: string; readonly environment: Variables; readonly ports: string[] };
    readonly shop: { readonly environment: Variables };
  };
}

interface Service {
  readonly command: readonly string[];
  readonly environment: Record<string, string>;
  readonly networks: { readonly inside: { readonly ipv4_address: string } };
}
