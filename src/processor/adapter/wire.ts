/** The bodies of the HTTP contract between the server and an adapter, as JSON schemas. The OpenAPI document shows the same schemas. */
import { Ajv, type ValidateFunction } from 'ajv';
import { DECLINE_CODES, type DeclineCode } from '../../base/errors.js';
import { MAX_AMOUNT } from '../../base/money.js';
import { CARD_BRANDS, PRESENT_ENTRY_METHODS } from '../contract.js';

export const ACTIONS = ['authorize', 'capture', 'void', 'refund'] as const;
export type Action = (typeof ACTIONS)[number];

export type Schema = Readonly<Record<string, unknown>>;

export const about = (description: string, schema: Schema): Schema => ({ description, ...schema });
export const text = (maxLength = 255): Schema => ({ type: 'string', minLength: 1, maxLength });
const flag: Schema = { type: 'boolean' };
export const oneOf = (words: readonly string[]): Schema => ({ type: 'string', enum: words });
const minorUnits = (minimum: number): Schema => ({ type: 'integer', minimum, maximum: MAX_AMOUNT });

/** Members beyond the named ones are allowed, so that both sides can be newer than the other. */
export function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

export const Money = object({
  amount: about('In minor units, such as cents.', minorUnits(1)),
  currency: about('Three letters (ISO 4217).', { type: 'string', pattern: '^[A-Z]{3}$' }),
});

const Call = {
  key: about('Identifies the call. Every repetition has the same key, and takes effect once.', text()),
  merchant_id: about('The merchant who is paid.', text(64)),
  payment_id: about('The payment. Capture, void and refund name the payment of the authorization.', text(64)),
};

export const REQUESTS: Readonly<Record<Action, Schema>> = {
  authorize: object(
    {
      ...Call,
      source_id: about('What to charge: a token of yours that begins with `cnon:` or `ccof:`.', text()),
      verification_token: about('The token of a verified buyer. Absent without one.', text()),
      amount_money: about('What to charge.', Money),
      accept_partial: about('Whether a smaller amount may be approved, such as the balance of a gift card.', flag),
      capture: about('Whether to take the money at once. Otherwise reserve it for at least 7 days.', flag),
    },
    ['verification_token'],
  ),
  capture: object(Call),
  void: object(Call),
  refund: object({ ...Call, amount_money: about('What goes back to the buyer.', Money) }),
};

const CardSchema = object(
  {
    brand: about('The brand.', oneOf(CARD_BRANDS)),
    last_4: about('The last four digits.', { type: 'string', pattern: '^[0-9]{4}$' }),
    exp_month: about('The month in which it expires.', { type: 'integer', minimum: 1, maximum: 12 }),
    exp_year: about('The year in which it expires.', { type: 'integer', minimum: 2000, maximum: 9999 }),
    fingerprint: about('The same text for the same card.', text()),
    bin: about('The first six digits.', { type: 'string', pattern: '^[0-9]{6}$' }),
    type: about('Default: `UNKNOWN_CARD_TYPE`.', oneOf(['CREDIT', 'DEBIT', 'UNKNOWN_CARD_TYPE'])),
    prepaid_type: about('Default: `UNKNOWN_PREPAID_TYPE`.', oneOf(['PREPAID', 'NOT_PREPAID', 'UNKNOWN_PREPAID_TYPE'])),
    entry_method: about(
      'How it was read. Default: `ON_FILE` for a source that begins with `ccof:`, otherwise `KEYED`.',
      oneOf(['KEYED', 'ON_FILE', ...PRESENT_ENTRY_METHODS]),
    ),
    cvv_status: about('Default: `CVV_NOT_CHECKED`.', oneOf(['CVV_ACCEPTED', 'CVV_REJECTED', 'CVV_NOT_CHECKED'])),
    avs_status: about('Default: `AVS_NOT_CHECKED`.', oneOf(['AVS_ACCEPTED', 'AVS_REJECTED', 'AVS_NOT_CHECKED'])),
    auth_result_code: about('The code of the authorization.', text(64)),
  },
  'exp_month exp_year fingerprint bin type prepaid_type entry_method cvv_status avs_status auth_result_code'.split(' '),
);

export const fee = about('What the merchant pays for it, in minor units. Absent: nothing.', minorUnits(0));
const outcome = (word: string): Schema => ({ type: 'string', const: word });

export const ANSWERS: Readonly<Record<Action, Schema>> = {
  authorize: {
    oneOf: [
      object(
        {
          outcome: outcome('approved'),
          amount: about('In minor units. Less than requested only with `accept_partial`.', minorUnits(1)),
          card: about('What was charged.', CardSchema),
          fee,
        },
        ['fee'],
      ),
      object(
        {
          outcome: outcome('declined'),
          code: about('Why the card was declined.', oneOf(DECLINE_CODES)),
          card: about('What was declined.', CardSchema),
          available_amount: about('The balance of a gift card, in minor units.', minorUnits(0)),
        },
        ['available_amount'],
      ),
      object({
        outcome: outcome('unusable'),
        reason: about('Why nothing was tried.', oneOf(['UNKNOWN_SOURCE', 'ALREADY_USED'])),
      }),
    ],
  },
  capture: {
    oneOf: [object({ outcome: outcome('captured'), fee }, ['fee']), object({ outcome: outcome('refused') })],
  },
  void: object({ outcome: outcome('voided') }),
  refund: { oneOf: [object({ outcome: outcome('refunded') }), object({ outcome: outcome('failed') })] },
};

export interface WireCard {
  readonly brand: (typeof CARD_BRANDS)[number];
  readonly last_4: string;
  readonly exp_month?: number;
  readonly exp_year?: number;
  readonly fingerprint?: string;
  readonly bin?: string;
  readonly type?: 'CREDIT' | 'DEBIT' | 'UNKNOWN_CARD_TYPE';
  readonly prepaid_type?: 'PREPAID' | 'NOT_PREPAID' | 'UNKNOWN_PREPAID_TYPE';
  readonly entry_method?: 'KEYED' | 'ON_FILE' | (typeof PRESENT_ENTRY_METHODS)[number];
  readonly cvv_status?: 'CVV_ACCEPTED' | 'CVV_REJECTED' | 'CVV_NOT_CHECKED';
  readonly avs_status?: 'AVS_ACCEPTED' | 'AVS_REJECTED' | 'AVS_NOT_CHECKED';
  readonly auth_result_code?: string;
}

/** The answers as types. `isAnswer` guarantees them. */
export interface Answers {
  readonly authorize:
    | { readonly outcome: 'approved'; readonly amount: number; readonly card: WireCard; readonly fee?: number }
    | {
        readonly outcome: 'declined';
        readonly code: DeclineCode;
        readonly card: WireCard;
        readonly available_amount?: number;
      }
    | { readonly outcome: 'unusable'; readonly reason: 'UNKNOWN_SOURCE' | 'ALREADY_USED' };
  readonly capture: { readonly outcome: 'captured'; readonly fee?: number } | { readonly outcome: 'refused' };
  readonly void: { readonly outcome: 'voided' };
  readonly refund: { readonly outcome: 'refunded' | 'failed' };
}

const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
const validators = new Map<Action, ValidateFunction>();

/** Why a body is no answer to the action. Undefined if it is one. */
export function whyNoAnswer(action: Action, body: unknown): string | undefined {
  const validate = validators.get(action) ?? ajv.compile(ANSWERS[action]);
  validators.set(action, validate);
  if (validate(body)) return undefined;
  const word = (body as { outcome?: unknown } | null)?.outcome;
  const known = outcomesOf(action);
  if (typeof word !== 'string' || !known.includes(word))
    return `outcome must be one of ${known.join(', ')}, not ${JSON.stringify(word)}`;
  const branch = known.indexOf(word);
  // Of several alternatives, only the errors of the one with this outcome help.
  const mine = (validate.errors ?? []).filter(
    ({ schemaPath }) => !schemaPath.startsWith('#/oneOf/') || schemaPath.startsWith(`#/oneOf/${branch}/`),
  );
  return mine
    .filter(({ keyword }) => keyword !== 'oneOf')
    .map(({ instancePath, message }) => `${instancePath.slice(1).replaceAll('/', '.') || 'the body'} ${message}`)
    .join('; ');
}

function outcomesOf(action: Action): string[] {
  const { oneOf: alternatives } = ANSWERS[action] as { oneOf?: readonly Schema[] };
  return (alternatives ?? [ANSWERS[action]]).map(
    (each) => (each['properties'] as Record<'outcome', { const: string }>).outcome.const,
  );
}
