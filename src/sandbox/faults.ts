/** Injects faults into requests and deliveries, from rules that all servers share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { delayOf, type Faults } from '../api/faults.js';
import { realNow } from '../base/clock.js';
import { groupBy } from '../base/group-by.js';
import { type Instant, instant } from '../base/time.js';
import type { Database, Tx } from '../database/database.js';
import { type ClaimedDelivery, insertDuplicate, updateDeliveryToLate } from '../events/delivery-queries.js';
import {
  hasWebhookFaultRules,
  lockWebhookFaultRules,
  updateFaultRuleToUsed,
  updateWebhookFaultRuleToUsed,
  type WebhookFaultRule,
} from './fault-queries.js';

/** A fault for a delivery. With `runAt` it is sent at that time; without, it is sent now and a second time. */
interface InjectedFault {
  readonly deliveryId: string;
  readonly rule: WebhookFaultRule;
  readonly runAt: Instant | undefined;
}

export class FaultRules implements Faults {
  readonly #database: Database;
  readonly #log: (fields: Readonly<Record<string, string>>) => void;
  readonly #stopping = new AbortController();

  /** `log` gets the faults of deliveries; faults of requests are logged with the request. */
  constructor(database: Database, log: (fields: Readonly<Record<string, string>>) => void) {
    this.#database = database;
    this.#log = log;
  }

  take({ operation, merchantId }: Parameters<Faults['take']>[0]): ReturnType<Faults['take']> {
    return this.#database.statement((tx) => updateFaultRuleToUsed(tx, operation, merchantId));
  }

  async wait(milliseconds: number): Promise<void> {
    const { signal } = this.#stopping;
    await sleep(milliseconds, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /**
   * Injects faults into claimed deliveries before their first attempt, and returns the deliveries to send now. The fault is
   * stored with the delivery, so that retries get no second one.
   */
  async injectFaults(merchantId: string, claimed: readonly ClaimedDelivery[]): Promise<readonly ClaimedDelivery[]> {
    const fresh = claimed.filter(({ firstTriedAt, fault }) => firstTriedAt === null && fault === null);
    if (fresh.length === 0 || !(await hasWebhookFaultRules(this.#database.sql, merchantId))) return claimed;
    const now = realNow();
    const injected = await this.#database.transaction(async (tx) => {
      const assigned = assignRules(await lockWebhookFaultRules(tx, merchantId), fresh, now);
      await store(tx, merchantId, assigned, now);
      return new Map(assigned.map((each) => [each.deliveryId, each]));
    });
    return claimed.flatMap((delivery) => {
      const fault = injected.get(delivery.id);
      if (!fault) return [delivery];
      const { rule, runAt } = fault;
      const { id, effect } = rule;
      this.#log({ merchant_id: merchantId, delivery: delivery.id, event_type: delivery.kind, fault: id, effect });
      return runAt === undefined ? [{ ...delivery, fault: printFault(rule) }] : [];
    });
  }

  /** Ends all delays immediately. */
  stop(): void {
    this.#stopping.abort();
  }
}

/** Assigns to each delivery, in order, the oldest matching rule with remaining uses. */
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
    return [{ deliveryId: id, rule, runAt }];
  });
}

/** What is stored with a delivery: the rule and its effect. */
function printFault({ id, effect }: WebhookFaultRule): string {
  return `${id} ${effect}`;
}

/** Counts the uses of the rules, postpones late deliveries, and adds second ones. */
async function store(tx: Tx, merchantId: string, injected: readonly InjectedFault[], now: Instant): Promise<void> {
  for (const [rule, uses] of groupBy(injected, (each) => each.rule)) {
    await updateWebhookFaultRuleToUsed(tx, rule, uses.length);
  }
  for (const { deliveryId, rule, runAt } of injected) {
    const delivery = { merchantId, deliveryId, fault: printFault(rule) };
    if (runAt === undefined) await insertDuplicate(tx, delivery, now);
    else await updateDeliveryToLate(tx, delivery, runAt);
  }
}
