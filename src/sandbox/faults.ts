/** Finds the faults that befall requests and deliveries among the rules that all servers share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { delayOf, type Faults } from '../api/faults.js';
import { realNow } from '../base/clock.js';
import { type Instant, instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import type { ClaimedDelivery } from '../events/delivery-queries.js';
import {
  hasWebhookFaultRules,
  type InjectedFault,
  lockWebhookFaultRules,
  updateFaultRuleToUsed,
  updateFaultyDeliveries,
  type WebhookFaultRule,
} from './fault-queries.js';

export class FaultRules implements Faults {
  readonly #database: Database;
  readonly #log: (facts: Readonly<Record<string, string>>) => void;
  readonly #ending = new AbortController();

  /** What befalls a delivery is told to the log; what befalls a request, the request's own log says. */
  constructor(database: Database, log: (facts: Readonly<Record<string, string>>) => void) {
    this.#database = database;
    this.#log = log;
  }

  take({ operation, merchantId }: Parameters<Faults['take']>[0]): ReturnType<Faults['take']> {
    return this.#database.statement((tx) => updateFaultRuleToUsed(tx, operation, merchantId));
  }

  async wait(milliseconds: number): Promise<void> {
    const { signal } = this.#ending;
    await sleep(milliseconds, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /**
   * Decides about deliveries of a merchant that this server has taken and nobody has tried, and gives those that are to be
   * sent now. What was decided is kept with the delivery: however often it is tried, it is befallen once.
   */
  async injectFaults(merchantId: string, taken: readonly ClaimedDelivery[]): Promise<readonly ClaimedDelivery[]> {
    const fresh = taken.filter(({ firstTriedAt, fault }) => firstTriedAt === null && fault === null);
    if (fresh.length === 0 || !(await hasWebhookFaultRules(this.#database.sql, merchantId))) return taken;
    const now = realNow();
    const injected = await this.#database.transaction(async (tx) => {
      const found = assignRules(await lockWebhookFaultRules(tx, merchantId), fresh, now);
      if (found.length > 0) await updateFaultyDeliveries(tx, merchantId, { injected: found, now });
      return new Map(found.map((each) => [each.deliveryId, each]));
    });
    return taken.flatMap((delivery) => {
      const fault = injected.get(delivery.id);
      if (!fault) return [delivery];
      const { ruleId, effect, runAt } = fault;
      this.#log({ merchant_id: merchantId, delivery: delivery.id, event_type: delivery.kind, fault: ruleId, effect });
      return runAt === undefined ? [{ ...delivery, fault: `${ruleId} ${effect}` }] : [];
    });
  }

  /** What waits goes on at once. */
  stop(): void {
    this.#ending.abort();
  }
}

/** The oldest rule that fits each delivery and is not used up; of one merchant's deliveries, in their order. */
function assignRules(
  rules: readonly WebhookFaultRule[],
  deliveries: readonly ClaimedDelivery[],
  now: Instant,
): readonly InjectedFault[] {
  const left = new Map(rules.map(({ id, remaining }) => [id, remaining]));
  return deliveries.flatMap(({ id, kind }) => {
    const rule = rules.find((each) => (each.eventType ?? kind) === kind && (left.get(each.id) ?? 0) > 0);
    if (!rule) return [];
    left.set(rule.id, (left.get(rule.id) ?? 0) - 1);
    const runAt = rule.effect === 'WEBHOOK_LATE' ? instant(Math.round(now + delayOf(rule))) : undefined;
    return [{ deliveryId: id, ruleId: rule.id, effect: rule.effect, runAt }];
  });
}
