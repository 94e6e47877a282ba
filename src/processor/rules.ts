/** A processor that does what an operator's rules say, for as long as they say it, and is itself otherwise. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.js';
import { type Processor, type ProcessorMerchant, ProcessorUnavailable } from './contract.js';
import { type RuleEffect, updateRuleToUsed } from './queries.js';
import { findTestSource } from './sources.js';

export function withRules(processor: Processor, database: Database): Processor {
  const ruleFor = (merchant: ProcessorMerchant, effects: readonly RuleEffect[]) =>
    merchant.hasRules ? database.statement((tx) => updateRuleToUsed(tx, merchant.id, effects)) : undefined;

  /** Delays and time-outs befall any call; what is left to do is the caller's own. */
  const applyRule = async (merchant: ProcessorMerchant, own: readonly RuleEffect[] = []) => {
    const rule = await ruleFor(merchant, ['DELAY', 'TIME_OUT', ...own]);
    if (rule?.effect === 'DELAY') await sleep(rule.delayMs ?? 0, undefined, { ref: false });
    if (rule?.effect === 'TIME_OUT') throw new ProcessorUnavailable('the processor did not answer, as a rule demanded');
    return rule;
  };

  return {
    isCertain: (merchant) => !merchant.hasRules && processor.isCertain(merchant),
    async authorize(request) {
      const card = findTestSource(request.sourceId)?.card;
      const own = card ? (['DECLINE', 'SOURCE'] as const) : []; // nobody declines a source that is none
      const rule = await applyRule(request.merchant, own);
      if (rule?.effect === 'SOURCE' && rule.sourceId)
        return processor.authorize({ ...request, sourceId: rule.sourceId });
      if (rule?.effect !== 'DECLINE' || !card) return processor.authorize(request);
      return { kind: 'declined', code: rule.code ?? 'GENERIC_DECLINE', card };
    },
    async capture(request) {
      await applyRule(request.merchant);
      await processor.capture(request);
    },
    async void(request) {
      await applyRule(request.merchant);
      await processor.void(request);
    },
    async refund(request) {
      const rule = await applyRule(request.merchant, ['FAIL_REFUND']);
      return rule?.effect === 'FAIL_REFUND' ? false : processor.refund(request);
    },
  };
}
