/** Sandbox operations on faults of requests and webhook deliveries (decisions 0080 and 0083). */
import { FAULT_STATUSES } from '../api/faults.js';
import { operation, type ServerContext } from '../api/operation.js';
import { SAMPLE_IDS } from '../api/sample-ids.js';
import { about, choice, model, Nothing, optional, present, type Static, Type, text, wholeNumber } from '../api/wire.js';
import { Refusal } from '../base/errors.js';
import type { Ids } from '../base/ids.js';
import { nearestNames } from '../base/nearest.js';
import { DAY_MS, MINUTE_MS } from '../base/time.js';
import { EVENT_KINDS } from '../events/model.js';
import { requireMerchant } from './actions.js';
import { deleteFaultRules, FAULT_EFFECTS, type FaultRule, insertFaultRule, listFaultRules } from './fault-queries.js';

const PATH = '/api/sandbox/faults';
/** Clients rarely wait longer for a response. A webhook can be a day late, like its retries. */
const MAX_DELAY_MS = MINUTE_MS;
const MAX_LATENESS_MS = DAY_MS;
const MAX_RETRY_AFTER_SECONDS = 3600;

const DELAYED: readonly FaultRule['effect'][] = ['DELAY', 'SLOW_BODY', 'WEBHOOK_LATE'];
const WITH_RETRY_AFTER: readonly number[] = [429, 503];

const delay = (description: string) => about(description, optional(wholeNumber(0, MAX_LATENESS_MS)));

const fields = {
  merchant_id: about(
    'Only requests and webhooks of this merchant. Default: of all merchants.',
    optional(text(64, { minLength: 1 })),
  ),
  operation: about(
    'Only requests of this operation, for example `v2.createPayment`. Default: of all operations.',
    optional(text(64, { minLength: 1 })),
  ),
  event_type: about('Only webhooks of this kind. Default: of all kinds.', optional(choice(EVENT_KINDS))),
  effect: about('What happens to the request or the webhook.', choice(FAULT_EFFECTS)),
  status: about(
    'The status of the response, for the effect `STATUS`.',
    optional(wholeNumber(FAULT_STATUSES.min, FAULT_STATUSES.max)),
  ),
  retry_after_seconds: about(
    'The seconds in the header Retry-After, for the effect `STATUS`. Default: 1 with 429, otherwise none.',
    optional(wholeNumber(0, MAX_RETRY_AFTER_SECONDS)),
  ),
  delay_ms: delay(
    'How many milliseconds the request or webhook is delayed, or for how long the body is sent (`SLOW_BODY`).',
  ),
  min_delay_ms: delay(
    'The shortest delay in milliseconds, instead of `delay_ms`. Each delay is a random one between both.',
  ),
  max_delay_ms: delay('The longest delay in milliseconds, instead of `delay_ms`.'),
};

const FaultModel = model('Fault', {
  id: about('The id of the fault. The header Tillhouse-Fault of an affected response shows it.', Type.String()),
  ...fields,
  remaining: about('How many more requests or webhooks it will affect.', Type.Integer()),
});
const NewFault = Type.Object({
  ...fields,
  times: about('How many requests or webhooks it affects. Default: 1.', optional(wholeNumber(1, 1_000_000))),
});
const FaultScope = Type.Object({ merchant_id: fields.merchant_id });

function toFault(rule: FaultRule): Static<typeof FaultModel> {
  const isFixed = rule.minDelayMs === rule.maxDelayMs;
  return {
    ...present({
      merchant_id: rule.merchantId,
      operation: rule.operation,
      event_type: rule.eventType,
      status: rule.status,
      retry_after_seconds: rule.retryAfterSeconds,
      delay_ms: isFixed ? rule.minDelayMs : null,
      min_delay_ms: isFixed ? null : rule.minDelayMs,
      max_delay_ms: isFixed ? null : rule.maxDelayMs,
    }),
    id: rule.id,
    effect: rule.effect,
    remaining: rule.remaining,
  };
}

/** Rejects fields that have no effect with the rule's effect, because the caller expects one. */
function fromNewFault(ids: Ids, body: Static<typeof NewFault>): FaultRule {
  const { effect, status, retry_after_seconds, delay_ms, min_delay_ms = delay_ms, max_delay_ms = delay_ms } = body;
  if (effect === 'STATUS' && status === undefined)
    throw missing('status', `STATUS needs status: ${FAULT_STATUSES.min} to ${FAULT_STATUSES.max}.`);
  const isDelay = DELAYED.includes(effect);
  if (isDelay && (min_delay_ms === undefined || max_delay_ms === undefined)) {
    throw missing('delay_ms', `${effect} needs delay_ms, or min_delay_ms and max_delay_ms.`);
  }
  if (effect !== 'STATUS') rejectFields(body, ['status', 'retry_after_seconds'], 'requires the effect STATUS.');
  if (!isDelay) {
    rejectFields(
      body,
      ['delay_ms', 'min_delay_ms', 'max_delay_ms'],
      'requires the effect DELAY, SLOW_BODY or WEBHOOK_LATE.',
    );
  }
  if (effect.startsWith('WEBHOOK')) rejectFields(body, ['operation'], 'cannot be combined with webhook effects.');
  else rejectFields(body, ['event_type'], 'requires the effect WEBHOOK_TWICE or WEBHOOK_LATE.');
  if (delay_ms !== undefined) rejectFields(body, ['min_delay_ms', 'max_delay_ms'], 'cannot be combined with delay_ms.');
  if (status !== undefined && !WITH_RETRY_AFTER.includes(status)) {
    rejectFields(body, ['retry_after_seconds'], 'requires the status 429 or 503.');
  }
  if ((min_delay_ms ?? 0) > (max_delay_ms ?? 0)) {
    throw new Refusal('VALUE_TOO_LOW', {
      field: 'max_delay_ms',
      detail: 'max_delay_ms must not be less than min_delay_ms.',
    });
  }
  if (effect !== 'WEBHOOK_LATE' && (max_delay_ms ?? 0) > MAX_DELAY_MS) {
    const field = delay_ms === undefined ? 'max_delay_ms' : 'delay_ms';
    throw new Refusal('VALUE_TOO_HIGH', { field, detail: `${field} must be at most ${MAX_DELAY_MS} for ${effect}.` });
  }
  return {
    id: ids.newId(20),
    merchantId: body.merchant_id ?? null,
    operation: body.operation ?? null,
    eventType: body.event_type ?? null,
    effect,
    status: status ?? null,
    // A 429 always has a Retry-After header.
    retryAfterSeconds: retry_after_seconds ?? (status === 429 ? 1 : null),
    minDelayMs: min_delay_ms ?? null,
    maxDelayMs: max_delay_ms ?? null,
    remaining: body.times ?? 1,
  };
}

function missing(field: string, detail: string): Refusal {
  return new Refusal('MISSING_REQUIRED_PARAMETER', { field, detail });
}

function rejectFields<Body>(body: Body, names: readonly (keyof Body & string)[], reason: string): void {
  for (const name of names) {
    if (body[name] === undefined) continue;
    throw new Refusal('CONFLICTING_PARAMETERS', { field: name, detail: `${name} ${reason}` });
  }
}

/** The operator's own requests get no faults. */
function requireProgramOperation({ operationNames }: ServerContext, name: string): void {
  const known = [...operationNames].filter((each) => !each.startsWith('sandbox.'));
  if (known.includes(name)) return;
  const nearest = nearestNames(name, known).join(', ');
  throw new Refusal('INVALID_VALUE', {
    field: 'operation',
    detail:
      'operation must be a surface and a name, such as v2.createPayment or v1.listPayments, and not of the sandbox.' +
      (nearest && ` The nearest names: ${nearest}.`),
  });
}

export const sandboxFaultOperations = [
  operation({
    surface: 'sandbox',
    name: 'addFault',
    method: 'POST',
    path: PATH,
    permission: 'OPERATOR',
    summary:
      'Injects a fault into the next requests (delay, slow body, error status, connection reset) or webhooks (duplicate, late).',
    body: NewFault,
    example: {
      body: {
        merchant_id: SAMPLE_IDS.merchant_id,
        operation: 'v2.createPayment',
        effect: 'STATUS',
        status: 503,
        times: 1,
      },
    },
    response: Type.Object({ fault: about('The fault, which applies from now on.', FaultModel) }),
    async handle(context, { body }) {
      const rule = fromNewFault(context.ids, body);
      if (rule.operation !== null) requireProgramOperation(context, rule.operation);
      if (rule.merchantId !== null) await requireMerchant(context, rule.merchantId);
      await context.database.statement((tx) => insertFaultRule(tx, rule));
      context.invalidateCredentials(body.merchant_id);
      return { fault: toFault(rule) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'listFaults',
    method: 'GET',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Lists the faults with remaining uses, of one merchant or all.',
    query: FaultScope,
    response: Type.Object({ faults: about('The faults that have not been used up.', Type.Array(FaultModel)) }),
    async handle({ database }, { query: { merchant_id } }) {
      return { faults: (await listFaultRules(database.sql, merchant_id)).map(toFault) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'clearFaults',
    method: 'DELETE',
    path: PATH,
    permission: 'OPERATOR',
    summary: 'Removes the faults of one merchant, or all faults.',
    query: FaultScope,
    response: Nothing,
    async handle({ database, invalidateCredentials }, { query: { merchant_id } }) {
      await database.statement((tx) => deleteFaultRules(tx, merchant_id));
      invalidateCredentials(merchant_id);
      return {};
    },
  }),
];
