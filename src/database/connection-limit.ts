/** Limits the connections of background work, so that enough are left for requests. */
import type { Database } from './database.js';

/** Runs at most `maxConnections` transactions and statements at a time. The others wait in order. */
export function withConnectionLimit(database: Database, maxConnections: number): Database {
  const waiting: (() => void)[] = [];
  let free = maxConnections;

  const runLimited = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };

  return {
    ...database,
    transaction: (work) => runLimited(() => database.transaction(work)),
    change: (merchantId, work) => runLimited(() => database.change(merchantId, work)),
    statement: (work) => runLimited(() => database.statement(work)),
  };
}
