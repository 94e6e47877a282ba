/** `npm test`: installs and builds if needed, checks style and types, and runs all tests. Arguments go to the test runner. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBrowser } from './browser.mjs';
import { stopWithParent } from './parent.mjs';
import { ensureBuilt, ensureInstalled, root, runLocal } from './prepare.mjs';

stopWithParent();
ensureInstalled();
runLocal('@biomejs/biome/bin/biome', ['check', '--error-on-warnings']);
runLocal('typescript/bin/tsc', ['--noEmit', '--checkers', '2']); // more would repeat each other's work
ensureBuilt();
ensureBrowser();

const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)];
const tests = spawn(process.execPath, vitest, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, TILLHOUSE_TEST_RUNNER: String(process.pid) }, // test/support/run-folder.ts ends the run with us
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => tests.kill(signal));
tests.on('exit', (code) => process.exit(code ?? 1));
