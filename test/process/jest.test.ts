/** The test kit in Jest, and in compilers that look for types in different ways. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { KitProject } from '../support/kit-project.js';

/** For a busy machine. */
const TIME_LIMIT_MS = 240_000;

describe('the test kit in Jest', () => {
  it(
    'runs the example project',
    async () => {
      const project = await KitProject.create();
      await cp(join(repository, 'examples/jest-refunds'), project.folder, { recursive: true });
      const { code, stderr } = await project.run(['npx', 'jest', '--testTimeout', String(TIME_LIMIT_MS)]);
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/Tests: +5 passed, 5 total/);
      await project.untilNothingRuns();
    },
    TIME_LIMIT_MS,
  );

  it(
    'is the same kit for import and for require',
    async () => {
      const project = await KitProject.create();
      const program = await project.script(`
        import { createRequire } from 'node:module';
        import * as imported from 'tillhouse/testing';
        const required = createRequire(import.meta.url)('tillhouse/testing');
        console.log(Object.keys(imported).every((name) => imported[name] === required[name]), Object.keys(imported).join());`);
      expect(await program.exited, program.stderr).toEqual({ code: 0, signal: null });
      expect(program.stdout).toBe('true SandboxRefusal,connectTillhouse,startTillhouse\n');
    },
    TIME_LIMIT_MS,
  );
});

const PROGRAM = (effect: string) => `
  import { startTillhouse, type TestMerchant, type Tillhouse } from 'tillhouse/testing';
  export async function run(): Promise<void> {
    const tillhouse: Tillhouse = await startTillhouse({ logLevel: 'info' });
    const merchant: TestMerchant = await tillhouse.createMerchant({ locations: [{ name: 'One' }] });
    const later: Date = await merchant.clock.advance('P61D');
    await merchant.faults.add({ effect: '${effect}' });
    console.log(later);
    await tillhouse.stop();
  }`;

describe('the types of the test kit', () => {
  it.each([
    ['nodenext', 'nodenext'],
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'are found by modules of both kinds, and reject a wrong name: module %s, moduleResolution %s',
    async (module, moduleResolution) => {
      const project = await KitProject.create({
        'right.mts': PROGRAM('RESET_BEFORE'),
        'right.cts': PROGRAM('RESET_BEFORE'),
        'wrong.mts': PROGRAM('RESET'),
        'wrong.cts': PROGRAM('RESET'),
      });
      const compiler = join(repository, 'node_modules/typescript/bin/tsc');
      const flags = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', '--skipDefaultLibCheck'];
      flags.push('--module', module, '--moduleResolution', moduleResolution);
      const { stdout } = await project.run([
        process.execPath,
        compiler,
        ...flags,
        ...['right.mts', 'right.cts', 'wrong.mts', 'wrong.cts'],
      ]);
      const errors = stdout.split('\n').filter((line) => /^\S/.test(line));
      expect(errors.sort()).toEqual([
        expect.stringMatching(/^wrong\.cts.*'"RESET"' is not assignable/),
        expect.stringMatching(/^wrong\.mts.*'"RESET"' is not assignable/),
      ]);
    },
    TIME_LIMIT_MS,
  );
});
