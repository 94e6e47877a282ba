/** What `npm test`, `npm run test:all` and `npm run test:long` share: they install and build if needed, then run tests. */

import { stopWithParent } from '../src/cli/parent.mjs';
import { ensureBrowser } from './browser.mjs';
import { ensureInstalled, isBuilt } from './prepare.mjs';
import { runStages } from './stages.mjs';
import { isFileName, RERUN_FAILED } from './test-arguments.mjs';

const CHECK_STYLE = ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'];
const CHECK_TYPES = [
  'node_modules/typescript/bin/tsc',
  '--noEmit',
  ...['--checkers', '2'], // more would repeat each other's work
  ...['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/tillhouse/types.tsbuildinfo'], // the next check only checks what changed
];
const BUILD = ['scripts/build.mjs'];

/** Files that are named on the command line run whatever their tier is. Without a tier all files run. */
export async function runTests({ tier, checks, args: given = process.argv.slice(2) }) {
  // The type checker is a Go program. Collecting garbage less often saves it a quarter of its CPU time, for 300 MB more memory.
  process.env.GOGC ??= '400';
  const args = given.filter((word) => word !== RERUN_FAILED);
  if (tier !== undefined && !args.some(isFileName)) process.env.TILLHOUSE_TIER = tier;

  stopWithParent();
  ensureInstalled();
  ensureBrowser();

  // A build uses one core most of the time, so the checks run beside it.
  const first = [...(checks ? [CHECK_STYLE, CHECK_TYPES] : []), ...(isBuilt() ? [] : [BUILD])];
  const runner = given.includes(RERUN_FAILED)
    ? ['scripts/rerun-failed.mjs']
    : ['node_modules/vitest/vitest.mjs', 'run'];
  process.exit(await runStages([first, [[...runner, ...args]]]));
}
