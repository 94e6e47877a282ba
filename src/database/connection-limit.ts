/** The same database for work that runs in the background: it never takes the connections that requests need. */
import type { Database } from './database.js';

/** So many transactions and statements at a time; the others wait, first come, first served. */
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
    statement: (work) => runLimited(() => database.statement(work)),
  };
}
