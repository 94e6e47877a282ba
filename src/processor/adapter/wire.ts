/** The bodies of the HTTP contract between the server and an adapter, as JSON schemas. The OpenAPI document shows the same schemas. */
import { Ajv, type ValidateFunction } from 'ajv';
import { DECLINE_CODES } from '../../base/errors.js';
import { MAX_AMOUNT } from '../../base/money.js';
import { about, choice, type Schema, type Static, Type } from '../../base/schema.js';
import { CARD_BRANDS, PRESENT_ENTRY_METHODS } from '../contract.js';

export const ACTIONS = ['authorize', 'capture', 'void', 'refund'] as const;
export type Action = (typeof ACTIONS)[number];

/** Never empty: a field that has nothing to say is absent. */
export const text = (maxLength = 255) => Type.String({ minLength: 1, maxLength });
const minorUnits = (minimum: number) => Type.Integer({ minimum, maximum: MAX_AMOUNT });

export const Money = Type.Object({
  amount: about('In minor units, such as cents.', minorUnits(1)),
  currency: about('Three letters (ISO 4217).', Type.String({ pattern: '^[A-Z]{3}$' })),
});

const Call = {
  key: about('Identifies the call. Every repetition has the same key, and takes effect once.', text()),
  merchant_id: about('The merchant who is paid.', text(64)),
  payment_id: about('The payment. Capture, void and refund name the payment of the authorization.', text(64)),
};

export const REQUESTS: Readonly<Record<Action, Schema>> = {
  authorize: Type.Object({
    ...Call,
    source_id: about('What to charge: a token of yours that begins with `cnon:` or `ccof:`.', text()),
    verification_token: about('The token of a verified buyer. Absent without one.', Type.Optional(text())),
    amount_money: about('What to charge.', Money),
    accept_partial: about(
      'Whether a smaller amount may be approved, such as the balance of a gift card.',
      Type.Boolean(),
    ),
    capture: about('Whether to take the money at once. Otherwise reserve it for at least 7 days.', Type.Boolean()),
  }),
  capture: Type.Object(Call),
  void: Type.Object(Call),
  refund: Type.Object({ ...Call, amount_money: about('What goes back to the buyer.', Money) }),
};

const CardSchema = Type.Object({
  brand: about('The brand.', choice(CARD_BRANDS)),
  last_4: about('The last four digits.', Type.String({ pattern: '^[0-9]{4}$' })),
  exp_month: about('The month in which it expires.', Type.Optional(Type.Integer({ minimum: 1, maximum: 12 }))),
  exp_year: about('The year in which it expires.', Type.Optional(Type.Integer({ minimum: 2000, maximum: 9999 }))),
  fingerprint: about('The same text for the same card.', Type.Optional(text())),
  bin: about('The first six digits.', Type.Optional(Type.String({ pattern: '^[0-9]{6}$' }))),
  type: about('Default: `UNKNOWN_CARD_TYPE`.', Type.Optional(choice(['CREDIT', 'DEBIT', 'UNKNOWN_CARD_TYPE']))),
  prepaid_type: about(
    'Default: `UNKNOWN_PREPAID_TYPE`.',
    Type.Optional(choice(['PREPAID', 'NOT_PREPAID', 'UNKNOWN_PREPAID_TYPE'])),
  ),
  entry_method: about(
    'How it was read. Default: `ON_FILE` for a source that begins with `ccof:`, otherwise `KEYED`.',
    Type.Optional(choice(['KEYED', 'ON_FILE', ...PRESENT_ENTRY_METHODS])),
  ),
  cvv_status: about(
    'Default: `CVV_NOT_CHECKED`.',
    Type.Optional(choice(['CVV_ACCEPTED', 'CVV_REJECTED', 'CVV_NOT_CHECKED'])),
  ),
  avs_status: about(
    'Default: `AVS_NOT_CHECKED`.',
    Type.Optional(choice(['AVS_ACCEPTED', 'AVS_REJECTED', 'AVS_NOT_CHECKED'])),
  ),
  auth_result_code: about('The code of the authorization.', Type.Optional(text(64))),
});

export const fee = about('What the merchant pays for it, in minor units. Absent: nothing.', minorUnits(0));
const optionalFee = Type.Optional(fee);

const Approved = Type.Object({
  outcome: Type.Literal('approved'),
  amount: about('In minor units. Less than requested only with `accept_partial`.', minorUnits(1)),
  card: about('What was charged.', CardSchema),
  fee: optionalFee,
});
const Declined = Type.Object({
  outcome: Type.Literal('declined'),
  code: about('Why the card was declined.', choice(DECLINE_CODES)),
  card: about('What was declined.', CardSchema),
  available_amount: about('The balance of a gift card, in minor units.', Type.Optional(minorUnits(0))),
});
const Unusable = Type.Object({
  outcome: Type.Literal('unusable'),
  reason: about('Why nothing was tried.', choice(['UNKNOWN_SOURCE', 'ALREADY_USED'])),
});
const Captured = Type.Object({ outcome: Type.Literal('captured'), fee: optionalFee });
const Refused = Type.Object({ outcome: Type.Literal('refused') });
const Refunded = Type.Object({ outcome: Type.Literal('refunded') });
const Failed = Type.Object({ outcome: Type.Literal('failed') });

/** The alternatives of each answer have different outcomes. */
export const ANSWERS = {
  authorize: Type.OneOf(Approved, Declined, Unusable),
  capture: Type.OneOf(Captured, Refused),
  void: Type.Object({ outcome: Type.Literal('voided') }),
  refund: Type.OneOf(Refunded, Failed),
};

export type WireCard = Static<typeof CardSchema>;

/** The answers as types. `invalidAnswerReason` guarantees them. */
export type Answers = { readonly [Each in Action]: Static<(typeof ANSWERS)[Each]> };

const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
const validators = new Map<Action, ValidateFunction>();

/** Why a body is no answer to the action. Undefined if it is one. */
export function invalidAnswerReason(action: Action, body: unknown): string | undefined {
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

function outcomesOf(action: Action): readonly string[] {
  const answer = ANSWERS[action];
  const alternatives = 'oneOf' in answer ? answer.oneOf : [answer];
  return alternatives.map(({ properties: { outcome } }) => (outcome as unknown as { const: string }).const);
}
