/** SQL statements on the rules that inject faults into requests and deliveries. */
import type { Sql, Tx } from '../database/database.js';
import type { EventKind } from '../events/model.js';

const REQUEST_EFFECTS = ['DELAY', 'STATUS', 'SLOW_BODY', 'RESET_BEFORE', 'RESET_DURING', 'RESET_AFTER'] as const;
const WEBHOOK_EFFECTS = ['WEBHOOK_TWICE', 'WEBHOOK_LATE'] as const;
export const FAULT_EFFECTS = [...REQUEST_EFFECTS, ...WEBHOOK_EFFECTS] as const;

export interface FaultRule {
  readonly id: string;
  /** Null: every merchant. */
  readonly merchantId: string | null;
  /** Surface and name, such as v2.createPayment; null: any. */
  readonly operation: string | null;
  /** The event type of deliveries; null: any. */
  readonly eventType: EventKind | null;
  readonly effect: (typeof FAULT_EFFECTS)[number];
  readonly status: number | null;
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

/** Lists the rules with remaining uses, oldest first, of one merchant or of all. */
export async function listFaultRules(sql: Sql, merchantId: string | undefined): Promise<FaultRule[]> {
  return sql<FaultRule[]>`
    select ${columns(sql)}
    from fault_rules
    where remaining > 0 ${merchantId === undefined ? sql`` : sql`and merchant_id = ${merchantId}`}
    order by rule_id`;
}

/** Locks rows in the order in which they are used, so that a concurrent use of several rules cannot deadlock. */
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

/** Returns whose rule it was, or undefined if there is none. */
export async function deleteFaultRule(tx: Tx, ruleId: string): Promise<Pick<FaultRule, 'merchantId'> | undefined> {
  const [row] = await tx<Pick<FaultRule, 'merchantId'>[]>`
    delete from fault_rules
    where rule_id = ${ruleId}
    returning merchant_id`;
  return row;
}

/** Uses the oldest matching rule once. Concurrent requests through several servers use each rule exactly as often as it says. */
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

/** Reads without locks, because there is almost never a rule. */
export async function hasWebhookFaultRules(sql: Sql, merchantId: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from fault_rules
      where remaining > 0 and effect like 'WEBHOOK%' and (merchant_id is null or merchant_id = ${merchantId})
    ) as found`;
  return row?.found ?? false;
}

/** Locks the rules until the transaction ends, oldest first: several servers use each exactly as often as it says. */
export async function lockWebhookFaultRules(tx: Tx, merchantId: string): Promise<WebhookFaultRule[]> {
  return tx<WebhookFaultRule[]>`
    select ${columns(tx)}
    from fault_rules
    where remaining > 0 and effect like 'WEBHOOK%' and (merchant_id is null or merchant_id = ${merchantId})
    order by rule_id
    for update`;
}

/** The caller has locked the rule, which may be of all merchants. */
export async function updateWebhookFaultRuleToUsed(tx: Tx, { id }: WebhookFaultRule, times: number): Promise<void> {
  await tx`
    update fault_rules
    set remaining = remaining - ${times}
    where rule_id = ${id}`;
}
