/** All SQL statements for processor rules. */
import type { DeclineCode } from '../base/errors.js';
import type { Sql, Tx } from '../database/database.js';

export const RULE_EFFECTS = ['DECLINE', 'SOURCE', 'DELAY', 'TIME_OUT', 'FAIL_REFUND'] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];

export interface Rule {
  readonly id: string;
  readonly effect: RuleEffect;
  /** With DECLINE: the code of the decline. */
  readonly code: DeclineCode | null;
  /** With SOURCE: the test source that is charged instead. */
  readonly sourceId: string | null;
  /** With DELAY: the delay of the response. */
  readonly delayMs: number | null;
  readonly remaining: number;
}

const columns = (sql: Sql) => sql`rule_id as id, effect, code, source_id, delay_ms, remaining`;

export async function insertRule(tx: Tx, merchantId: string, rule: Rule): Promise<void> {
  await tx`
    insert into processor_rules (merchant_id, rule_id, effect, code, source_id, delay_ms, remaining)
    values (
      ${merchantId}, ${rule.id}, ${rule.effect}, ${rule.code}, ${rule.sourceId}, ${rule.delayMs}, ${rule.remaining}
    )`;
}

export async function listRules(sql: Sql, merchantId: string): Promise<Rule[]> {
  return sql<Rule[]>`
    select ${columns(sql)}
    from processor_rules
    where merchant_id = ${merchantId} and remaining > 0
    order by rule_id`;
}

export async function deleteRules(tx: Tx, merchantId: string): Promise<void> {
  await tx`
    delete from processor_rules
    where merchant_id = ${merchantId}`;
}

export async function deleteRule(tx: Tx, merchantId: string, ruleId: string): Promise<boolean> {
  const rows = await tx`
    delete from processor_rules
    where merchant_id = ${merchantId} and rule_id = ${ruleId}
    returning 1`;
  return rows.length > 0;
}

/** Uses the oldest rule with one of the effects once. Returns undefined if there is none. */
export async function updateRuleToUsed(
  tx: Tx,
  merchantId: string,
  effects: readonly RuleEffect[],
): Promise<Rule | undefined> {
  const [rule] = await tx<Rule[]>`
    update processor_rules
    set remaining = remaining - 1
    where merchant_id = ${merchantId} and rule_id = (
      select rule_id
      from processor_rules
      where merchant_id = ${merchantId} and remaining > 0 and effect = any (${effects as RuleEffect[]}::text[])
      order by rule_id
      limit 1
      for update
    )
    returning ${columns(tx)}`;
  return rule;
}
