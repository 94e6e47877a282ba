/** The package as people install it: what is in it, its types, and the example project that runs on it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, linkPackages, repository } from '../support/built.js';
import { environment, newFolder } from '../support/process.js';

const execute = promisify(execFile);

/** A busy machine needs its time. */
const TIME_LIMIT_MS = 240_000;

/** The example, with the packed Tillhouse in its node_modules; whatever else it needs is linked, so that nobody goes online. */
let example: string;
let packed: readonly string[];

beforeAll(async () => {
  const program = await buildProgram();
  const { stdout } = await execute('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', program], {
    cwd: program,
    env: environment(),
  });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = files.map(({ path }) => path);
  example = join(await newFolder(), 'nightly-report');
  await cp(join(repository, 'examples/nightly-report'), example, {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  await linkPackages(example);
  await mkdir(join(example, 'node_modules/tillhouse'));
  const unpack = ['-xzf', join(program, filename), '--strip-components', '1', '-C', 'node_modules/tillhouse'];
  await execute('tar', unpack, { cwd: example });
}, TIME_LIMIT_MS);

describe('the package', () => {
  it('holds the program, its types, migrations and docs, and nothing of how it is made', () => {
    for (const path of ['dist/main.js', 'dist/testing/index.d.ts', 'docs/testing.md', 'migrations/0014-faults.sql']) {
      expect(packed).toContain(path);
    }
    for (const path of ['package.json', 'LICENSE', 'README.md']) expect(packed).toContain(path);
    const others = packed.filter((path) => !/^(?:dist|docs|migrations)\/|^[A-Za-z]+(?:\.md|\.json)?$/.test(path));
    expect(others).toEqual([]);
    expect(packed.filter((path) => /\.test\.|\.ts$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
  });

  it('depends on everything that its program imports', async () => {
    const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    const imported = new Set<string>();
    for (const path of packed.filter((each) => each.endsWith('.js') && !each.includes('docs-assets'))) {
      const text = await readFile(join(example, 'node_modules/tillhouse', path), 'utf8');
      for (const [, name = ''] of text.matchAll(
        /^(?:import|export) .*from '((?:@[^/']+\/)?[a-z][^/':.]*)[^':]*';$/gm,
      )) {
        imported.add(name);
      }
    }
    expect(imported.size).toBeGreaterThan(3);
    expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining([...imported]));
  });

  it('runs as a command', async () => {
    const main = join(example, 'node_modules/tillhouse/dist/main.js');
    expect((await readFile(main, 'utf8')).split('\n')[0]).toBe('#!/usr/bin/env node');
    expect((await stat(main)).isFile()).toBe(true);
    const { stdout } = await execute(process.execPath, [main, 'help'], { env: environment() });
    expect(stdout).toContain('tillhouse COMMAND');
    const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    const told = await execute(process.execPath, [main, '--version'], { env: environment() });
    expect(told.stdout).toBe(`${version}\n`);
  });

  it(
    'has types that stand by themselves, and refuse what is no fault',
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
      await writeFile(join(example, 'wrong.mts'), program(`{ effect: 'STATUS', status: 418 }`));
      const check = (file: string) => {
        const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', file];
        const compiler = join(repository, 'node_modules/typescript/bin/tsc');
        return execute(process.execPath, [compiler, ...flags], { cwd: example });
      };
      expect((await check('right.mts')).stdout).toBe('');
      await expect(check('wrong.mts')).rejects.toMatchObject({ stdout: expect.stringContaining('418') });
    },
    TIME_LIMIT_MS,
  );
});

describe('the example project', () => {
  it(
    'passes on the package',
    async () => {
      const cache = await newFolder();
      const { stdout } = await execute(process.execPath, ['--test'], {
        cwd: example,
        env: environment({ XDG_CACHE_HOME: cache }),
      }).catch((error: { stdout: string; stderr: string }) => {
        throw new Error(`${error.stdout}\n${error.stderr}`);
      });
      expect(stdout).toMatch(/pass 12\b/);
      expect(stdout).toMatch(/fail 0\b/);
    },
    TIME_LIMIT_MS,
  );
});
