/** Creates the template of a run on the Citus cluster of CITUS_URL: the same database on every node, with distributed tables. */
import { openDatabase } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { createClusterDatabase, findNodes, makeTemplate } from './cluster.mjs';
import type { Template } from './global-setup.js';
import { beginRun, inDatabase } from './run-databases.mjs';

/** Few, because every test file gets a copy of all of them, and more than the nodes, so that each node has some. */
const SHARDS = 4;

export async function createCluster(citusUrl: string, runFolder: string): Promise<Template> {
  const nodes = await findNodes(citusUrl);
  const [first = '', ...others] = nodes.map(({ url }) => url);
  const { databasePrefix, end } = await beginRun([first, ...others], runFolder);
  const name = `${databasePrefix}template`;
  await createClusterDatabase(nodes, name);
  const template = openDatabase(inDatabase(first, name), { maxConnections: 1, hasLongTimeouts: true });
  await migrate(template, { shards: SHARDS });
  await template.close();
  await makeTemplate(nodes, name);
  return { nodeUrls: [first, ...others], name, databasePrefix, close: end };
}
