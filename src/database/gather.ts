/**
 * Gathers what is asked for at the same time into one statement. Nobody waits for company: a statement leaves as soon as
 * there is a place for it, with all that has come together until then.
 */

/** Few enough that more comes together, enough that a commit's wait for the disk is used by the next. */
const MOST_UNDER_WAY = 3;
const MOST_ITEMS = 64;

type Statement<Item, Result> = (items: readonly Item[]) => Promise<readonly Result[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** One result for each item, in the order of the items. */
export function gather<Item, Result>(statement: Statement<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;

  const run = async (together: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await statement(together.map(({ item }) => item));
      for (const [index, one] of together.entries()) one.resolve(results[index] as Result);
    } catch (error) {
      // All failed for what may be the fault of one: each is tried by itself.
      if (together.length > 1) await Promise.all(together.map((one) => run([one])));
      else together[0]?.reject(error);
    }
  };

  const start = (): void => {
    while (underWay < MOST_UNDER_WAY && waiting.length > 0) {
      underWay++;
      void run(waiting.splice(0, MOST_ITEMS)).then(() => {
        underWay--;
        start();
      });
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      start();
    });
}
