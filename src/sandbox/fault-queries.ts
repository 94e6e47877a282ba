/** Every SQL statement on the rules by which faults befall requests. */
import type { Sql, Tx } from '../database/database.js';

export const FAULT_EFFECTS = ['DELAY', 'STATUS', 'RESET_BEFORE', 'RESET_AFTER'] as const;
export const FAULT_STATUSES = [429, 500, 503] as const;

export interface FaultRule {
  readonly id: string;
  /** Null: every merchant. */
  readonly merchantId: string | null;
  /** By its surface and name; null: any. */
  readonly operation: string | null;
  readonly effect: (typeof FAULT_EFFECTS)[number];
  readonly status: (typeof FAULT_STATUSES)[number] | null;
  readonly retryAfterSeconds: number | null;
  readonly minDelayMs: number | null;
  readonly maxDelayMs: number | null;
  readonly remaining: number;
}

const columns = (sql: Sql) => sql`
  rule_id as id, merchant_id, operation, effect, status, retry_after_seconds, min_delay_ms, max_delay_ms, remaining`;

export async function insertFaultRule(tx: Tx, rule: FaultRule): Promise<void> {
  await tx`
    insert into fault_rules (
      merchant_id, rule_id, operation, effect, status, retry_after_seconds, min_delay_ms, max_delay_ms, remaining
    )
    values (
      ${rule.merchantId}, ${rule.id}, ${rule.operation}, ${rule.effect}, ${rule.status}, ${rule.retryAfterSeconds},
      ${rule.minDelayMs}, ${rule.maxDelayMs}, ${rule.remaining}
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

export async function deleteFaultRules(tx: Tx, merchantId: string | undefined): Promise<void> {
  await tx`
    delete from fault_rules
    where ${merchantId === undefined ? tx`true` : tx`merchant_id = ${merchantId}`}`;
}

/** Uses the oldest rule that fits, once; a crowd of requests, through any number of servers, uses it up exactly. */
export async function useFaultRule(
  tx: Tx,
  operation: string,
  merchantId: string | undefined,
): Promise<FaultRule | undefined> {
  const [rule] = await tx<FaultRule[]>`
    update fault_rules
    set remaining = remaining - 1
    where rule_id = (
      select rule_id
      from fault_rules
      where remaining > 0
        and (merchant_id is null or merchant_id = ${merchantId ?? null})
        and (operation is null or operation = ${operation})
      order by rule_id
      limit 1
      for update
    )
    returning ${columns(tx)}`;
  return rule;
}
