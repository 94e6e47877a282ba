/**
 * Makes the log of requests forget what was erased from the database elsewhere: by `tillhouse buyer erase`, or on another server (decisions
 * 0164 and 0176). Every process of every server finds the erasures in the audit log.
 */
import type { RequestLog } from '../api/request-log.js';
import { realNow } from '../base/clock.js';
import { type Instant, instant, MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { listErasures } from '../identity/audit-queries.js';
import { runLoop } from '../worker/loop.js';

const PAUSE_MS = 2 * SECOND_MS;
/** How long a commit may take, and how much the clocks of machines may differ. */
const OVERLAP_MS = 5 * MINUTE_MS;
/** A request is added to the log when its response is sent. So an erasure is repeated for as long as a request may be in flight. */
const REPEAT_MS = 30 * SECOND_MS;
const BEGINNING = instant(0);

export interface RequestErasure {
  /** Waits for the statement in flight. */
  stop(): Promise<void>;
}

export function startRequestErasure(
  { sql }: Pick<Database, 'sql'>,
  requestLog: RequestLog,
  onError: (error: unknown) => void,
): RequestErasure {
  const stopping = new AbortController();
  let known = new Map<string, Instant>();
  const poll = async (): Promise<void> => {
    if (requestLog.isEmpty) return;
    const now = instant(realNow());
    const found = await listErasures(sql, instant(now - OVERLAP_MS));
    known = new Map(found.map(({ id }) => [id, known.get(id) ?? now]));
    for (const { id, merchantId, occurredAt: until } of found) {
      if (now - (known.get(id) ?? now) <= REPEAT_MS) requestLog.dropOwn({ merchantId, since: BEGINNING, until });
    }
  };
  const running = runLoop({ poll, pauseMs: PAUSE_MS, signal: stopping.signal, onError });
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
