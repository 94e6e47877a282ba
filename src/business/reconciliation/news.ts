/** Makes our records follow what a processor reports by itself: disputes and failed refunds (decision 0187). */
import { isDeepStrictEqual } from 'node:util';
import { nowOn } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import type { Database } from '../../database/database.js';
import type { ProcessorNews, ReportedEvent } from '../../processor/contract.js';
import { followDispute } from '../holds/actions.js';
import { findClock } from '../merchants/queries.js';
import { failRefund } from '../refunds/actions.js';

/** What an event has changed, for the log. */
export interface Followed {
  readonly outcome: string;
  /** Whether somebody has to look at it. */
  readonly isTrouble: boolean;
  readonly merchantId?: string;
  readonly paymentId?: string;
}

interface NewsContext {
  readonly database: Database;
  readonly ids: Ids;
}

/** More changes than this while one event is followed are left to the events of those changes. */
const MAX_ROUNDS = 5;

/**
 * Reads the state after it has followed it, too: another event of the same dispute may have been followed meanwhile with an older state,
 * and the last one must win.
 */
export async function followEvent(context: NewsContext, event: ReportedEvent): Promise<Followed> {
  let news = await event.read();
  const [about] = news;
  if (!about) return { outcome: 'not ours', isTrouble: false };
  let followed = await followAll(context, news);
  for (let round = 1; round < MAX_ROUNDS; round++) {
    const next = await event.read();
    if (next.length === 0 || isDeepStrictEqual(news, next)) break;
    news = next;
    followed = await followAll(context, news);
  }
  return { ...followed, merchantId: about.merchantId, paymentId: about.paymentId };
}

async function followAll(context: NewsContext, news: readonly ProcessorNews[]): Promise<Followed> {
  const all: Followed[] = [];
  for (const each of news) all.push(await follow(context, each));
  const outcome = all.map((each) => each.outcome).join(', ');
  return { outcome, isTrouble: all.some(({ isTrouble }) => isTrouble) };
}

async function follow({ database, ids }: NewsContext, news: ProcessorNews): Promise<Followed> {
  const { merchantId, paymentId } = news;
  const clock = await findClock(database.sql, merchantId);
  if (!clock) return { outcome: 'unknown merchant', isTrouble: true };
  const now = nowOn(clock);
  if (news.kind === 'dispute') {
    const outcome = await followDispute({ database, ids, merchantId, paymentId, now }, news);
    return {
      outcome: `dispute: ${outcome}`,
      isTrouble: outcome === 'unknown payment' || outcome === 'nothing to hold',
    };
  }
  if (!news.hasFailed) return { outcome: 'refund: unchanged', isTrouble: false };
  const before = await failRefund({ database, ids, merchantId, at: now }, { paymentId, key: news.key });
  // The worker may be about to record that the refund is completed. The processor reports the failure again.
  if (before === 'PENDING') throw new Refusal('TEMPORARY_ERROR');
  // A reversal cannot be taken back: the payment is canceled.
  if (before === undefined) return { outcome: 'refund: no such refund to fail', isTrouble: true };
  return { outcome: before === 'COMPLETED' ? 'refund: failed' : 'refund: unchanged', isTrouble: false };
}
