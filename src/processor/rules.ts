/** Wraps a processor and applies the operator's processor rules to its calls. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.js';
import { type Processor, type ProcessorMerchant, ProcessorUnavailable } from './contract.js';
import { type RuleEffect, updateRuleToUsed } from './queries.js';
import { findTestSource } from './sources.js';

export function withRules(processor: Processor, database: Database): Processor {
  const ruleFor = (merchant: ProcessorMerchant, effects: readonly RuleEffect[]) =>
    merchant.hasRules ? database.statement((tx) => updateRuleToUsed(tx, merchant.id, effects)) : undefined;

  /** Applies delays and timeouts, which are possible for every call. The caller applies the other effects. */
  const applyRule = async (merchant: ProcessorMerchant, own: readonly RuleEffect[] = []) => {
    const rule = await ruleFor(merchant, ['DELAY', 'TIME_OUT', ...own]);
    if (rule?.effect === 'DELAY') await sleep(rule.delayMs ?? 0, undefined, { ref: false });
    if (rule?.effect === 'TIME_OUT') throw new ProcessorUnavailable('no response from the processor, caused by a rule');
    return rule;
  };

  return {
    isCertain: (merchant, processorId) => !merchant.hasRules && processor.isCertain(merchant, processorId),
    async authorize(request) {
      const card = findTestSource(request.sourceId)?.card;
      const own = card ? (['DECLINE', 'SOURCE'] as const) : []; // only a valid source can be declined
      const rule = await applyRule(request.merchant, own);
      if (rule?.effect === 'SOURCE' && rule.sourceId)
        return processor.authorize({ ...request, sourceId: rule.sourceId });
      if (rule?.effect !== 'DECLINE' || !card) return processor.authorize(request);
      return { kind: 'declined', code: rule.code ?? 'GENERIC_DECLINE', card };
    },
    async capture(request) {
      await applyRule(request.merchant);
      return processor.capture(request);
    },
    async void(request) {
      await applyRule(request.merchant);
      await processor.void(request);
    },
    async refund(request) {
      // The books have a failed refund, but no failed reversal.
      const rule = await applyRule(request.merchant, request.isReversal ? [] : ['FAIL_REFUND']);
      return rule?.effect === 'FAIL_REFUND' ? false : processor.refund(request);
    },
  };
}
