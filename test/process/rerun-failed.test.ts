/** A test file that fails runs once more, alone: it is unstable if it passes then, and fails the run if it fails again. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { newFolder, type Result, run } from '../support/process.js';

const SCRIPT = join(repository, 'scripts/rerun-failed.mjs');

const GLOBAL_SETUP = join(repository, 'test/support/global-setup.ts');

const config = (globalSetup: readonly string[]): string => `
import { FailedFiles } from ${JSON.stringify(join(repository, 'test/support/failed-files.ts'))};
const path = process.env.TILLHOUSE_FAILED_FILES;
const globalSetup = ${JSON.stringify(globalSetup)};
export default { test: { globals: true, globalSetup, reporters: ['default', new FailedFiles(path)] } };`;

const GOOD = `it('is good', () => {});`;
const BAD = `it('is right', () => {}); it('is wrong', () => { throw new Error('wrong again'); });`;

/** Its code runs only the first time. */
const once = (code: string): string => `
import { existsSync, writeFileSync } from 'node:fs';
const marker = import.meta.filename + '.ran';
const isFirst = !existsSync(marker);
writeFileSync(marker, '');
it('is a race', async () => { if (isFirst) { ${code} } });`;

/** Runs test files with these contents. */
async function runFiles(files: Readonly<Record<string, string>>, globalSetup: readonly string[] = []): Promise<Result> {
  const folder = await newFolder();
  await writeFile(join(folder, 'vitest.config.mjs'), config(globalSetup));
  for (const [name, code] of Object.entries(files)) await writeFile(join(folder, `${name}.test.mjs`), code);
  // As `npm test` has opened a folder for the run.
  const env = { NO_COLOR: '1', TILLHOUSE_TEST_FOLDER: await newFolder() };
  return run([], { command: [process.execPath, SCRIPT, `--root=${folder}`], env });
}

it.each([
  ['a failed test', `throw new Error('lost the race');`, 'lost the race'],
  [
    'an error that no test catches',
    `setTimeout(() => { throw new Error('lost the race'); }); await new Promise((r) => setTimeout(r, 50));`,
    'lost the race',
  ],
  ['a worker that dies', `process.kill(process.pid, 'SIGKILL');`, 'did not run to its end'],
])(
  'reports a file as unstable, with its first failure, after %s that does not happen again',
  async (_what, code, failure) => {
    const { code: exitCode, stdout } = await runFiles({ good: GOOD, race: once(code) });
    expect(stdout).toContain('UNSTABLE race.test.mjs: it passed alone. Its first failure was:\n');
    expect(stdout.split('UNSTABLE')[1]).toContain(failure);
    expect([exitCode, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, '2 passed, 0 failed, 0 skipped']);
  },
);

it('fails the run if a file fails again', async () => {
  const { code, stdout } = await runFiles({ good: GOOD, bad: BAD, race: once(`throw new Error('lost the race')`) });
  expect(stdout).toContain('UNSTABLE race.test.mjs');
  expect(stdout).not.toContain('UNSTABLE bad.test.mjs');
  expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([1, '3 passed, 1 failed, 0 skipped']);
});

it('gives each run a PostgreSQL of its own', async () => {
  const { code, stdout } = await runFiles({ race: once(`throw new Error('lost the race')`) }, [GLOBAL_SETUP]);
  expect(stdout).toContain('UNSTABLE race.test.mjs');
  expect(code).toBe(0);
});

it('runs nothing again if many files fail', async () => {
  const bad = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`bad${index}`, BAD]));
  const { code, stdout } = await runFiles({ good: GOOD, ...bad });
  expect(stdout).toContain('11 files failed: too many to run them again.');
  expect([code, stdout.includes('It runs once more')]).toEqual([1, false]);
});
