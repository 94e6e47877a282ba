/** `npm test`: installs and builds if needed, checks style and types, and runs all tests. Arguments go to the test runner. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openRunFolder } from '../test/support/run-folder.mjs';
import { ensureBrowser } from './browser.mjs';
import { stopWithParent } from './parent.mjs';
import { ensureInstalled, isBuilt, root } from './prepare.mjs';

stopWithParent();
ensureInstalled();
ensureBrowser();

const steps = [
  ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
  ['node_modules/typescript/bin/tsc', '--noEmit', '--checkers', '2'], // more would repeat each other's work
  ...(isBuilt() ? [] : [['scripts/build.mjs']]),
  ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)],
];

const run = await openRunFolder();
let code = 0;
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isInterrupted = true;
    run.close(); // ends the current step too, because that step has the folder in its environment
  });
}
while (code === 0 && !isInterrupted && steps.length > 0) {
  const [script, ...args] = steps.shift();
  const step = spawn(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    detached: true, // so that Ctrl-C reaches only this script, which ends everything in order
  });
  [code] = await once(step, 'exit');
}
await run.close();
process.exit(isInterrupted ? 1 : (code ?? 1));
