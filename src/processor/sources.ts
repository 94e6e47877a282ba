/** The table of test sources: the card and the outcome of each (decision 0032). */
import { hasCardNumber } from '../base/card-numbers.js';
import type { DeclineCode } from '../base/errors.js';
import type { Card } from './contract.js';
import { parseTestCard } from './test-cards.js';

export interface TestSource {
  readonly card: Card;
  readonly outcome:
    | 'APPROVED'
    | 'ALREADY_USED'
    /** Declined unless the request has a verification token. */
    | 'NEEDS_VERIFICATION'
    /** A gift card whose balance is half of the requested amount. */
    | 'HALF_BALANCE'
    | DeclineCode;
}

const VISA: Card = {
  brand: 'VISA',
  last4: '5858',
  expMonth: 12,
  expYear: 2032,
  fingerprint: 'sq-1-TillhouseTestCardVisa5858xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  type: 'CREDIT',
  prepaidType: 'NOT_PREPAID',
  bin: '453275',
  entryMethod: 'KEYED',
  cvvStatus: 'CVV_ACCEPTED',
  avsStatus: 'AVS_ACCEPTED',
};

/** The published number of a card that is declined, 4000 0000 0000 0002. */
const DECLINED_VISA: Card = {
  ...VISA,
  last4: '0002',
  fingerprint: 'sq-1-TillhouseTestCardVisa0002xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  bin: '400000',
};

const GIFT_CARD: Card = {
  ...VISA,
  brand: 'SQUARE_GIFT_CARD',
  last4: '0000',
  fingerprint: 'sq-1-TillhouseTestGiftCard0000xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  type: 'UNKNOWN_CARD_TYPE',
  prepaidType: 'PREPAID',
  bin: '778332',
  cvvStatus: 'CVV_NOT_CHECKED',
  avsStatus: 'AVS_NOT_CHECKED',
};

function onFile(id: string): Card {
  return { ...VISA, id, entryMethod: 'ON_FILE', cvvStatus: 'CVV_NOT_CHECKED', avsStatus: 'AVS_NOT_CHECKED' };
}

/**
 * Why a text cannot be a source, judged by its format only. Undefined if a processor has to decide. Card numbers must never be sent to
 * this API. Payment methods of Stripe have its prefix, `pm_`.
 */
export function invalidSourceReason(sourceId: string): 'CARD_NUMBER' | 'NOT_A_SOURCE' | undefined {
  if (hasCardNumber(sourceId)) return 'CARD_NUMBER';
  return /^(?:(?:cnon|ccof):.|pm_\w)/.test(sourceId) ? undefined : 'NOT_A_SOURCE';
}

/** Declines that exist both as a nonce and as a card on file. */
const DECLINES = {
  'rejected-cvv': { outcome: 'CVV_FAILURE', card: VISA, checks: { cvvStatus: 'CVV_REJECTED' } },
  'rejected-postalcode': { outcome: 'ADDRESS_VERIFICATION_FAILURE', card: VISA, checks: { avsStatus: 'AVS_REJECTED' } },
  'rejected-expiration': { outcome: 'INVALID_EXPIRATION', card: VISA, checks: {} },
  declined: { outcome: 'GENERIC_DECLINE', card: DECLINED_VISA, checks: {} },
} as const;

/** With the names from published samples (contract 16.6). */
export const TEST_SOURCES: ReadonlyMap<string, TestSource> = new Map<string, TestSource>([
  ['cnon:card-nonce-ok', { card: VISA, outcome: 'APPROVED' }],
  ['cnon:gift-card-nonce-ok', { card: GIFT_CARD, outcome: 'APPROVED' }],
  ['ccof:customer-card-id-ok', { card: onFile('ccof:customer-card-id-ok'), outcome: 'APPROVED' }],
  ...Object.entries(DECLINES).flatMap(([name, { outcome, card, checks }]): [string, TestSource][] => {
    const [nonce, stored] = [`cnon:card-nonce-${name}`, `ccof:customer-card-id-${name}`];
    return [
      [nonce, { card: { ...card, ...checks }, outcome }],
      [stored, { card: { ...onFile(stored), ...checks }, outcome }],
    ];
  }),
  ['cnon:card-nonce-already-used', { card: VISA, outcome: 'ALREADY_USED' }],
  [
    'ccof:customer-card-id-requires-verification',
    { card: onFile('ccof:customer-card-id-requires-verification'), outcome: 'NEEDS_VERIFICATION' },
  ],
  ['cnon:gift-card-nonce-insufficient-funds', { card: GIFT_CARD, outcome: 'HALF_BALANCE' }],
  ['cnon:gift-card-nonce-insufficient-permission', { card: GIFT_CARD, outcome: 'INSUFFICIENT_PERMISSIONS' }],
]);

/** Finds a source in the table, or derives it from its name. */
export function findTestSource(sourceId: string): TestSource | undefined {
  const known = TEST_SOURCES.get(sourceId);
  if (known) return known;
  const named = parseTestCard(sourceId);
  if (!named) return undefined;
  const { card, decline = 'APPROVED' } = named;
  return { card, outcome: decline === 'CARD_DECLINED_VERIFICATION_REQUIRED' ? 'NEEDS_VERIFICATION' : decline };
}
