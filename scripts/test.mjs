/** `npm test`: installs and builds if needed, checks style and types, and runs all tests. Arguments go to the test runner. */
import { ensureBrowser } from './browser.mjs';
import { stopWithParent } from './parent.mjs';
import { ensureInstalled, isBuilt } from './prepare.mjs';
import { runStages } from './stages.mjs';

const CHECK_TYPES = [
  'node_modules/typescript/bin/tsc',
  '--noEmit',
  ...['--checkers', '2'], // more would repeat each other's work
  ...['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tillhouse/types.tsbuildinfo'], // the next check only checks what changed
];

// The type checker is a Go program. Collecting garbage less often saves it a quarter of its CPU time, for 300 MB more memory.
process.env.GOGC ??= '400';

const BUILD = ['scripts/build.mjs'];

stopWithParent();
ensureInstalled();
ensureBrowser();

// A build uses one core most of the time, so the checks run beside it.
const code = await runStages([
  [
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
    CHECK_TYPES,
    ...(isBuilt() ? [] : [BUILD]),
  ],
  [['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]],
]);
process.exit(code);
