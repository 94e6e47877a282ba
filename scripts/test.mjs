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
  ['node_modules/typescript/bin/tsc', '--noEmit'],
  ...(isBuilt() ? [] : [['scripts/build.mjs']]),
  ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)],
];

const run = await openRunFolder();
let code = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    steps.length = 0;
    code = 1;
    run.close(); // ends the current step too, because that step has the folder in its environment
  });
}
while (code === 0 && steps.length > 0) {
  const [script, ...args] = steps.shift();
  const step = spawn(process.execPath, [join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    detached: true, // so that Ctrl-C reaches only this script, which ends everything in order
  });
  [code] = await once(step, 'exit');
}
await run.close();
process.exit(code ?? 1);
