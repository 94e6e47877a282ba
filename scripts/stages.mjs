/** Runs the stages of a test run one after the other, until one fails or the run is interrupted. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openRunFolder } from '../test/support/run-folder.mjs';
import { root } from './prepare.mjs';

/** Each stage is a list of steps that run at the same time. A step is a script with its arguments. Returns the exit code of the run. */
export async function runStages(stages) {
  const run = await openRunFolder();
  let code = 0;
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isInterrupted = true;
      run.close(); // ends the current steps too, because they have the folder in their environment
    });
  }
  for (const steps of stages) {
    const codes = await Promise.all(steps.map(runStep));
    code = codes.find((each) => each !== 0) ?? 0;
    if (code !== 0 || isInterrupted) break;
  }
  await run.close();
  return isInterrupted ? 1 : code;
}

async function runStep([script, ...args]) {
  const step = spawn(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    detached: true, // so that Ctrl-C reaches only this script, which ends everything in order
  });
  const [code] = await once(step, 'exit');
  return code ?? 1; // a signal has ended it
}
