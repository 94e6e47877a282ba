/**
 * Finds work in a plain PostgreSQL. One small statement asks when the next work of each kind is due. It is sent again after a write through
 * this server, otherwise once a second. Until work is due, no other statement is sent (decision 0203).
 */
import { realNow } from '../base/clock.js';
import { SECOND_MS } from '../base/time.js';
import { listMerchantsWithDueWork } from '../business/due-work/queries.js';
import { listMerchantsWithCalls } from '../business/payments/call-queries.js';
import type { Sql } from '../database/database.js';
import { listReceivers, type Receiver } from '../events/delivery-queries.js';
import { findNextDue, type NextDue } from './agenda-queries.js';
import type { DueQuery, DueSource } from './due-source.js';

/** After a write. A busy server writes all the time, so it asks at this interval. */
const MIN_INTERVAL_MS = 100;
/** Without a write: finds work from other programs, and from a server that crashed. */
const MAX_INTERVAL_MS = SECOND_MS;

const NOTHING: NextDue = { dueWork: null, call: null, delivery: null };

export class TableSource implements DueSource {
  readonly #sql: Sql;
  readonly #maxIntervalMs: number;
  #next = NOTHING;
  /** Kinds of work whose last list was not empty. There is probably more, so they are listed again at once. */
  readonly #found = new Set<keyof NextDue>();
  /** By the monotonic clock. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #isHinted = false;

  constructor(sql: Sql, maxIntervalMs = MAX_INTERVAL_MS) {
    this.#sql = sql;
    this.#maxIntervalMs = maxIntervalMs;
  }

  listMerchantsWithDueWork(wanted: DueQuery): Promise<readonly string[]> {
    return this.#list('dueWork', () => listMerchantsWithDueWork(this.#sql, { ...wanted, now: realNow() }));
  }

  listMerchantsWithCalls(wanted: DueQuery): Promise<readonly string[]> {
    return this.#list('call', () => listMerchantsWithCalls(this.#sql, { ...wanted, now: realNow() }));
  }

  listReceivers(wanted: DueQuery): Promise<readonly Receiver[]> {
    return this.#list('delivery', () => listReceivers(this.#sql, { ...wanted, now: realNow() }));
  }

  lookAt(): void {
    this.#isHinted = true;
  }

  start(): void {}

  async stop(): Promise<void> {}

  async #list<Item>(kind: keyof NextDue, list: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
    if (!this.#found.has(kind) && !(await this.#isDue(kind))) return [];
    const items = await list();
    if (items.length > 0) this.#found.add(kind);
    else this.#found.delete(kind);
    return items;
  }

  async #isDue(kind: keyof NextDue): Promise<boolean> {
    const sinceAsked = performance.now() - this.#askedAt;
    if (sinceAsked >= (this.#isHinted ? MIN_INTERVAL_MS : this.#maxIntervalMs)) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = undefined;
      });
    }
    await this.#asking;
    const next = this.#next[kind];
    return next !== null && next <= realNow();
  }

  async #ask(): Promise<void> {
    const askedAt = performance.now();
    this.#isHinted = false; // before the statement, which may not see what is written meanwhile
    this.#next = (await findNextDue(this.#sql)) ?? NOTHING;
    this.#askedAt = askedAt;
  }
}
