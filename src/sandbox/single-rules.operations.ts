/** Sandbox operations that remove one fault or one processor rule. */
import { operation } from '../api/operation.js';
import { Nothing } from '../api/wire.js';
import { notFound } from '../base/errors.js';
import { deleteRule } from '../processor/queries.js';
import { deleteFaultRule } from './fault-queries.js';

export const sandboxSingleRuleOperations = [
  operation({
    surface: 'sandbox',
    name: 'removeFault',
    method: 'DELETE',
    path: '/api/sandbox/faults/{fault_id}',
    permission: 'OPERATOR',
    summary: 'Removes a fault.',
    response: Nothing,
    async handle({ database, invalidateCredentials }, { params: { fault_id } }) {
      const removed = await database.statement((tx) => deleteFaultRule(tx, fault_id));
      if (!removed) throw notFound('fault', fault_id);
      invalidateCredentials(removed.merchantId ?? undefined);
      return {};
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'removeProcessorRule',
    method: 'DELETE',
    path: '/api/sandbox/merchants/{merchant_id}/processor-rules/{rule_id}',
    permission: 'OPERATOR',
    summary: 'Removes a processor rule of a merchant.',
    response: Nothing,
    async handle({ database, invalidateCredentials }, { params: { merchant_id, rule_id } }) {
      const found = await database.statement((tx) => deleteRule(tx, merchant_id, rule_id));
      if (!found) throw notFound('processor rule', rule_id);
      invalidateCredentials(merchant_id);
      return {};
    },
  }),
];
