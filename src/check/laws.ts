/**
 * Checks all laws. Each law is a statement that returns the rows that break it. The laws share no code with the code
 * that writes the records, so that a mistake there is not repeated here.
 */
import { availableParallelism } from 'node:os';
import type { Database, Tx } from '../database/database.js';
import { putFunctionsOnPath } from '../database/functions.js';
import { readAcknowledged } from './acknowledged.js';
import { COUNTER_LAWS } from './counter-laws.js';
import { DIRECTORY_LAWS } from './directory-laws.js';
import type { Breach, Law } from './law.js';
import { OAUTH_LAWS } from './oauth-laws.js';
import { ORDER_LAWS } from './order-laws.js';
import { PAYMENT_LAWS } from './payment-laws.js';
import { REFUND_LAWS } from './refund-laws.js';
import { REPORT_LAWS } from './report-laws.js';
import { SALE_LAWS } from './sale-laws.js';
import { SETTLEMENT_LAWS } from './settlement-laws.js';
import { WEBHOOK_LAWS } from './webhook-laws.js';

/** The slowest laws come first, so that no slow one runs alone at the end. */
export const LAWS: readonly Law[] = [
  ...SALE_LAWS,
  ...PAYMENT_LAWS,
  ...REPORT_LAWS,
  ...REFUND_LAWS,
  ...SETTLEMENT_LAWS,
  ...COUNTER_LAWS,
  ...ORDER_LAWS,
  ...OAUTH_LAWS,
  ...DIRECTORY_LAWS,
  ...WEBHOOK_LAWS,
];

const MAX_EXAMPLES = 20;
/** So many of a law can be acknowledged. More are no exceptions. */
const MAX_ACKNOWLEDGED = 1000;
/** With less, PostgreSQL would write the hash tables of joins to disk. */
const WORK_MEM = '64MB';

/** The number of laws that are checked concurrently. */
export const MAX_CONCURRENT_LAWS = Math.min(availableParallelism(), 4);

/** The first rows that break each law, except those that were acknowledged. Each law is checked on a consistent snapshot. */
export async function findBreaches(database: Database, laws: readonly Law[] = LAWS): Promise<Breach[]> {
  const found: Breach[][] = [];
  const remaining = laws.entries();
  const checkRemaining = (): Promise<void> =>
    database.transaction(async (tx) => {
      await tx.unsafe(`set transaction read only; set local work_mem to '${WORK_MEM}'`);
      await putFunctionsOnPath(tx);
      const isKnown = await readAcknowledged(tx);
      for (const [index, law] of remaining) found[index] = await findBreachesOf(tx, law, isKnown);
    });
  await Promise.all(Array.from({ length: MAX_CONCURRENT_LAWS }, checkRemaining));
  return found.flat();
}

async function findBreachesOf(
  tx: Tx,
  { name, statement }: Law,
  isKnown: (breach: Breach) => boolean,
): Promise<Breach[]> {
  const limited = `select * from (${statement}) as broken limit ${MAX_EXAMPLES + MAX_ACKNOWLEDGED}`;
  // Prepared: a connection that checks often, as those of tests do, plans each law once. On small tables that takes longer than the check.
  const rows = await tx.unsafe<Omit<Breach, 'law'>[]>(limited, [], { prepare: true });
  return rows
    .map((row) => ({ ...row, law: name }))
    .filter((breach) => !isKnown(breach))
    .slice(0, MAX_EXAMPLES);
}
