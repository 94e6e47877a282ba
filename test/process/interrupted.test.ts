/** An interrupted test run leaves nothing behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newFolder, processesIn, until } from '../support/process.js';

const AFTER_RUN = fileURLToPath(new URL('../support/after-run.mjs', import.meta.url));
/** Ends only when it is killed. */
const STUBBORN = "for (const each of ['SIGTERM', 'SIGINT']) process.on(each, () => {}); setInterval(() => {}, 1000);";

// Only Linux shows the environment of other processes.
it.runIf(process.platform === 'linux')(
  'the processes of a killed run, found by its folder in their working directory, arguments or environment, are ended and the folder is removed',
  async () => {
    const folder = join(await newFolder(), 'run');
    await mkdir(join(folder, 'tmp'), { recursive: true });
    // The run starts its cleanup process, and processes that would outlive it; then it is killed.
    const start = `
    const { spawn } = require('node:child_process');
    const [folder, node] = [${JSON.stringify(folder)}, process.execPath];
    const detached = { stdio: 'ignore', detached: true };
    spawn(node, [${JSON.stringify(AFTER_RUN)}, folder], { ...detached, stdio: ['pipe', 'ignore', 'ignore'] });
    spawn(node, ['-e', 'setInterval(() => {}, 1000)'], { ...detached, cwd: folder });
    spawn(node, ['-e', 'setInterval(() => {}, 1000)', folder], detached);
    spawn(node, ['-e', ${JSON.stringify(STUBBORN)}], { ...detached, env: { TMPDIR: folder + '/tmp' } });
    console.log('started');
    setInterval(() => {}, 1000);`;
    const run = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(run.stdout, 'data');
    const left = async () =>
      (await processesIn(folder, { orItsEnvironment: true })).filter(({ pid }) => pid !== run.pid);
    await until(async () => (await left()).length === 4);

    run.kill('SIGKILL');
    await until(async () => (await left()).length === 0);
    await expect(stat(folder)).rejects.toThrow('ENOENT');
  },
);
