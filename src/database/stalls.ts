/**
 * Notices that statements wait for a lock, and who has it. PostgreSQL itself works then, so nothing else shows why requests take long: an
 * operator's open transaction, a schema change, a tool that locks a table.
 */
import { performance } from 'node:perf_hooks';
import { listSessions, type Session } from './sessions.js';
import type { Sql } from './sql.js';

export interface Stall {
  readonly blocked: number;
  /** For how long the statement that has waited longest has waited. */
  readonly oldestMs: number;
  /** The sessions that everybody waits for in the end. */
  readonly blockers: readonly Session[];
}

const TELL_AFTER_MS = 1_000;
/** For how long nothing waits before a stall is over. Statements that were refused at their deadline may come again. */
const OVER_AFTER_MS = 2_000;
/** A server is not ready if so many statements have waited for so long. One alone may wait for a row that only it needs. */
const OUTAGE_MS = 3_000;
const OUTAGE_STATEMENTS = 3;

export class Stalls {
  readonly #onStalled: (stall: Stall) => void;
  readonly #onEnd: (milliseconds: number) => void;
  /** When the first statement of a stall began to wait. */
  #since: number | undefined;
  #quietSince: number | undefined;
  #isTold = false;
  #last: Stall | undefined;

  constructor(onStalled: (stall: Stall) => void, onEnd: (milliseconds: number) => void) {
    this.#onStalled = onStalled;
    this.#onEnd = onEnd;
  }

  /** How many statements wait for a lock now. */
  get blocked(): number {
    return this.#last?.blocked ?? 0;
  }

  /** A sentence if too much waits for too long. */
  get outage(): string | undefined {
    if (this.#since === undefined || this.#last === undefined) return undefined;
    if (this.#last.blocked < OUTAGE_STATEMENTS || performance.now() - this.#since < OUTAGE_MS) return undefined;
    const names = this.#last.blockers.map(({ pid, application }) => `process ${pid} (${application || 'unknown'})`);
    const holder = names.length === 0 ? 'another session' : names.join(', ');
    return `${this.#last.blocked} statements wait for a lock of ${holder} of the database.`;
  }

  /** Called about twice a second while connections are silent. `sql` is undefined if no connection is free to ask. */
  async report({ blocked, oldestMs }: Pick<Stall, 'blocked' | 'oldestMs'>, sql: Sql | undefined): Promise<void> {
    if (blocked === 0) return this.end();
    this.#since ??= performance.now() - oldestMs;
    this.#quietSince = undefined;
    const blockers = (sql && (await listLockHolders(sql).catch(() => undefined))) ?? this.#last?.blockers ?? [];
    this.#last = { blocked, oldestMs, blockers };
    if (this.#isTold || performance.now() - this.#since < TELL_AFTER_MS) return;
    this.#isTold = true;
    this.#onStalled(this.#last);
  }

  /** Nothing waits. Called at every tick while that is so. */
  end(): void {
    if (this.#since === undefined) return;
    this.#last = undefined;
    this.#quietSince ??= performance.now();
    if (this.#isTold && performance.now() - this.#quietSince < OVER_AFTER_MS) return;
    if (this.#isTold) this.#onEnd(Math.round(this.#quietSince - this.#since));
    this.#since = undefined;
    this.#isTold = false;
  }
}

/** Sessions that have a lock that others wait for, and wait for none themselves. */
function listLockHolders(sql: Sql): Promise<readonly Session[]> {
  const waiting = sql`from pg_stat_activity where usename = current_user and wait_event_type = 'Lock'`;
  return listSessions(sql, sql`select unnest(pg_blocking_pids(pid)) ${waiting} except select pid ${waiting}`);
}
