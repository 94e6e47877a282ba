/** `npm run test:distributed`: runs tests on the Citus cluster of CITUS_URL. Arguments go to the test runner: file names, and options. */

import { stopWithParent } from '../src/cli/parent.mjs';
import { findNodes } from '../test/support/cluster.mjs';
import { ensureInstalled, isBuilt } from './prepare.mjs';
import { runStages } from './stages.mjs';
import { isFileName } from './test-arguments.mjs';

/** The folders whose tests do not depend on how the database is run. */
const FOLDERS = [
  'test/api',
  'test/concurrency',
  'test/laws',
  'test/interleaving',
  'test/crash',
  'test/demo',
  'test/testing',
  'test/distributed',
];

const NEEDED = `npm run test:distributed needs a Citus cluster that is used for nothing else:

  CITUS_URL=postgres://USER@HOST:PORT/DATABASE npm run test:distributed

CITUS_URL is a database on the coordinator, with the Citus extension and its nodes (citus_set_coordinator_host, citus_add_node). The
user is a superuser, and can connect to every node with the same password. Each test file creates a database of its own on every
node, and a database needs a maintenance process: max_worker_processes should be 32 on each node, and max_connections 200.`;

stopWithParent();
ensureInstalled();
const url = process.env.CITUS_URL;
if (!url) fail(NEEDED);
await findNodes(url).catch((error) => fail(`${error.message}\n\n${NEEDED}`));

const given = process.argv.slice(2);
const names = given.some(isFileName) ? [] : FOLDERS;
const code = await runStages([
  ...(isBuilt() ? [] : [[['scripts/build.mjs']]]),
  [['node_modules/vitest/vitest.mjs', 'run', ...names, ...given]],
]);
process.exit(code);

function fail(message) {
  console.error(message);
  process.exit(1);
}
