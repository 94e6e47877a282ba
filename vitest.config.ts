/** How the tests run: against real PostgreSQL, one server for the whole run, a database of its own for each file. */
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { FailedFiles } from './test/support/failed-files.js';
import { LongestFirst } from './test/support/longest-first.js';
import { filesOfTier, tierOf } from './test/support/tiers.js';
import { icons } from './web/build/icons.js';

const { include, exclude } = filesOfTier(tierOf(process.env['TILLHOUSE_TIER']));
const failedFiles = process.env['TILLHOUSE_FAILED_FILES'];

export default defineConfig({
  plugins: [icons()], // for tests that load modules of pages, such as the list of the dashboard's pages
  test: {
    include,
    exclude: [
      ...configDefaults.exclude,
      ...exclude,
      ...(process.env['TILLHOUSE_LONG'] ? [] : ['test/{long,rounds}/**']),
    ],
    reporters: ['default', ...(failedFiles === undefined ? [] : [new FailedFiles(failedFiles)])],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/each-file.ts',
    alias: { '@node-rs/argon2': fileURLToPath(new URL('test/support/quick-argon2.ts', import.meta.url)) },
    pool: 'forks',
    maxWorkers: 3, // for two cores: about one of three files waits, for programs to start, for a database to come back, for time to pass
    sequence: { sequencer: LongestFirst },
    isolate: false, // a worker loads the program once, not for each of its files: that took a third of the time
    testTimeout: 300_000, // generous: a busy machine is slow, not wrong
    hookTimeout: 240_000,
  },
});
