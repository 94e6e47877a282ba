/** Runs the steps of a test run one after the other, until one fails or the run is interrupted. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openRunFolder } from '../test/support/run-folder.mjs';
import { root } from './prepare.mjs';

/** Each step is a script with its arguments. Returns the exit code of the run. */
export async function runSteps(steps) {
  const run = await openRunFolder();
  let code = 0;
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isInterrupted = true;
      run.close(); // ends the current step too, because that step has the folder in its environment
    });
  }
  for (const [script, ...args] of steps) {
    const step = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      stdio: 'inherit',
      detached: true, // so that Ctrl-C reaches only this script, which ends everything in order
    });
    [code] = await once(step, 'exit');
    if (code !== 0 || isInterrupted) break;
  }
  await run.close();
  return isInterrupted ? 1 : (code ?? 1);
}
