/** Starts the PostgreSQL of the whole run and creates the template from which each test file's database is cloned. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/database.js';
import { SERVER_ROLE } from '../../src/database/embedded/connection.js';
import { startEmbedded } from '../../src/database/embedded/embedded.js';
import { migrate } from '../../src/database/migrate.js';
import { dropDatabase } from './drop-database.js';
import { openRunFolder, type RunFolder } from './run-folder.mjs';
import { superuserUrl } from './superuser.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server where databases may be created: the embedded one, or that of DATABASE_URL. */
    postgresUrl: string;
    templateDatabase: string;
    /** The folder for everything that is created once for the whole run. */
    madeFolder: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  const run = await runFolder();
  const dataDir = join(run.folder, 'postgres');
  const madeFolder = join(run.folder, 'made');
  await mkdir(madeFolder);
  const embedded = given ? undefined : await startEmbedded({ dataDir });
  const postgresUrl = given ?? embedded?.url ?? '';
  const templateDatabase = `tillhouse_template_${randomUUID().slice(0, 8)}`;

  if (embedded) await prepareEmbedded(await superuserUrl(embedded.url, dataDir), new URL(embedded.url).password);
  const admin = openDatabase(postgresUrl, { maxConnections: 1 });
  await admin.sql.unsafe(`create database ${templateDatabase}`);
  const template = openDatabase(databaseUrl(postgresUrl, templateDatabase), { maxConnections: 1 });
  await migrate(template);
  await template.close();

  project.provide('postgresUrl', postgresUrl);
  project.provide('templateDatabase', templateDatabase);
  project.provide('madeFolder', madeFolder);
  return async () => {
    await dropDatabase(admin.sql, templateDatabase);
    await admin.close();
    await embedded?.stop();
    await run.close();
  };
}

/** The folder that `npm test` has opened and will close. The test runner on its own opens one. */
async function runFolder(): Promise<RunFolder> {
  const opened = process.env['TILLHOUSE_TEST_FOLDER'];
  return opened === undefined ? openRunFolder() : { folder: opened, close: async () => {} };
}

/**
 * Lets the server's role create databases, one for each test file. Without durability against power loss they are created and dropped
 * faster. Killed processes still lose nothing, and no test simulates a power loss. The databases do not live long enough for
 * autovacuum; tests of plans vacuum and analyze themselves. Tests open thousands of connections, so the password is stored with as few
 * iterations as possible: a client repeats them for each connection.
 */
async function prepareEmbedded(url: string, serverPassword: string): Promise<void> {
  const { sql, close } = openDatabase(url, { maxConnections: 1 });
  await sql`set scram_iterations = 1`;
  await sql.unsafe(`alter role ${SERVER_ROLE} createdb password '${serverPassword}'`);
  for (const setting of ['fsync', 'full_page_writes', 'autovacuum'])
    await sql.unsafe(`alter system set ${setting} = off`);
  await sql.unsafe(`alter system set max_wal_size = '256MB'`); // the log may be in memory
  await sql`select pg_reload_conf()`;
  await close();
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
