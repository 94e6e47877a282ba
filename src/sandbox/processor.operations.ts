/** Sandbox operations on the rules of the simulated processor. */
import { operation } from '../api/operation.js';
import { about, choice, model, Nothing, optional, type Static, Type, text, wholeNumber } from '../api/wire.js';
import { DECLINE_CODES, Refusal } from '../base/errors.js';
import { MINUTE_MS } from '../base/time.js';
import { deleteRules, insertRule, listRules, RULE_EFFECTS, type Rule } from '../processor/queries.js';
import { findTestSource } from '../processor/sources.js';
import { requireMerchant } from './actions.js';

const PATH = '/api/sandbox/merchants/{merchant_id}/processor-rules';
const MAX_DELAY_MS = MINUTE_MS;

const fields = {
  effect: about('What the simulator does with the next calls.', choice(RULE_EFFECTS)),
  code: about('Why the card is declined, for the effect `DECLINE`.', optional(choice(DECLINE_CODES))),
  source_id: about('The test source that is charged instead, for the effect `SOURCE`.', optional(text())),
  delay_ms: about(
    'How many milliseconds the processor takes, for the effect `DELAY`.',
    optional(wholeNumber(1, MAX_DELAY_MS)),
  ),
};

const ProcessorRule = model('ProcessorRule', {
  id: about('The id of the rule.', Type.String()),
  ...fields,
  remaining: about('How many more calls it will affect.', Type.Integer()),
});

function toRule({ id, effect, code, sourceId, delayMs, remaining }: Rule): Static<typeof ProcessorRule> {
  return {
    id,
    effect,
    ...(code !== null && { code }),
    ...(sourceId !== null && { source_id: sourceId }),
    ...(delayMs !== null && { delay_ms: delayMs }),
    remaining,
  };
}

function requireTestSource(sourceId: string | undefined): void {
  const field = 'source_id';
  if (sourceId === undefined) {
    throw new Refusal('MISSING_REQUIRED_PARAMETER', { field, detail: 'SOURCE needs source_id.' });
  }
  if (findTestSource(sourceId)) return;
  throw new Refusal('INVALID_VALUE', {
    field,
    detail: 'source_id must be a test source, such as cnon:test-mastercard-debit-contactless.',
  });
}

export const sandboxProcessorOperations = [
  operation({
    surface: 'sandbox',
    name: 'addProcessorRule',
    method: 'POST',
    path: PATH,
    permission: 'OPERATOR',
    summary:
      'Adds a rule for the next processor calls of a merchant: decline, other test source, delay, timeout, or failed refund.',
    body: Type.Object({
      ...fields,
      times: about('How many calls it affects. Default: 1.', optional(wholeNumber(1, 1_000_000))),
    }),
    example: { body: { effect: 'DECLINE', code: 'INSUFFICIENT_FUNDS', times: 1 } },
    response: Type.Object({ rule: about('The rule, which applies from now on.', ProcessorRule) }),
    async handle(context, { params: { merchant_id }, body }) {
      await requireMerchant(context, merchant_id);
      if (body.effect === 'DELAY' && body.delay_ms === undefined) {
        throw new Refusal('MISSING_REQUIRED_PARAMETER', { field: 'delay_ms', detail: 'DELAY needs delay_ms.' });
      }
      if (body.effect === 'SOURCE') requireTestSource(body.source_id);
      const rule: Rule = {
        id: context.ids.newId(20),
        effect: body.effect,
        code: body.effect === 'DECLINE' ? (body.code ?? 'GENERIC_DECLINE') : null,
        sourceId: body.effect === 'SOURCE' ? (body.source_id ?? null) : null,
        delayMs: body.delay_ms ?? null,
        remaining: body.times ?? 1,
      };
      await context.database.statement((tx) => insertRule(tx, merchant_id, rule));
      context.invalidateCredentials(merchant_id);
      return { rule: toRule(rule) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'listProcessorRules',
    method: 'GET',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Lists the processor rules of a merchant with remaining uses.',
    response: Type.Object({ rules: about('The rules that have not been used up.', Type.Array(ProcessorRule)) }),
    async handle(context, { params: { merchant_id } }) {
      await requireMerchant(context, merchant_id);
      return { rules: (await listRules(context.database.sql, merchant_id)).map(toRule) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'clearProcessorRules',
    method: 'DELETE',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Removes all processor rules of a merchant.',
    response: Nothing,
    async handle(context, { params: { merchant_id } }) {
      await requireMerchant(context, merchant_id);
      await context.database.statement((tx) => deleteRules(tx, merchant_id));
      context.invalidateCredentials(merchant_id);
      return {};
    },
  }),
];
