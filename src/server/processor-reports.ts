/** What a processor reports outside of its responses: calls that failed, and events. They are logged and counted. */
import type { ProcessorEvents } from '../api/processor-events.js';
import { realNow } from '../base/clock.js';
import { realIds } from '../base/ids.js';
import { type AppliedEvent, applyEvent } from '../business/reconciliation/reported-events.js';
import type { Database } from '../database/database.js';
import type { Topic } from '../identity/topics.js';
import type { Watches } from '../identity/watches.js';
import type { ProcessMetrics } from '../metrics/process-metrics.js';
import type { ProcessorEventSource, ReportedEvent, Trouble } from '../processor/contract.js';
import { insertTrouble } from '../processor/trouble-queries.js';
import type { DueSource } from '../worker/due-source.js';
import type { Log } from './storage.js';

/** The topics of what an event of a processor can change. */
const EVENT_TOPICS: readonly Topic[] = ['sales', 'refunds', 'settlements'];

interface TroubleTools {
  readonly database: Database;
  readonly metrics: ProcessMetrics | undefined;
  readonly log: Log;
}

export function createTroubleReporter({ database, metrics, log }: TroubleTools): (trouble: Trouble) => void {
  // An event of the processor can report the same failed refund, so it is counted only once.
  const isNews = async ({ action, call: { key, merchant } }: Trouble): Promise<boolean> => {
    if (action !== 'refund') return true;
    const trouble = { merchantId: merchant.id, kind: 'refund', subject: key } as const;
    return database.statement((tx) => insertTrouble(tx, trouble, realNow())).catch(() => true);
  };
  return (trouble) => {
    const { action, call, reason, isFinal } = trouble;
    const fields = {
      ...(call.requestId !== undefined && { request_id: call.requestId }),
      ...{ action, merchant_id: call.merchant.id, payment_id: call.paymentId, key: call.key, reason },
    };
    if (!isFinal) return log.warn(fields, 'processor call: unknown outcome, will be asked again');
    log.warn(fields, 'processor call: refused for good, needs attention');
    void isNews(trouble).then((isNew) => {
      if (isNew) metrics?.onNeedsAttention(action);
    });
  };
}

interface EventTools extends TroubleTools {
  readonly source: DueSource;
  readonly watches: Watches;
}

/** Applies the events of a processor, and makes what they cause visible at once. */
export function receiveEvents(from: ProcessorEventSource, tools: EventTools): ProcessorEvents {
  const { database, metrics, log, source, watches } = tools;
  return {
    source: from,
    async apply(event) {
      const applied = await applyEvent({ database, ids: realIds }, event).catch((error: Error) => {
        const { id, type } = event;
        log.warn({ event: id, type, reason: error.message }, 'processor event: failed, will be sent again');
        throw error;
      });
      logEvent(log, event, applied);
      if (applied.trouble && !applied.isKnown) metrics?.onNeedsAttention(applied.trouble.kind);
      if (applied.merchantId === undefined) return;
      source.lookAt(applied.merchantId);
      watches.publish(applied.merchantId, EVENT_TOPICS, 'unknown');
    },
  };
}

function logEvent(log: Log, { id, type }: ReportedEvent, applied: AppliedEvent): void {
  const { outcome, trouble, isKnown, merchantId, paymentId } = applied;
  const fields = { event: id, type, outcome, merchant_id: merchantId, payment_id: paymentId };
  if (trouble && !isKnown) log.warn(fields, 'processor event: needs attention');
  else log.info(fields, 'processor event: handled');
}
