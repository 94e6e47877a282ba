/**
 * Rolls up a generated history after its commit: in a distributed database, only a call by itself runs on the node that has the rows
 * (decision 0158).
 */
import { realNow } from '../../base/clock.js';
import { rollUpDays } from '../../business/reports/actions.js';
import type { Database } from '../../database/database.js';

export async function rollUpHistory(database: Database, merchantId: string): Promise<void> {
  await database.change(merchantId, (change) => rollUpDays(change, merchantId, realNow()));
}
