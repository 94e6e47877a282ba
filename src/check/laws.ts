/**
 * The laws of the books, each as a statement of its own over the raw rows: it names every row that breaks it. Nothing
 * here is shared with the code that writes, so that a mistake there is not made twice.
 */
import { availableParallelism } from 'node:os';
import type { Database, Tx } from '../database/database.js';
import { COUNTER_LAWS } from './counter-laws.js';
import type { Law } from './law.js';
import { OAUTH_LAWS } from './oauth-laws.js';
import { ORDER_LAWS } from './order-laws.js';
import { PAYMENT_LAWS } from './payment-laws.js';
import { REFUND_LAWS } from './refund-laws.js';
import { SALE_LAWS } from './sale-laws.js';
import { SETTLEMENT_LAWS } from './settlement-laws.js';
import { WEBHOOK_LAWS } from './webhook-laws.js';

/** What reads most comes first, so that nothing long is left for the end. */
export const LAWS: readonly Law[] = [
  ...SALE_LAWS,
  ...PAYMENT_LAWS,
  ...REFUND_LAWS,
  ...SETTLEMENT_LAWS,
  ...COUNTER_LAWS,
  ...ORDER_LAWS,
  ...OAUTH_LAWS,
  ...WEBHOOK_LAWS,
];

export interface Breach {
  readonly law: string;
  readonly merchantId: string;
  readonly subject: string;
  readonly found: string;
}

const MAX_EXAMPLES = 20;
/** PostgreSQL may use as much for every table that it holds against another; with less it would write them to disk first. */
const MEMORY = '64MB';

/** So many laws are looked at side by side. */
export const LAWS_AT_ONCE = Math.min(availableParallelism(), 4);

/** Every law that is broken, with the first rows that break it; each law sees the books as they are at one moment. */
export async function findBreaches(database: Database): Promise<Breach[]> {
  const found: Breach[][] = [];
  const left = LAWS.entries();
  const look = (): Promise<void> =>
    database.transaction(async (tx) => {
      await tx.unsafe(`set transaction read only; set local work_mem to '${MEMORY}'`);
      for (const [index, law] of left) found[index] = await findBreachesOf(tx, law);
    });
  await Promise.all(Array.from({ length: LAWS_AT_ONCE }, look));
  return found.flat();
}

async function findBreachesOf(tx: Tx, { name, statement }: Law): Promise<Breach[]> {
  const rows = await tx.unsafe<Omit<Breach, 'law'>[]>(`select * from (${statement}) as broken limit ${MAX_EXAMPLES}`);
  return rows.map((row) => ({ ...row, law: name }));
}
