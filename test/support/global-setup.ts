/** Starts the PostgreSQL of the whole run, or finds the cluster of CITUS_URL, and creates the template from which each test file's database is cloned. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/database.js';
import { SERVER_ROLE } from '../../src/database/embedded/connection.js';
import { startEmbedded } from '../../src/database/embedded/embedded.js';
import { migrate } from '../../src/database/migrate.js';
import { createCluster } from './cluster-template.js';
import { beginRun, inDatabase } from './run-databases.mjs';
import { openRunFolder, type RunFolder } from './run-folder.mjs';
import { superuserUrl } from './superuser.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server where databases may be created: the embedded one, or that of DATABASE_URL or CITUS_URL. */
    postgresUrl: string;
    /** That server, and with CITUS_URL the other nodes of its cluster. */
    nodeUrls: readonly string[];
    templateDatabase: string;
    /** The names of the databases that tests create begin with this. */
    databasePrefix: string;
    /** The folder for everything that is created once for the whole run. */
    madeFolder: string;
  }
}

export interface Template {
  readonly nodeUrls: readonly [string, ...string[]];
  readonly name: string;
  readonly databasePrefix: string;
  /** The databases are dropped when the folder of the run is removed. */
  close(): Promise<void>;
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const run = await runFolder(project.tmpDir);
  const madeFolder = join(run.folder, 'made');
  await mkdir(madeFolder);
  const citusUrl = process.env['CITUS_URL'];
  const template = await (citusUrl ? createCluster(citusUrl, run.folder) : createPlain(run.folder));

  project.provide('postgresUrl', template.nodeUrls[0]);
  project.provide('nodeUrls', template.nodeUrls);
  project.provide('templateDatabase', template.name);
  project.provide('databasePrefix', template.databasePrefix);
  project.provide('madeFolder', madeFolder);
  return async () => {
    await template.close();
    await run.close();
  };
}

async function createPlain(runFolder: string): Promise<Template> {
  const dataDir = join(runFolder, 'postgres');
  const given = process.env['DATABASE_URL'];
  const embedded = given ? undefined : await startEmbedded({ dataDir });
  const postgresUrl = given || (embedded?.url ?? '');
  if (embedded) await prepareEmbedded(await superuserUrl(embedded.url, dataDir), new URL(embedded.url).password);
  const { databasePrefix, end } = await beginRun([postgresUrl], runFolder);

  const name = `${databasePrefix}template`;
  const admin = openDatabase(postgresUrl, { maxConnections: 1, hasLongTimeouts: true });
  await admin.sql.unsafe(`create database ${name}`);
  await admin.close();
  const template = openDatabase(inDatabase(postgresUrl, name), { maxConnections: 1, hasLongTimeouts: true });
  await migrate(template);
  await template.close();
  return {
    nodeUrls: [postgresUrl],
    name,
    databasePrefix,
    async close() {
      await end();
      await embedded?.stop();
    },
  };
}

/** The folder that `npm test` has opened and will close. The test runner on its own opens one, and has compiled modules in another. */
async function runFolder(compiledModules: string): Promise<RunFolder> {
  const opened = process.env['TILLHOUSE_TEST_FOLDER'];
  return opened === undefined ? openRunFolder(compiledModules) : { folder: opened, close: async () => {} };
}

/**
 * Lets the server's role create databases, one for each test file. Without durability against power loss they are created and dropped
 * faster. Killed processes still lose nothing, and no test simulates a power loss. The databases do not live long enough for
 * autovacuum; tests of plans vacuum and analyze themselves. Tests open thousands of connections, so the password is stored with as few
 * iterations as possible: a client repeats them for each connection.
 */
async function prepareEmbedded(url: string, serverPassword: string): Promise<void> {
  const { sql, close } = openDatabase(url, { maxConnections: 1, hasLongTimeouts: true });
  await sql`set scram_iterations = 1`;
  await sql.unsafe(`alter role ${SERVER_ROLE} createdb password '${serverPassword}'`);
  for (const setting of ['fsync', 'full_page_writes', 'autovacuum'])
    await sql.unsafe(`alter system set ${setting} = off`);
  await sql.unsafe(`alter system set max_wal_size = '256MB'`); // the log may be in memory
  await sql`select pg_reload_conf()`;
  await close();
}
