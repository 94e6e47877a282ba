/**
 * Renews the copies of the v2 JSON of payments after a new version of the program prints them differently, and makes those of
 * payments that were written in bulk (decision 0256). Nothing waits for it: reads print what has no current copy. Any number of
 * servers can run this on one database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../base/time.js';
import { listMerchantsWithOldCopies, updateOldCopies } from '../business/payments/copy-queries.js';
import type { Database } from '../database/database.js';
import { listShards } from '../database/shards.js';
import { runLoop } from './loop.js';

const PAUSE_MS = HOUR_MS;
/** Small, so that no request waits long for the locks. */
const MAX_PAYMENTS_PER_STATEMENT = 100;
/** Leaves the database to the requests: a million payments take about half an hour. */
const STATEMENT_PAUSE_MS = 200;
const MAX_MERCHANTS_PER_PAGE = 1000;

export interface CopyRenewal {
  /** Waits for the statement in flight. */
  stop(): Promise<void>;
}

export function startCopyRenewal(
  database: Database,
  onError: (error: unknown, merchantId?: string) => void,
): CopyRenewal {
  const stopping = new AbortController();
  const { signal } = stopping;

  const renewAll = async (): Promise<void> => {
    for (const shard of await listShards(database.sql)) await renewShard(shard).catch(onError);
  };

  const renewShard = async (shard: string): Promise<void> => {
    const limit = MAX_MERCHANTS_PER_PAGE;
    let page: readonly string[] = [];
    do {
      page = await listMerchantsWithOldCopies(database.sql, { shard, after: page.at(-1) ?? '', limit });
      for (const merchantId of page) await renew(merchantId).catch((error: unknown) => onError(error, merchantId));
    } while (page.length === limit && !signal.aborted);
  };

  const renew = async (merchantId: string): Promise<void> => {
    const renewSome = () => updateOldCopies(database, merchantId, MAX_PAYMENTS_PER_STATEMENT);
    while (!signal.aborted && (await renewSome())) await sleep(STATEMENT_PAUSE_MS);
  };

  const running = runLoop({ poll: renewAll, pauseMs: PAUSE_MS, signal, onError });
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
