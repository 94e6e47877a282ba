/** `npm test`: installs and builds if needed, checks style and types, and runs all tests. Arguments go to the test runner. */
import { ensureBrowser } from './browser.mjs';
import { ensureBuilt, ensureInstalled, runLocal } from './prepare.mjs';

ensureInstalled();
runLocal('@biomejs/biome/bin/biome', ['check', '--error-on-warnings']);
runLocal('typescript/bin/tsc', ['--noEmit']);
ensureBuilt();
ensureBrowser();
runLocal('vitest/vitest.mjs', ['run', ...process.argv.slice(2)]);
