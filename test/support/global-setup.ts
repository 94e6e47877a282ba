/** Starts the PostgreSQL of the whole run and makes the template that each test file's database is cloned from. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/database.js';
import { startEmbedded } from '../../src/database/embedded.js';
import { migrate } from '../../src/database/migrate.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A server where databases may be made: the embedded one, or that of DATABASE_URL. */
    postgresUrl: string;
    templateDatabase: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL'];
  const dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-tests-'));
  const embedded = given ? undefined : await startEmbedded({ dataDir });
  const postgresUrl = given ?? embedded?.url ?? '';
  const templateDatabase = `tillhouse_template_${randomUUID().slice(0, 8)}`;

  const admin = openDatabase(postgresUrl, { maxConnections: 1 });
  await admin.sql.unsafe(`create database ${templateDatabase}`);
  const template = openDatabase(databaseUrl(postgresUrl, templateDatabase), { maxConnections: 1 });
  await migrate(template);
  await template.close();

  project.provide('postgresUrl', postgresUrl);
  project.provide('templateDatabase', templateDatabase);
  return async () => {
    await admin.sql.unsafe(`drop database if exists ${templateDatabase} with (force)`);
    await admin.close();
    await embedded?.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
