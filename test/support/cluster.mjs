/**
 * The nodes of a Citus cluster, and its databases. A database of a cluster consists of one on every node, with the same name. Plain
 * JavaScript, because the process that cleans up after a run needs the nodes.
 */
import { inDatabase, withConnection } from './run-databases.mjs';

/** The URLs of all nodes, the coordinator first. Throws what is missing, in words for people. */
export async function findNodes(citusUrl) {
  return withConnection(citusUrl, async (sql) => {
    const [citus] = await sql`select from pg_extension where extname = 'citus'`;
    if (!citus) throw new Error(`The database of CITUS_URL has no Citus extension: create extension citus`);
    const nodes = await sql`
      select nodename as name, nodeport as port, groupid as group, shouldhaveshards as "hasShards"
      from pg_dist_node
      where noderole = 'primary' and isactive
      order by groupid`;
    if (nodes[0]?.group !== 0) {
      throw new Error('The cluster of CITUS_URL has no coordinator in its list of nodes: citus_set_coordinator_host');
    }
    if (nodes.length < 2) throw new Error('The cluster of CITUS_URL has no worker nodes: citus_add_node');
    return nodes.map((node) => ({ ...node, url: urlOf(citusUrl, node) }));
  });
}

function urlOf(citusUrl, { name, port }) {
  const url = new URL(citusUrl);
  url.hostname = name;
  url.port = String(port);
  return url.href;
}

/** Creates an empty database on every node, which know each other. */
export async function createClusterDatabase(nodes, name) {
  for (const { url } of nodes) {
    await withConnection(url, (sql) => sql.unsafe(`create database ${name}`));
    await withConnection(inDatabase(url, name), (sql) => sql.unsafe('create extension citus'));
  }
  const [coordinator, ...workers] = nodes;
  await withConnection(inDatabase(coordinator.url, name), async (sql) => {
    await sql`select citus_set_coordinator_host(${coordinator.name}, ${coordinator.port})`;
    for (const { name, port } of workers) await sql`select citus_add_node(${name}, ${port})`;
    for (const { name, port, hasShards } of nodes) {
      await sql`select citus_set_node_property(${name}, ${port}, 'shouldhaveshards', ${hasShards})`;
    }
  });
}

/** Nothing may be connected to a template while it is copied, and each database has a maintenance process. */
export async function makeTemplate(nodes, name) {
  for (const { url } of nodes) {
    await withConnection(url, async (sql) => {
      await sql.unsafe(`alter database ${name} allow_connections false`);
      await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${name}`;
    });
  }
}
