/**
 * Combines concurrent items of one merchant into one statement. A statement never mixes merchants, because a distributed database
 * routes by merchant. No item waits for others: a statement is sent as soon as its merchant is below the limit, with all items that
 * are waiting then.
 */
import { unavailableReason } from './unavailable.js';

/** Limits of one merchant. */
interface Limits {
  readonly maxInFlight: number;
  readonly maxItems: number;
}

/** A low `maxInFlight` makes batches larger. More than one lets other statements run while a commit waits for the disk. */
const DEFAULT_LIMITS: Limits = { maxInFlight: 3, maxItems: 64 };

export interface OfMerchant {
  readonly merchantId: string;
}

/** How many statements were sent, and for how many items. */
export interface GatheredCounts {
  statements: number;
  items: number;
}

type Statement<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Queue<Item, Result> {
  readonly waiting: Waiting<Item, Result>[];
  inFlight: number;
}

/** The statement must return one result for each item, in the order of the items. */
export function createBatcher<Item extends OfMerchant, Result>(
  statement: Statement<Item, Result>,
  { maxInFlight, maxItems }: Limits = DEFAULT_LIMITS,
  counts: GatheredCounts = { statements: 0, items: 0 },
): (item: Item) => Promise<Result> {
  const queues = new Map<string, Queue<Item, Result>>();

  const run = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    counts.statements += 1;
    counts.items += batch.length;
    try {
      const results = await statement(batch.map(({ item }) => item));
      for (const [index, one] of batch.entries()) one.resolve(results[index] as Result);
    } catch (error) {
      // One item may have caused the failure of the batch, so each is retried alone. If the database is unavailable, nothing is
      // retried: a statement whose connection was lost may have been committed.
      if (batch.length > 1 && unavailableReason(error) === undefined) {
        await Promise.all(batch.map((one) => run([one])));
      } else {
        for (const one of batch) one.reject(error);
      }
    }
  };

  const start = (merchantId: string, queue: Queue<Item, Result>): void => {
    while (queue.inFlight < maxInFlight && queue.waiting.length > 0) {
      queue.inFlight++;
      void run(queue.waiting.splice(0, maxItems)).then(() => {
        queue.inFlight--;
        start(merchantId, queue);
      });
    }
    if (queue.inFlight === 0) queues.delete(merchantId);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(item.merchantId) ?? { waiting: [], inFlight: 0 };
      queues.set(item.merchantId, queue);
      queue.waiting.push({ item, resolve, reject });
      start(item.merchantId, queue);
    });
}
