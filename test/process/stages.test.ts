/** The stages of `npm test`: the steps of one run at the same time, and a failed step ends the run. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/built.js';
import { newFolder, type Result, run } from '../support/process.js';

const STAGES = join(repository, 'scripts/stages.mjs');

/** Writes scripts into a folder, and runs their stages as a run of their own. */
async function runStages(scripts: Readonly<Record<string, string>>, stages: readonly string[][]): Promise<Result> {
  const folder = await newFolder();
  for (const [name, code] of Object.entries(scripts)) await writeFile(join(folder, `${name}.mjs`), code);
  const steps = stages.map((names) => names.map((name) => [relative(repository, join(folder, `${name}.mjs`)), folder]));
  const program = `const { runStages } = await import(${JSON.stringify(STAGES)});
    process.exit(await runStages(${JSON.stringify(steps)}));`;
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  return run([], {
    command: [process.execPath, '--input-type=module', '--eval', program],
    env: { TMPDIR: temporary, TILLHOUSE_TEST_FOLDER: temporary },
  });
}

/** A step that writes a file, and waits for the file of the other step. */
const meet = (own: string, other: string): string => `
  import { existsSync, writeFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  writeFileSync(process.argv[2] + '/${own}', '');
  while (!existsSync(process.argv[2] + '/${other}')) await setTimeout(10);
  console.log('met');`;

it('runs the steps of a stage at the same time, and the next stage after all of them', async () => {
  const scripts = { one: meet('a', 'b'), other: meet('b', 'a'), last: `console.log('last')` };
  const { code, stdout } = await runStages(scripts, [['one', 'other'], ['last']]);
  expect([code, stdout]).toEqual([0, 'met\nmet\nlast\n']);
});

it.each([
  ['fails', 'process.exit(7)', 7],
  ['is killed', `process.kill(process.pid, 'SIGKILL')`, 1],
])('starts no other stage after a step that %s, and returns its code', async (_how, code, expected) => {
  const scripts = { good: '', bad: code, last: `console.log('last')` };
  expect(await runStages(scripts, [['good', 'bad', 'good'], ['last']])).toMatchObject({ code: expected, stdout: '' });
});
