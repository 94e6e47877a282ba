/** The test sources as a table: what each stands for, and what charging it leads to (decision 0032). */
import type { DeclineCode } from '../base/errors.js';
import type { Card } from './contract.js';
import { readTestCard } from './test-cards.js';

export interface TestSource {
  readonly card: Card;
  readonly outcome:
    | 'APPROVED'
    | 'ALREADY_USED'
    /** Declined unless the buyer was verified. */
    | 'NEEDS_VERIFICATION'
    /** A gift card that holds half of what is asked for. */
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

/** Digits as long as a card number, behind a prefix too: somebody sent what must never come here. */
const CARD_NUMBER = /^(?:cnon:|ccof:)?(?:\d[ -]?){12,19}$/;

/** Why something cannot be a source, seen from its form alone; undefined for what a processor can be asked about. */
export function faultOf(sourceId: string): 'CARD_NUMBER' | 'NOT_A_SOURCE' | undefined {
  if (CARD_NUMBER.test(sourceId)) return 'CARD_NUMBER';
  return /^(?:cnon|ccof):./.test(sourceId) ? undefined : 'NOT_A_SOURCE';
}

/** The same refusals, by nonce and by card on file. */
const REFUSALS = {
  'rejected-cvv': { outcome: 'CVV_FAILURE', sign: { cvvStatus: 'CVV_REJECTED' } },
  'rejected-postalcode': { outcome: 'ADDRESS_VERIFICATION_FAILURE', sign: { avsStatus: 'AVS_REJECTED' } },
  'rejected-expiration': { outcome: 'INVALID_EXPIRATION', sign: {} },
  declined: { outcome: 'GENERIC_DECLINE', sign: {} },
} as const;

/** By the names that published samples use (contract 16.6). */
export const TEST_SOURCES: ReadonlyMap<string, TestSource> = new Map<string, TestSource>([
  ['cnon:card-nonce-ok', { card: VISA, outcome: 'APPROVED' }],
  ['cnon:gift-card-nonce-ok', { card: GIFT_CARD, outcome: 'APPROVED' }],
  ['ccof:customer-card-id-ok', { card: onFile('ccof:customer-card-id-ok'), outcome: 'APPROVED' }],
  ...Object.entries(REFUSALS).flatMap(([name, { outcome, sign }]): [string, TestSource][] => {
    const [nonce, stored] = [`cnon:card-nonce-${name}`, `ccof:customer-card-id-${name}`];
    return [
      [nonce, { card: { ...VISA, ...sign }, outcome }],
      [stored, { card: { ...onFile(stored), ...sign }, outcome }],
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

/** A source of that table, or one that says by its name what it is. */
export function findTestSource(sourceId: string): TestSource | undefined {
  const known = TEST_SOURCES.get(sourceId);
  if (known) return known;
  const named = readTestCard(sourceId);
  if (!named) return undefined;
  const { card, decline = 'APPROVED' } = named;
  return { card, outcome: decline === 'CARD_DECLINED_VERIFICATION_REQUIRED' ? 'NEEDS_VERIFICATION' : decline };
}
