/** Finds the fault that befalls a request among the rules that all servers share, and lets no delay outlive the server. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Faults } from '../api/faults.js';
import type { Database } from '../database/database.js';
import { useFaultRule } from './fault-queries.js';

export class FaultRules implements Faults {
  readonly #database: Database;
  readonly #ending = new AbortController();

  constructor(database: Database) {
    this.#database = database;
  }

  take({ operation, merchantId }: Parameters<Faults['take']>[0]): ReturnType<Faults['take']> {
    return this.#database.statement((tx) => useFaultRule(tx, operation, merchantId));
  }

  async wait(milliseconds: number): Promise<void> {
    const { signal } = this.#ending;
    await sleep(milliseconds, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** What waits goes on at once. */
  stop(): void {
    this.#ending.abort();
  }
}
