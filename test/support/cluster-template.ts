/** Creates the template of a run on the Citus cluster of CITUS_URL: the same database on every node, with distributed tables. */
import { randomUUID } from 'node:crypto';
import { openDatabase } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import {
  connectionOf,
  createClusterDatabase,
  dropAbandoned,
  dropRun,
  findNodes,
  inDatabase,
  makeTemplate,
  nameOf,
} from './cluster.mjs';
import type { Template } from './global-setup.js';

/** Few, because every test file gets a copy of all of them, and more than the nodes, so that each node has some. */
const SHARDS = 4;

export async function createCluster(citusUrl: string): Promise<Template> {
  const nodes = await findNodes(citusUrl);
  const [first = '', ...others] = nodes.map(({ url }) => url);
  // The script that starts the run names it, so that it can remove its databases if the run is interrupted.
  const runId = process.env['TILLHOUSE_TEST_RUN'] ?? randomUUID().slice(0, 8);
  // Shows other runs that this one lasts. A killed run loses the connection.
  const sign = openDatabase(citusUrl, { maxConnections: 1, applicationName: connectionOf(runId) });
  await sign.sql`select 1`;
  await dropAbandoned(nodes);

  const name = nameOf(runId, 'template');
  await createClusterDatabase(nodes, name);
  const template = openDatabase(inDatabase(first, name), { maxConnections: 1, hasLongTimeouts: true });
  await migrate(template, { shards: SHARDS });
  await template.close();
  await makeTemplate(nodes, name);
  return {
    nodeUrls: [first, ...others],
    name,
    databasePrefix: nameOf(runId, ''),
    async drop() {
      await dropRun(nodes, runId);
      await sign.close();
    },
  };
}
