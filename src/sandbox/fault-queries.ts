/** Every SQL statement on the rules by which faults befall requests and deliveries. */
import type { Instant } from '../base/time.js';
import { type Sql, type Tx, toTimestamp } from '../database/database.js';
import { newRowUuid } from '../database/row-ids.js';
import type { EventKind } from '../events/model.js';

const REQUEST_EFFECTS = ['DELAY', 'STATUS', 'RESET_BEFORE', 'RESET_AFTER'] as const;
const WEBHOOK_EFFECTS = ['WEBHOOK_TWICE', 'WEBHOOK_LATE'] as const;
export const FAULT_EFFECTS = [...REQUEST_EFFECTS, ...WEBHOOK_EFFECTS] as const;
export const FAULT_STATUSES = [429, 500, 503] as const;

export interface FaultRule {
  readonly id: string;
  /** Null: every merchant. */
  readonly merchantId: string | null;
  /** By its surface and name; null: any. */
  readonly operation: string | null;
  /** What the deliveries tell that it befalls; null: anything. */
  readonly eventType: EventKind | null;
  readonly effect: (typeof FAULT_EFFECTS)[number];
  readonly status: (typeof FAULT_STATUSES)[number] | null;
  readonly retryAfterSeconds: number | null;
  readonly minDelayMs: number | null;
  readonly maxDelayMs: number | null;
  readonly remaining: number;
}

export type RequestFaultRule = FaultRule & { readonly effect: (typeof REQUEST_EFFECTS)[number] };
export type WebhookFaultRule = FaultRule & { readonly effect: (typeof WEBHOOK_EFFECTS)[number] };

const columns = (sql: Sql) => sql`
  rule_id as id, merchant_id, operation, event_type, effect, status, retry_after_seconds, min_delay_ms, max_delay_ms,
  remaining`;

export async function insertFaultRule(tx: Tx, rule: FaultRule): Promise<void> {
  await tx`
    insert into fault_rules (
      merchant_id, rule_id, operation, event_type, effect, status, retry_after_seconds, min_delay_ms, max_delay_ms,
      remaining
    )
    values (
      ${rule.merchantId}, ${rule.id}, ${rule.operation}, ${rule.eventType}, ${rule.effect}, ${rule.status},
      ${rule.retryAfterSeconds}, ${rule.minDelayMs}, ${rule.maxDelayMs}, ${rule.remaining}
    )`;
}

/** Those that are not used up, oldest first; of one merchant, or all there are. */
export async function listFaultRules(sql: Sql, merchantId: string | undefined): Promise<FaultRule[]> {
  return sql<FaultRule[]>`
    select ${columns(sql)}
    from fault_rules
    where remaining > 0 ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}
    order by rule_id`;
}

/** In the order in which they are used: whoever uses several at the same moment waits, or is waited for. */
export async function deleteFaultRules(tx: Tx, merchantId: string | undefined): Promise<void> {
  await tx`
    delete from fault_rules
    where rule_id in (
      select rule_id
      from fault_rules
      where ${merchantId === undefined ? tx`true` : tx`merchant_id = ${merchantId}`}
      order by rule_id
      for update
    )`;
}

/** Uses the oldest rule that fits, once; a crowd of requests, through any number of servers, uses it up exactly. */
export async function updateFaultRuleToUsed(
  tx: Tx,
  operation: string,
  merchantId: string | undefined,
): Promise<RequestFaultRule | undefined> {
  const [rule] = await tx<RequestFaultRule[]>`
    update fault_rules
    set remaining = remaining - 1
    where rule_id = (
      select rule_id
      from fault_rules
      where remaining > 0
        and effect not like 'WEBHOOK%'
        and (merchant_id is null or merchant_id = ${merchantId ?? null})
        and (operation is null or operation = ${operation})
      order by rule_id
      limit 1
      for update
    )
    returning ${columns(tx)}`;
  return rule;
}

/** Whether anything could befall a merchant's deliveries; read without locks, since almost always nothing does. */
export async function hasWebhookFaultRules(sql: Sql, merchantId: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from fault_rules
      where remaining > 0 and effect like 'WEBHOOK%' and (merchant_id is null or merchant_id = ${merchantId})
    ) as found`;
  return row?.found ?? false;
}

/** Oldest first, held until the transaction ends: several servers use each exactly as often as it says. */
export async function lockWebhookFaultRules(tx: Tx, merchantId: string): Promise<WebhookFaultRule[]> {
  return tx<WebhookFaultRule[]>`
    select ${columns(tx)}
    from fault_rules
    where remaining > 0 and effect like 'WEBHOOK%' and (merchant_id is null or merchant_id = ${merchantId})
    order by rule_id
    for update`;
}

/** What befell a delivery: the rule, and when it is sent then; undefined where it goes on now, with a twin behind it. */
export interface InjectedFault {
  readonly deliveryId: string;
  readonly ruleId: string;
  readonly effect: WebhookFaultRule['effect'];
  readonly runAt: Instant | undefined;
}

/** Uses the rules, puts off what is late, and writes a second delivery of the same event for what is sent twice. */
export async function updateFaultyDeliveries(
  tx: Tx,
  merchantId: string,
  { injected, now }: { readonly injected: readonly InjectedFault[]; readonly now: Instant },
): Promise<void> {
  const rows = injected.map(({ deliveryId, ruleId, effect, runAt }) => ({
    delivery_id: deliveryId,
    rule_id: ruleId,
    fault: `${ruleId} ${effect}`,
    run_at: runAt === undefined ? null : toTimestamp(runAt),
  }));
  await tx`
    with befallen as materialized (
      select delivery_id, rule_id, fault, run_at
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as befallen (
        delivery_id uuid, rule_id text, fault text, run_at timestamptz
      )
    ),
    used as (
      update fault_rules
      set remaining = remaining - times
      from (select rule_id, count(*) as times from befallen group by rule_id) as counted
      where fault_rules.rule_id = counted.rule_id
    ),
    marked as (
      update webhook_deliveries d
      set
        fault = befallen.fault,
        run_at = coalesce(befallen.run_at, d.run_at),
        taken_until = case when befallen.run_at is null then d.taken_until end
      from befallen
      where d.merchant_id = ${merchantId} and d.delivery_id = befallen.delivery_id and d.state = 'WAITING'
      returning d.merchant_id, d.event_id, d.subscription_id, d.entity_id, d.created_at, d.fault,
        befallen.run_at is null as is_doubled
    )
    insert into webhook_deliveries (
      merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at, fault
    )
    select merchant_id, ${newRowUuid(tx, now)}, event_id, subscription_id, entity_id, 'WAITING', ${now}, created_at, fault
    from marked
    where is_doubled`;
}
