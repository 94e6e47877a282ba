/**
 * Gathers what one merchant asks for at the same time into one statement: statements of several merchants would not find
 * their way in a distributed database. Nobody waits for company: a statement leaves as soon as its merchant has a place for
 * it, with all that has come together until then.
 */
import { whyUnavailable } from './unavailable.js';

/** Of one merchant. */
interface Limits {
  readonly maxInFlight: number;
  readonly maxItems: number;
}

/** Few enough that more comes together, enough that a commit's wait for the disk is used by the next. */
const DEFAULT_LIMITS: Limits = { maxInFlight: 3, maxItems: 64 };

export interface OfMerchant {
  readonly merchantId: string;
}

type Statement<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Queue<Item, Result> {
  readonly waiting: Waiting<Item, Result>[];
  underWay: number;
}

/** One result for each item, in the order of the items. */
export function createBatcher<Item extends OfMerchant, Result>(
  statement: Statement<Item, Result>,
  { maxInFlight, maxItems }: Limits = DEFAULT_LIMITS,
): (item: Item) => Promise<Result> {
  const queues = new Map<string, Queue<Item, Result>>();

  const run = async (together: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await statement(together.map(({ item }) => item));
      for (const [index, one] of together.entries()) one.resolve(results[index] as Result);
    } catch (error) {
      // All failed for what may be the fault of one: each is tried by itself. That the database is away is nobody's fault, and
      // what was lost with its connection may have been done.
      if (together.length > 1 && whyUnavailable(error) === undefined) {
        await Promise.all(together.map((one) => run([one])));
      } else {
        for (const one of together) one.reject(error);
      }
    }
  };

  const start = (merchantId: string, queue: Queue<Item, Result>): void => {
    while (queue.underWay < maxInFlight && queue.waiting.length > 0) {
      queue.underWay++;
      void run(queue.waiting.splice(0, maxItems)).then(() => {
        queue.underWay--;
        start(merchantId, queue);
      });
    }
    if (queue.underWay === 0) queues.delete(merchantId);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(item.merchantId) ?? { waiting: [], underWay: 0 };
      queues.set(item.merchantId, queue);
      queue.waiting.push({ item, resolve, reject });
      start(item.merchantId, queue);
    });
}
