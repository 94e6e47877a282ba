/** The superuser of an embedded PostgreSQL, for tests that do what the server's role may not. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SUPERUSER } from '../../src/database/embedded/connection.js';

/** The URL of the same database for the superuser, whose password is in the data folder. */
export async function superuserUrl(serverUrl: string, dataDir: string): Promise<string> {
  const url = new URL(serverUrl);
  url.username = SUPERUSER;
  url.password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
  return url.href;
}
