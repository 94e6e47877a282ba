/** Drops the databases that tests created. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../src/database/database.js';
import { codeOf } from '../../src/database/unavailable.js';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Waits for autovacuum: it belongs to the superuser, so an ordinary role cannot end it. Only the test's timeout limits the wait. */
export async function dropDatabase(sql: Sql, name: string): Promise<void> {
  for (;;) {
    try {
      await sql.unsafe(`drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
      await sleep(100);
    }
  }
}
